use perftest::{Bencher, perf_test};

#[perf_test(args)]
fn no_value(n: usize) {}

#[perf_test(args =)]
fn nothing(n: usize) {}

#[perf_test(args = [])]
fn an_empty_list(n: usize) {}

#[perf_test(args = [64, 1_024, 0_64])]
fn a_number_twice(n: usize) {}

#[perf_test(args = ["tiny", "tiny"], budget = "1s")]
fn a_text_twice(text: &str) {}

#[perf_test(args = [64], args = [65])]
fn repeated(n: usize) {}

#[perf_test(args = [64])]
fn no_parameter() {}

#[perf_test(args = [64])]
fn only_a_bencher(b: &mut Bencher) {}

#[perf_test(args = [64])]
fn a_bencher_behind(n: usize, b: &mut Bencher) {}

#[perf_test(args = [64])]
fn two_values(n: usize, m: usize) {}

#[perf_test(args = [64])]
fn three_parameters(b: &mut Bencher, n: usize, m: usize) {}

#[perf_test(names = |case| case.0)]
fn names_of_nothing() {}

#[perf_test(args = [64], names)]
fn no_names(n: usize) {}

#[perf_test]
fn a_value_without_args(b: &mut Bencher, n: usize) {}

fn main() {}
