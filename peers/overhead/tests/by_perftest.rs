//! The functions under perftest, with its defaults.

use peer_overhead as functions;
use perftest::perf_test;

#[perf_test]
fn empty() {
    functions::empty();
}

#[perf_test]
fn independent() -> u64 {
    functions::independent()
}

#[perf_test]
fn about_1_ns() -> u64 {
    functions::about_1_ns()
}

#[perf_test]
fn about_50_ns() -> u64 {
    functions::about_50_ns()
}

#[perf_test]
fn about_1_us() -> u64 {
    functions::about_1_us()
}

perftest::main!();
