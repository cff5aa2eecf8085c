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

#[elsewhere::perf_test(crate = ::my_perftest, tolerance = "5%", budget = "1s", ignore)]
fn by_a_global_path() {}

#[elsewhere::perf_group(crate = ::my_perftest, budget = "1s", on_unclear = "fail")]
mod grouped {
    #[my_perftest::perf_test(crate = my_perftest, on_debug = "measure")]
    fn inside() {}
}
