//! Without `cfg(test)` nothing of a perf test is compiled, not even its body.
#![deny(warnings)]

#[perftest::perf_test]
fn gone() -> NoSuchType {
    no_such_function()
}

fn gone() {}

fn main() {
    gone();
}
