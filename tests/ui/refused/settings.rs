use perftest::perf_test;

#[perf_test(limit = "50")]
fn limit_without_unit() {}

#[perf_test(limit = 50)]
fn limit_without_text() {}

#[perf_test(expert(timeout = "soon"))]
fn timeout_without_time() {}

#[perf_test(expert(max_measurements = 2))]
fn too_few() {}

#[perf_test(expert(max_measurements = "30"))]
fn text() {}

#[perf_test(expert(max_measurements = MOST))]
fn constant() {}

#[perf_test(on_red)]
fn no_word() {}

#[perf_test(on_red = "pass")]
fn no_such_red() {}

#[perf_test(on_improved = true)]
fn a_flag() {}

#[perf_test(on_improved = "fail", budget = "1s", on_improved = "pass")]
fn repeated() {}

#[perf_test(on_unclear = "ignore")]
fn no_such_end() {}

#[perf_test(on_unjudged = "skip")]
fn no_such_answer() {}

#[perf_test(expert(on_debug = "skip"))]
fn no_such_way() {}

#[perf_test(expert(on_debug = fail))]
fn no_text() {}

#[perf_test(expert(learn = "never"))]
fn no_such_beginning() {}

#[perf_test(formerly)]
fn no_name() {}

#[perf_test(formerly = "old_name")]
fn half_a_name() {}

#[perf_test(expert(curve = [(2, 4.0), (30, 1.1)], max_measurements = 20))]
fn curve_beyond_the_most() {}

fn main() {}
