use perftest::perf_test;

#[perf_test]
#[cfg_attr(not(test), ignore("why"))]
fn a_list() {}

fn main() {}
