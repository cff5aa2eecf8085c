use perftest::perf_group;

#[perf_group(budget = "10s")]
fn function() {}

#[perf_group]
mod without_key {}

#[perf_group(budget = "soon")]
mod bad_value {}

#[perf_group(args = [64])]
mod key_of_one_test {}

#[perf_group(tolerance = "5%", tolerance = 1.05)]
mod repeated {}

#[perf_group(formerly = "a::b")]
mod formerly {}

#[perf_group(bugdet = "10s")]
mod misspelt {}

#[perf_group(speed = 1)]
mod unknown {}

#[perf_group(budget = "10s")]
struct Structure;

fn main() {}
