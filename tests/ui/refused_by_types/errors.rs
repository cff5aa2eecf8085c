//! An error that cannot be shown.
use perftest::{Bencher, perf_test};

struct Opaque;

#[perf_test]
fn returned() -> Result<u64, Opaque> {
    Err(Opaque)
}

#[perf_test]
fn of_a_body_with_a_bencher(b: &mut Bencher) -> Result<(), Opaque> {
    b.iter(|| 1);
    Err(Opaque)
}

perftest::main!();
