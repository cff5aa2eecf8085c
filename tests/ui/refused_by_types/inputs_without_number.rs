//! The function that makes the inputs does not take the number of the call.
use perftest::perf_test;

#[perf_test(inputs = make_key)]
fn inputs(key: u64) {
    assert_eq!(key, 1);
}

fn make_key() -> u64 {
    1
}
