use perftest::perf_test;

#[perf_test(expert(curve))]
fn no_value() {}

#[perf_test(expert(curve = 1.1))]
fn no_list() {}

#[perf_test(expert(curve = CURVE))]
fn constant() {}

#[perf_test(expert(curve = []))]
fn empty() {}

#[perf_test(expert(curve = [30, 1.1]))]
fn no_pairs() {}

#[perf_test(expert(curve = [(30)]))]
fn no_ratio() {}

#[perf_test(expert(curve = [(30, 1.1, 5)]))]
fn three_numbers() {}

#[perf_test(expert(curve = [(0, 4.0)]))]
fn no_measurement() {}

#[perf_test(expert(curve = [(-1, 4.0)]))]
fn negative() {}

#[perf_test(expert(curve = [(2.5, 4.0)]))]
fn half_a_measurement() {}

#[perf_test(expert(curve = [(10_001, 4.0)]))]
fn too_many() {}

#[perf_test(expert(curve = [(2, 4.0), (9, 2.0), (9, 1.1)]))]
fn standing() {}

#[perf_test(expert(curve = [(30, 4.0), (9, 2.0)]))]
fn falling_measurements() {}

#[perf_test(expert(curve = [(2, 4.0), (9, 4.0)]))]
fn standing_ratio() {}

#[perf_test(expert(curve = [(2, 2.0), (9, 4.0)]))]
fn rising_ratio() {}

#[perf_test(expert(curve = [(2, 1.0)]))]
fn no_degradation() {}

#[perf_test(expert(curve = [(2, "4x")]))]
fn text() {}

#[perf_test(expert(curve = [(2, 4.0)] 5))]
fn more() {}

#[perf_test(expert(curve = [(2, 4.0)], curve = [(2, 3.0)]))]
fn repeated() {}

fn main() {}
