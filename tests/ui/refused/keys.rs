use perftest::perf_test;

#[perf_test(speed = "5%")]
fn unknown() {}

#[perf_test("5%")]
fn no_key() {}

#[perf_test(budget = "1s", tolerance = "5%", budget = "2s")]
fn repeated() {}

#[perf_test(budget = "1s" tolerance = "5%")]
fn no_comma() {}

#[perf_test(tolerence = "5%")]
fn misspelt() {}

#[perf_test(ignore)]
fn an_attribute() {}

#[perf_test(inputs = make)]
fn a_method_of_the_bencher() {}

#[perf_test(sample_size = 30)]
fn of_another_harness() {}

fn main() {}
