use perftest::perf_test;

#[perf_test(limit = "50")]
fn limit_without_unit() {}

#[perf_test(limit = 50)]
fn limit_without_text() {}

#[perf_test(max_measurements = 2)]
fn too_few() {}

#[perf_test(max_measurements = "30")]
fn text() {}

#[perf_test(max_measurements = MOST)]
fn constant() {}

#[perf_test(report_only = "yes")]
fn no_flag() {}

#[perf_test(on_unclear = "ignore")]
fn no_such_end() {}

#[perf_test(on_debug = "skip")]
fn no_such_way() {}

#[perf_test(on_debug = fail)]
fn no_text() {}

#[perf_test(formerly)]
fn no_name() {}

#[perf_test(formerly = "old_name")]
fn half_a_name() {}

#[perf_test(curve = [(2, 4.0), (30, 1.1)], max_measurements = 20)]
fn curve_beyond_the_most() {}

fn main() {}
