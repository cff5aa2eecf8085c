use perftest::perf_test;

#[perf_test]
unsafe fn unsound() {}

#[perf_test]
const fn constant() {}

#[perf_test]
pub extern "C" fn foreign() {}

#[perf_test]
const unsafe extern "C" fn all_of_them() {}

fn main() {}
