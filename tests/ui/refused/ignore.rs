use perftest::perf_test;

#[perf_test(ignore = true)]
fn a_flag() {}

#[perf_test(ignore("why"))]
fn a_list() {}

#[perf_test]
#[cfg_attr(not(test), ignore("why"))]
fn a_list_in_the_attribute() {}

fn main() {}
