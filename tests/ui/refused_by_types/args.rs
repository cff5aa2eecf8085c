//! The values are of another type, or cannot be copied, named or counted.
use perftest::{Bencher, perf_test};

#[perf_test(args = ["one"])]
fn another_type(b: &mut Bencher, n: usize) {
    b.iter(|| n);
}

struct Opaque;

#[perf_test(args = [Opaque], names = |_| 1)]
fn copied(opaque: Opaque) {
    drop(opaque);
}

#[perf_test(args = [Opaque])]
fn named(opaque: &Opaque) {
    let _ = opaque;
}

#[perf_test(args = 64)]
fn iterated(n: usize) -> usize {
    n
}
