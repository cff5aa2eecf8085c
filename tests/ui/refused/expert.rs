use perftest::{perf_group, perf_test};

#[perf_test(expert)]
fn no_keys() {}

#[perf_test(expert = 30)]
fn a_value() {}

#[perf_test(expert())]
fn empty() {}

#[perf_test(expert(30))]
fn no_key() {}

#[perf_test(expert(speed = 1))]
fn unknown() {}

#[perf_test(expert(tolerance = "5%"))]
fn a_key_of_the_outside() {}

#[perf_test(curve = [(2, 4.0)])]
fn a_key_of_the_inside() {}

#[perf_test(expert(max_measurement = 30))]
fn misspelt() {}

#[perf_test(expert(learn = "at-once"), expert(timeout = "2m"))]
fn repeated() {}

#[perf_test(expert(disk_probe = true))]
fn a_flag() {}

#[perf_test(expert(disk_probe("5%")))]
fn a_list() {}

#[perf_test(expert(disk_probe, timeout = "1m", disk_probe))]
fn repeated_inside() {}

#[perf_group(expert(curve = [(2, 4.0)]))]
mod a_key_of_one_test {}

fn main() {}
