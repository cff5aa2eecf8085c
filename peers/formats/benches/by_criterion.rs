//! A group with parameters and a single function, for the directory that criterion writes.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

fn all(c: &mut Criterion) {
    let mut group = c.benchmark_group("sum");
    for count in [100_u64, 1000] {
        group.bench_with_input(BenchmarkId::new("of range", count), &count, |b, count| {
            b.iter(|| (0..black_box(*count)).map(black_box).sum::<u64>());
        });
    }
    group.finish();
    c.bench_function("single", |b| b.iter(|| (0..black_box(50_u64)).map(black_box).max()));
}

criterion_group!(benches, all);
criterion_main!(benches);
