//! What is no whole number, and a tolerance of a metric that is none.
use perftest::perf_test;

const TEN_TIMES_MORE: f64 = 10.5;

#[perf_test(throughput = bytes(1.5))]
fn a_fraction() {}

#[perf_test(throughput = items("1 MiB"))]
fn a_text() {}

#[perf_test(args = [1, 2], throughput = bytes(|n| f64::from(*n)))]
fn a_closure(n: u32) {}

#[perf_test(metrics = [wall, cpu = TEN_TIMES_MORE])]
fn a_metric() {}
