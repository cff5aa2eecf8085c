//! Several threads, and comparisons with a function, where nothing is allowed.
#![forbid(unsafe_code, unused, nonstandard_style)]
#![deny(warnings, missing_docs, unreachable_pub, rust_2018_idioms)]
#![deny(unused_qualifications, unused_results)]

use perftest::{Bencher, ThreadBencher, perf_test};
use std::num::ParseIntError;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

static TOTAL: AtomicU64 = AtomicU64::new(0);

/// The whole body.
#[perf_test(threads = [1, 4])]
fn add() -> u64 {
    TOTAL.fetch_add(1, Ordering::Relaxed)
}

#[perf_test(threads = [2], tolerance = "20%", throughput = items(1))]
fn push(b: &mut ThreadBencher<'_, '_>) {
    let values = Mutex::new(Vec::with_capacity(b.threads()));
    b.iter(|| values.lock().map(|mut values| (values.pop(), values.push(1))).is_ok());
}

#[perf_test(threads = [1, 2], args = ["1", "123456789"], throughput = bytes(|text| text.len()))]
fn parse(text: &str) -> Result<u64, ParseIntError> {
    text.parse()
}

#[perf_test(threads = [1, 2], args = [vec![1_u8], Vec::new()], names = Vec::len)]
fn consumed(values: Vec<u8>) -> Vec<u8> {
    values
}

#[perf_test(threads = [1, 2])]
fn fed(b: &mut ThreadBencher<'_, '_>) {
    b.with_inputs(Rc::<u64>::new).iter(|input| input);
}

#[perf_test(threads = [1, 2], types = [u8, u16], consts = [1, 2], args = [3])]
#[ignore = "why"]
fn all_at_once<T, const N: usize>(b: &mut ThreadBencher<'_, '_>, n: usize)
where
    T: Default + Copy,
{
    b.with_inputs(|call| call).iter(|call| (call, [T::default(); N], n));
}

#[perf_test(threads = [1, 2])]
fn in_place(b: &mut ThreadBencher<'_, '_>) -> Result<u8, ParseIntError> {
    b.with_setup(|| vec![2_u8, 1]).iter_mut(|values| values.sort_unstable());
    "1".parse()
}

fn by_folding() -> u64 {
    (0..100).sum()
}

#[perf_test(versus = by_folding)]
fn by_formula() -> u64 {
    100 * 99 / 2
}

mod other {
    pub(crate) fn counted(n: u64) -> u32 {
        (0..64).map(|bit| u32::from((n >> bit) & 1 == 1)).sum()
    }

    pub(crate) fn collect<T: FromIterator<u8>, const N: usize>() -> T {
        std::iter::repeat_n(7, N).collect()
    }
}

#[perf_test(args = [1, u64::MAX], names = |n| format!("{n:x}"), versus = other::counted, throughput = items(1))]
fn counted(n: u64) -> u32 {
    n.count_ones()
}

#[perf_test(types = [Vec<u8>, Box<[u8]>], consts = [16, 256], versus = self::other::collect)]
fn collect<T: FromIterator<u8>, const N: usize>() -> T {
    (0..N).map(|_| 7).collect()
}

#[perf_test(versus = counted_by_a_loop)]
fn counted_anew(b: &mut Bencher<'_>) {
    b.with_inputs(u64::wrapping_neg).iter(u64::count_ones);
}

fn counted_by_a_loop(b: &mut Bencher<'_>) {
    b.with_inputs(u64::wrapping_neg).iter(other::counted);
}

fn sorted_by_key(b: &mut Bencher<'_>, n: u32) {
    b.with_setup(|| (0..n).rev().collect::<Vec<u32>>()).iter_mut(|it| it.sort_by_key(|n| *n));
}

#[perf_test(args = [10, 1_000], versus = sorted_by_key, tolerance = "10%", budget = "1s")]
fn sorted(b: &mut Bencher<'_>, n: u32) -> Result<u8, ParseIntError> {
    b.with_setup(|| (0..n).rev().collect::<Vec<u32>>()).iter_mut(|it| it.sort_unstable());
    "1".parse()
}

fn with_a_lock(b: &mut ThreadBencher<'_, '_>) {
    let total = Mutex::new(0);
    b.iter(|| total.lock().map(|mut total| *total += 1).is_ok());
}

#[perf_test(threads = [1, 2], versus = with_a_lock)]
fn without_a_lock(b: &mut ThreadBencher<'_, '_>) {
    let total = AtomicU64::new(0);
    b.iter(|| total.fetch_add(1, Ordering::Relaxed));
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

async fn at_once(n: u64) -> u64 {
    std::future::ready(n).await
}

#[perf_test(runtime = block_on, args = [1, 2], versus = at_once)]
async fn awaited(n: u64) -> u64 {
    std::future::ready(std::future::ready(n).await).await
}
