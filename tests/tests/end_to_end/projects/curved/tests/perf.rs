use measured::{slow, work};
use perftest::{Bencher, perf_test};

#[perf_test(tolerance = "50%", expert(curve = [(9, 12.0), (30, 4.0)]))]
fn forgiving(b: &mut Bencher) {
    let steps = 2_000 * slow();
    b.iter(|| work(steps));
}

perftest::main!();
