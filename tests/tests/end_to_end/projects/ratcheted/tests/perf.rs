use perftest::{Bencher, perf_test};
use ratcheted::{slow, work};

#[perf_test(on_improved = "fail", tolerance = "50%")]
fn held(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

#[perf_test(tolerance = "50%")]
fn free(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

perftest::main!();
