use perftest::perf_test;

#[perf_test]
struct Structure;

#[perf_test]
pub mod module {}

#[perf_test]
const CONSTANT: u8 = 1;

#[perf_test]
unsafe impl Send for std::fmt::Error {}

fn main() {}
