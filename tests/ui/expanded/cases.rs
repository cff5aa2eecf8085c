//! One function that stands for several tests, where nothing is allowed.
#![forbid(unsafe_code, unused, nonstandard_style)]
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms)]
#![deny(unused_qualifications, unused_results)]

use perftest::{Bencher, perf_test};
use std::collections::BTreeMap;
use std::num::ParseIntError;

const SIZES: [(usize, &str); 2] = [(64, "small"), (1 << 10, "large")];
const TINY: &str = "1";
const HUGE: &str = "123456789";

/// A comment on all cases.
#[perf_test(args = [64, 1024, 65_536], throughput = bytes(|n| *n))]
fn encode(b: &mut Bencher<'_>, n: usize) {
    let data = vec![7_u8; n];
    b.iter(|| data.iter().map(|byte| u64::from(*byte)).sum::<u64>());
}

#[perf_test(args = [5_000_000_000, 1], throughput = items(|n| *n))]
#[ignore = "why"]
fn by_value(n: u64) -> u32 {
    n.count_ones()
}

#[perf_test(args = ["tiny", "not so tiny", "fn", "gen", ""])]
fn text(text: &str) -> usize {
    text.len()
}

#[perf_test(args = [("tiny", TINY), ("huge", HUGE)], names = |case| case.0)]
fn parse(case: &(&str, &str)) -> Result<u64, ParseIntError> {
    case.1.parse()
}

#[perf_test(args = SIZES, names = size_name, throughput = items(size_of), tolerance = "10%")]
fn from_a_constant((n, _): (usize, &str)) -> Vec<u8> {
    vec![0; n]
}

fn size_name((size, name): &(usize, &str)) -> String {
    format!("{name}: {size} bytes")
}

const fn size_of(size: &(usize, &str)) -> usize {
    size.0
}

#[perf_test(args = [String::from("owned"), String::new()], names = |text: &String| text.as_str())]
fn borrowed(text: &str) -> &str {
    text.trim()
}

#[perf_test(args = [vec![1_u8], Vec::new()], throughput = bytes(Vec::len))]
fn consumed(mut values: Vec<u8>) -> Vec<u8> {
    values.push(1);
    values
}

#[perf_test(args = BTreeMap::<u8, u16>::from([(1, 2)]), budget = "1s")]
#[ignore = "why"]
fn a_map((key, value): (u8, u16)) -> u16 {
    u16::from(key) + value
}

#[perf_test(args = (1..4).map(|step| step * 100), names = |n: &u32| *n, throughput = bytes(1 << 20))]
fn an_iterator(b: &mut Bencher<'_>, n: u32) -> Result<(), std::fmt::Error> {
    b.iter(|| n.pow(2));
    Err(std::fmt::Error)
}

#[perf_test(types = [Vec<u8>, Box<[u8]>], consts = [16, 256])]
fn fill<T: FromIterator<u8>, const N: usize>() -> T {
    std::iter::repeat_n(7, N).collect()
}

#[perf_test(
    consts = [true, false],
    types = [std::collections::VecDeque<u8>, String],
    args = [1, 2],
    throughput = bytes(|n| *n),
)]
fn all_at_once<const UP: bool, T>(b: &mut Bencher<'_>, n: usize)
where
    T: Default + Clone,
{
    b.iter(|| (UP, vec![T::default(); n]));
}

#[perf_test(consts = [SIZE, -1])]
fn constants<const N: i8>() -> i8 {
    N
}

const SIZE: i8 = 1;

#[perf_test(consts = [sizes::BLOCK, 1 << 10, sizes::BLOCK * 2 - 1, { 7 + 1 }, usize::MAX])]
fn constant_expressions<const N: usize>() -> usize {
    N
}

#[perf_test(consts = [sizes::UP, !sizes::UP], types = [u8])]
fn a_constant_expression_after_a_type<T: Default, const UP: bool>() -> (T, bool) {
    (T::default(), UP)
}

mod sizes {
    pub(crate) const BLOCK: usize = 64;
    pub(crate) const UP: bool = true;
}

#[perf_test(types = [String, Box<str>], args = ["three", "four"])]
fn converted<T: for<'a> From<&'a str>>(text: &str) -> T {
    T::from(text)
}

#[perf_test(throughput = bytes(INPUT.len()))]
fn constant_work() -> usize {
    INPUT.iter().filter(|byte| **byte > 1).count()
}

/// With `args` a path would be a function, so a constant stands in braces.
#[perf_test(args = [1, 2], throughput = bytes({ WORK }))]
fn constant_work_of_each(n: usize) -> usize {
    n + WORK
}

#[perf_test(throughput = items({WORK}))]
fn constant_work_in_braces() -> usize {
    WORK
}

const WORK: usize = 64;

#[perf_test(throughput = items(4,), expert(disk_probe))]
fn prepared_work(b: &mut Bencher<'_>) {
    b.iter(|| [1_u8; 4].iter().sum::<u8>());
}

const INPUT: [u8; 64] = [0; 64];

/// Names that the expansion uses as well.
#[perf_test(args = [1], names = |value| *value, throughput = items(|value| *value))]
fn value(bencher: &mut Bencher<'_>, job: u64) {
    bencher.iter(|| job + 1);
}

mod inside {
    use super::perf_test as measured;

    #[measured(args = [1, 2])]
    fn r#match(n: u8) -> u8 {
        n
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut future = std::pin::pin!(future);
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

#[perf_test(runtime = block_on, args = [1, 2], throughput = items(|n| *n))]
async fn awaited(n: u64) -> u64 {
    std::future::ready(n).await
}

#[perf_test(runtime = block_on, args = ["a", "b"])]
async fn awaited_by_reference(text: &str) -> &str {
    std::future::ready(text).await
}

#[perf_test(runtime = block_on, args = ["a", "b"], types = [u8, u64], consts = [1, 2])]
async fn awaited_inside<T, const N: u8>(b: &mut Bencher<'_>, text: &str)
where
    T: Copy + Default,
{
    b.iter_async(async || (std::future::ready(text).await, T::default(), N)).await;
}
