use perftest::perf_test;

#[perf_test(types = Vec<u8>)]
fn no_list<T>() {}

#[perf_test(types = [])]
fn an_empty_list<T>() {}

#[perf_test(types = [u8, u16, u8])]
fn a_type_twice<T>() {}

#[perf_test(types = [u8])]
fn no_type_parameter() {}

#[perf_test(types = [u8])]
fn a_constant_parameter<const N: usize>() {}

#[perf_test(types = [u8])]
fn two_type_parameters<T, U>() {}

#[perf_test(types = [u8])]
fn a_constant_as_well<T, const N: usize>() {}

#[perf_test(consts = 16)]
fn no_list_of_constants<const N: usize>() {}

#[perf_test(consts = [16, 1_6])]
fn a_constant_twice<const N: usize>() {}

#[perf_test(consts = [])]
fn no_constant<const N: usize>() {}

#[perf_test(consts = [16])]
fn no_constant_parameter<T>() {}

#[perf_test]
fn without_types<T>() {}

fn main() {}
