//! A future as the output of a measured closure.

use perftest::{Bencher, ThreadBencher, black_box, perf_test};
use std::future::{Future, ready};

async fn fetched() -> u64 {
    1
}

#[perf_test]
fn block(b: &mut Bencher) {
    b.iter(|| async { 1 });
}

#[perf_test]
fn async_closure(b: &mut Bencher) {
    b.iter(async || 2);
}

#[perf_test(runtime = on_this_thread)]
async fn call(b: &mut Bencher) {
    b.iter(|| fetched());
}

#[perf_test]
fn stages(b: &mut Bencher) {
    b.iter_stages(|_| async { 4 });
}

#[perf_test]
fn input(b: &mut Bencher) {
    b.with_setup(|| 5).iter(|n| async move { n });
}

#[perf_test]
fn input_and_stages(b: &mut Bencher) {
    b.with_inputs(|i| i).iter_stages(|n, _| async move { n + 6 });
}

#[perf_test]
fn in_place(b: &mut Bencher) {
    b.with_setup(|| 7).iter_mut(|n| ready(*n));
}

#[perf_test]
fn teardown(b: &mut Bencher) {
    b.with_setup(|| 8).with_teardown(drop).iter_mut(|n| Box::pin(ready(*n)));
}

#[perf_test(threads = [2])]
fn threads(b: &mut ThreadBencher) {
    b.iter(|| async { 9 });
}

#[perf_test(threads = [2])]
fn input_of_threads(b: &mut ThreadBencher) {
    b.with_setup(|| 10).iter(|n| async move { n });
}

#[perf_test(threads = [2])]
fn in_place_of_threads(b: &mut ThreadBencher) {
    b.with_setup(|| 11).iter_mut(|n| ready(*n));
}

#[perf_test(runtime = on_this_thread)]
async fn second_future(b: &mut Bencher) {
    b.iter_async(async || fetched()).await;
}

#[perf_test(runtime = on_this_thread)]
async fn second_future_of_an_input(b: &mut Bencher) {
    b.with_setup(|| 13).iter_async(async |n| ready(n)).await;
}

fn on_this_thread<F: Future>(future: F) -> F::Output {
    black_box(future);
    unimplemented!()
}
