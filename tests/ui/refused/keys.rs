use perftest::perf_test;

#[perf_test(tolerence = "5%")]
fn unknown() {}

#[perf_test("5%")]
fn no_key() {}

#[perf_test(budget = "1s", tolerance = "5%", budget = "2s")]
fn repeated() {}

#[perf_test(budget = "1s" tolerance = "5%")]
fn no_comma() {}

#[perf_test(ignore, ignore = "why")]
fn ignored_by_two_keys() {}

#[perf_test(ignore)]
#[ignore]
fn ignored_by_key_and_attribute() {}

fn main() {}
