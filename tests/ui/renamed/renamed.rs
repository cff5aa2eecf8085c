//! The crate has another name here, and no other crate has its own.
#![deny(warnings)]

use my_perftest as elsewhere;

#[my_perftest::perf_test(crate = my_perftest)]
fn by_its_name() {}

#[elsewhere::perf_test(crate = crate::elsewhere)]
fn by_a_path(bencher: &mut elsewhere::Bencher<'_>) -> Result<(), std::fmt::Error> {
    bencher.iter(|| ());
    Ok(())
}

#[elsewhere::perf_test(crate = ::my_perftest, tolerance = "5%", budget = "1s")]
#[ignore]
fn by_a_global_path() {}

#[elsewhere::perf_group(crate = ::my_perftest, budget = "1s", on_unclear = "fail")]
mod grouped {
    #[my_perftest::perf_test(crate = my_perftest, expert(on_debug = "measure"))]
    fn inside() {}
}

#[elsewhere::perf_group(crate = my_perftest, budget = "1s")]
mod grouped_by_its_name {}

const OUTSIDE: std::time::Duration = std::time::Duration::from_secs(1);

#[elsewhere::perf_group(crate = elsewhere, limit = OUTSIDE)]
mod grouped_by_an_import {}

#[elsewhere::perf_group(crate = self::elsewhere, budget = "1s")]
mod grouped_by_self {}

#[my_perftest::perf_test(crate = my_perftest, args = [1, 2])]
fn cases_by_its_name(n: u8) -> u8 {
    n
}

#[elsewhere::perf_test(crate = elsewhere, types = [u8, u16])]
fn cases_by_an_import<T: Default>() -> T {
    T::default()
}

#[elsewhere::perf_test(crate = self::elsewhere, consts = [1, 2])]
fn cases_by_self<const N: u8>() -> u8 {
    N
}

mod inside {
    #[super::elsewhere::perf_group(crate = super::elsewhere, budget = "1s")]
    mod grouped_by_super {
        #[crate::elsewhere::perf_group(crate = crate::elsewhere, budget = "2s")]
        mod grouped_by_a_path {}
    }

    #[super::elsewhere::perf_test(crate = super::elsewhere, args = ["a", "b"])]
    fn cases_by_super(text: &str) -> usize {
        text.len()
    }
}
