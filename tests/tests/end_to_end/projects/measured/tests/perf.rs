use measured::{slow, work};
use perftest::{Bencher, perf_test};

#[perf_test(tolerance = "50%")]
fn grows(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test(tolerance = "50%")]
fn steady() -> u64 {
    work(1_000)
}

perftest::main!();
