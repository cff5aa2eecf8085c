//! A future that is never awaited.
use perftest::{Bencher, perf_test};
use std::future::{Future, Ready, ready};

async fn fetched() -> u64 {
    1
}

async fn fetched_by(n: u64) -> u64 {
    n
}

async fn prepared(b: &mut Bencher<'_>) {
    b.iter(|| 1);
}

#[perf_test(versus = fetched)]
fn computed() -> u64 {
    1
}

#[perf_test(args = [1, 2], versus = fetched_by)]
fn computed_by(n: u64) -> u64 {
    n
}

#[perf_test(versus = prepared)]
fn prepares(b: &mut Bencher) {
    b.iter(|| 1);
}

#[perf_test]
fn makes_a_future() -> Ready<u64> {
    ready(1)
}

#[perf_test(threads = [2])]
fn makes_an_async_block() -> impl Future<Output = u64> {
    async { 1 }
}
