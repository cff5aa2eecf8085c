//! A library with a perf test of its own.

#[perftest::perf_test]
fn of_the_library() -> u32 {
    1
}
