//! Every shape of a perf test, where nothing is allowed.
#![forbid(unsafe_code, unused, nonstandard_style)]
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms)]
#![deny(unused_qualifications, unused_results)]

use perftest::{Bencher, perf_group, perf_test};
use std::time::Duration;

const SHARE: f64 = 0.2;
const BUDGET: Duration = Duration::from_secs(3);

#[perf_test]
fn nothing() {}

#[perf_test()]
fn value() -> Vec<u8> {
    vec![1]
}

#[perf_test]
fn opaque() -> impl Sized {
    1
}

#[perf_test(tolerance = "10%", budget = "1.5s")]
fn fallible() -> Result<u8, std::num::ParseIntError> {
    "1".parse()
}

#[perf_test(tolerance = SHARE, budget = BUDGET)]
#[ignore = "why"]
fn prepared(bencher: &mut Bencher<'_>) {
    bencher.iter(|| 1 + 1);
}

#[perf_test(tolerance = 0.5, metrics = [wall, cpu = "10%", faults = 1.5,], budget = Duration::from_millis(500),)]
fn prepared_and_fallible(mut _bencher: &mut Bencher<'_>) -> Result<(), std::fmt::Error> {
    Err(std::fmt::Error)
}

#[perf_test(expert(curve = [(2, 4.0), (9, 2), (30, 1.2),],), tolerance = SHARE)]
fn curved() {}

#[perf_test(limit = BUDGET, expert(max_measurements = 30, on_debug = "fail"), formerly = "a::b")]
fn limited() {}

/// What the attribute names is found where it stands.
#[perf_group(budget = Duration::from_secs(10), limit = BUDGET, tolerance = SHARE)]
mod r#grouped_from_outside {
    #[perftest::perf_test]
    fn inside() {}
}

#[perf_group(budget = BUDGET, tolerance = 1.5, on_red = "report", expert(on_debug = "smoke", timeout = BUDGET))]
mod grouped {
    //! Documented inside.
    use super::{BUDGET, perf_group, perf_test};

    #[perf_test(on_red = "fail", on_unclear = "pass", limit = "20us")]
    fn inside() {}

    #[perf_group(limit = BUDGET)]
    pub(super) mod nested {
        use super::{BUDGET, perf_test};

        #[perf_test(budget = BUDGET)]
        fn inside() {}
    }
}

#[perf_test(on_improved = "fail", expert(disk_probe), tolerance = SHARE)]
fn held() {}

#[perf_test]
fn fed(b: &mut Bencher<'_>) {
    b.with_inputs(keys).iter_mut(|keys| keys.sort_unstable());
}

fn keys(i: u64) -> Vec<u64> {
    vec![i + 1, i]
}

#[perf_test(budget = "1s")]
fn fed_and_fallible(b: &mut Bencher<'_>) {
    b.with_inputs(made::pair::<7>).try_iter(|(left, right)| right.parse().map(|it: u64| it < left));
}

mod made {
    pub(super) const fn pair<const N: u64>(i: u64) -> (u64, &'static str) {
        (i % N, "1")
    }
}

/// Names that the expansion uses as well.
#[perf_test(args = [1])]
fn input(bencher: u64) -> u64 {
    bencher
}

/// Names that the expansion uses as well.
#[perf_test]
pub fn bencher(output: &mut Bencher<'_>) -> bool {
    output.iter(|| ());
    true
}

/// Its name is enough.
#[perf_test]
fn output() -> usize {
    type_name_of(output).len()
}

fn type_name_of<T>(_: T) -> &'static str {
    std::any::type_name::<T>()
}

mod renamed {
    use super::perf_test as measured;

    #[measured]
    fn r#match() {}
}

#[perf_test(runtime = runtime())]
async fn awaited() -> Result<u8, std::num::ParseIntError> {
    std::future::ready("1".parse()).await
}

#[perf_test(runtime = block_on, tolerance = "10%")]
async fn awaited_by_a_function(bencher: &mut Bencher<'_>) {
    let text = String::from("1");
    bencher.iter_async(async || text.len()).await;
}

#[perf_test(runtime = runtime())]
async fn awaited_and_fed(bencher: &mut Bencher<'_>) {
    let routine = async |keys: Vec<u64>| std::future::ready(keys.len()).await;
    bencher.with_inputs(keys).iter_async(routine).await;
}

/// A runtime with a method.
struct Own {
    turns: u32,
}

impl Own {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        assert_eq!(self.turns, 1);
        block_on(future)
    }
}

const fn runtime() -> Own {
    Own { turns: 1 }
}

/// Polls until it is ready.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
