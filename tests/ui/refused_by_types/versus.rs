//! What is compared with has other parameters, or is a perf test.
use perftest::{Bencher, perf_test};

fn takes_text(text: &str) -> usize {
    text.len()
}

#[perf_test(versus = takes_text)]
fn takes_nothing() -> usize {
    1
}

#[perf_test(versus = takes_text)]
fn prepares(b: &mut Bencher) {
    b.iter(|| 1);
}

#[perf_test(args = [1, 2], versus = takes_text)]
fn takes_a_number(n: usize) -> usize {
    n
}

#[perf_test]
fn measured_already() -> usize {
    1
}

#[perf_test(versus = measured_already)]
fn measured_again() -> usize {
    1
}
