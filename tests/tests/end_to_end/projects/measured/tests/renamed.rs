use measured::{slow, work};
use perftest::{Bencher, perf_test};

#[perf_test(formerly = "measured::perf::grows", tolerance = "50%")]
fn grew(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

perftest::main!();
