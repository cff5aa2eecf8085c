//! Called as the module of the library that has its tests.

use measured::work;
use perftest::perf_test;

#[perf_test(expert(max_measurements = 15))]
fn inner() -> u64 {
    work(300)
}

perftest::main!();
