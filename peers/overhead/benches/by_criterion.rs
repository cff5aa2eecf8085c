//! The functions under criterion, with its defaults.

use criterion::{Criterion, criterion_group, criterion_main};
use peer_overhead as functions;

fn all(c: &mut Criterion) {
    c.bench_function("empty", |b| b.iter(functions::empty));
    c.bench_function("independent", |b| b.iter(functions::independent));
    c.bench_function("about_1_ns", |b| b.iter(functions::about_1_ns));
    c.bench_function("about_50_ns", |b| b.iter(functions::about_50_ns));
    c.bench_function("about_1_us", |b| b.iter(functions::about_1_us));
}

criterion_group!(benches, all);
criterion_main!(benches);
