//! The input is of another type.
use perftest::perf_test;

#[perf_test(inputs = make_key)]
fn inputs(key: String) {
    drop(key);
}

fn make_key(i: u64) -> u64 {
    i
}
