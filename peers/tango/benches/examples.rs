//! The functions that `examples/tests/perf.rs` of our own workspace tests, by the same names, as
//! benchmarks of tango. Slowed down by the same variable, when the examples are built.
//!
//! Where a function spends its input, ours get a fresh one from a set-up that is not measured. Tango
//! has none: the input is made in the measured part here, and a slowdown makes as much more of it.

use flate2::Compression;
use perftest_examples::seeded::Seeded;
use perftest_examples::slowdown::{Calls, Slowdown};
use perftest_examples::{
    compress, hash, json, ordered_map, parallel, ping_pong, regex_search, scheduler, shared_sum,
    sort, timestamp, word_count, word_index,
};
use std::hint::black_box;
use tango_bench::{Benchmark, IntoBenchmarks, benchmark_fn, tango_benchmarks};

fn with_a_fixed_input() -> impl IntoBenchmarks {
    [
        benchmark_fn("hash", |b| {
            let pages = hash::input(Slowdown::of("hash"));
            b.iter(move || hash::sha256(black_box(&pages)))
        }),
        benchmark_fn("json", |b| {
            let documents = json::input(Slowdown::of("json"));
            b.iter(move || json::compressible(black_box(&documents)))
        }),
        benchmark_fn("regex_search", |b| {
            let pattern = regex_search::pattern().expect("the pattern is well formed");
            let pages = regex_search::input(Slowdown::of("regex_search"));
            b.iter(move || regex_search::speeches(&pattern, black_box(&pages)))
        }),
        benchmark_fn("word_count", |b| {
            let pages = word_count::input(Slowdown::of("word_count"));
            b.iter(move || word_count::favourites(black_box(&pages)))
        }),
        benchmark_fn("parallel", |b| {
            let pages = parallel::input(Slowdown::of("parallel"));
            b.iter(move || parallel::count_words(black_box(&pages)))
        }),
        benchmark_fn("ping_pong", |b| {
            let turns = ping_pong::input(Slowdown::of("ping_pong"));
            b.iter(move || ping_pong::play(black_box(turns)))
        }),
        benchmark_fn("shared_sum", |b| {
            let pages = shared_sum::input(Slowdown::of("shared_sum"));
            b.iter(move || shared_sum::squares(black_box(&pages)))
        }),
        benchmark_fn("word_index", |b| {
            let pages = word_index::input(Slowdown::of("word_index"));
            b.iter(move || word_index::repetitions(black_box(&pages)))
        }),
        benchmark_fn("compress", |b| {
            let blocks = compress::input(2.0 * Slowdown::of("compress"));
            b.iter(move || compress::compress(black_box(&blocks), Compression::default()))
        }),
        benchmark_fn("decompress", |b| {
            let blocks = compress::input(Slowdown::of("decompress"));
            let blocks = compress::compress(&blocks, Compression::default())
                .expect("memory takes all that is written");
            b.iter(move || compress::decompress(black_box(&blocks)))
        }),
    ]
}

fn with_a_fresh_input() -> impl IntoBenchmarks {
    [sort(), ordered_map(), scheduler(), timestamp()]
}

fn sort() -> Benchmark {
    benchmark_fn("sort", |b| {
        let factor = Slowdown::of("sort");
        let mut seeded = Seeded::new(b.seed);
        b.iter(move || {
            let mut lists = sort::input(factor, &mut seeded);
            sort::sort_each(&mut lists);
            lists
        })
    })
}

fn ordered_map() -> Benchmark {
    benchmark_fn("ordered_map", |b| {
        let factor = Slowdown::of("ordered_map");
        let mut calls = b.seed;
        b.iter(move || {
            calls = calls.wrapping_add(1);
            ordered_map::places(ordered_map::input(factor, calls))
        })
    })
}

fn scheduler() -> Benchmark {
    benchmark_fn("scheduler", |b| {
        let factor = Slowdown::of("scheduler");
        let mut seeded = Seeded::new(b.seed);
        b.iter(move || {
            let (mut scheduler, delays_ms) = scheduler::input(factor, &mut seeded);
            let last_ms = scheduler.run_all(&delays_ms);
            (last_ms, scheduler)
        })
    })
}

fn timestamp() -> Benchmark {
    benchmark_fn("timestamp", |b| {
        let stamps = timestamp::input(256);
        let mut pairs = 0;
        let mut calls = Calls::new(Slowdown::of("timestamp"));
        b.iter(move || {
            calls.make(|| {
                pairs = (pairs + 1) % (stamps.len() - 1);
                timestamp::millis_between(&stamps[pairs], &stamps[pairs + 1])
            })
        })
    })
}

tango_benchmarks!(with_a_fixed_input(), with_a_fresh_input());
