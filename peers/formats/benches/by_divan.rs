//! Functions with and without parameters, throughput and allocations, for the table that divan prints.

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

#[divan::bench(args = [100, 1000])]
fn sum(bencher: Bencher, count: u64) {
    bencher
        .counter(BytesCount::new(8 * count))
        .bench_local(|| (0..black_box(count)).map(black_box).sum::<u64>());
}

#[divan::bench]
fn collect() -> Vec<u64> {
    (0..black_box(64)).collect()
}

#[divan::bench(ignore)]
fn ignored() {}

fn main() {
    divan::main();
}
