use perftest::perf_test;

#[perf_test(versus)]
fn no_value() {}

#[perf_test(versus = "other")]
fn no_path() {}

#[perf_test(versus = || 1)]
fn a_closure() {}

#[perf_test(versus = other())]
fn a_call() {}

#[perf_test(versus = other, versus = another)]
fn repeated() {}

#[perf_test(versus = other, on_improved = "fail")]
fn never_faster() {}

#[perf_test(expert(curve = [(2, 4.0), (9, 2.0)]), versus = other)]
fn along_a_curve() {}

#[perf_test(versus = other, expert(disk_probe))]
fn beside_the_disk() {}

#[perf_test(versus = other, limit = "1ms")]
fn below_a_limit() {}

#[perf_test(expert(max_measurements = 5), versus = other)]
fn by_few_measurements() {}

#[perf_test(versus = other, formerly = "my-crate::old")]
fn formerly_another() {}

#[perf_test(versus = other, metrics = [wall, cpu])]
fn by_more_than_time() {}

#[perf_test(versus = other, expert(learn = "one-per-run"))]
fn from_few_runs() {}

fn main() {}
