//! The performance tests of the examples: one for each subject, in the forms a perf test can have.
//!
//! `cargo test --release -p perftest-examples --test perf`

use flate2::Compression;
use perftest::{Bencher, black_box, perf_test};
use perftest_examples::seeded::Seeded;
use perftest_examples::slowdown::{Calls, Slowdown};
use perftest_examples::{
    compress, hash, json, ordered_map, parallel, ping_pong, regex_search, scheduler, shared_sum,
    sort, timestamp, word_count, word_index,
};
use std::io;
use std::sync::LazyLock;

/// The whole body is measured; the input is prepared at the first call.
#[perf_test]
fn hash() -> [u8; 32] {
    static PAGES: LazyLock<Vec<&str>> = LazyLock::new(|| hash::input(Slowdown::of("hash")));
    hash::sha256(&PAGES)
}

/// An `Err` fails the test: nothing is learned from the speed of a wrong answer.
#[perf_test]
fn json() -> serde_json::Result<Vec<String>> {
    static DOCUMENTS: LazyLock<Vec<String>> = LazyLock::new(|| json::input(Slowdown::of("json")));
    json::compressible(&DOCUMENTS)
}

/// The body is set-up; what is given to `iter` is measured.
#[perf_test]
fn regex_search(b: &mut Bencher) -> Result<(), regex::Error> {
    let pattern = regex_search::pattern()?;
    let pages = regex_search::input(Slowdown::of("regex_search"));
    b.iter(|| regex_search::speeches(&pattern, black_box(&pages)));
    Ok(())
}

/// Sorting sorted lists is another task: each iteration has lists of its own, in random order.
#[perf_test]
fn sort(b: &mut Bencher) {
    let factor = Slowdown::of("sort");
    let mut seeded = Seeded::new(1);
    b.with_setup(|| sort::input(factor, &mut seeded)).iter(|mut lists| {
        sort::sort_each(&mut lists);
        lists
    });
}

/// Each iteration has keys of its own: those of a map that was filled before go in more than twice
/// as fast, because the processor foresees where.
#[perf_test]
fn ordered_map(b: &mut Bencher) {
    b.with_inputs(fresh_keys).iter(ordered_map::places);
}

fn fresh_keys(i: u64) -> Vec<u64> {
    ordered_map::input(Slowdown::of("ordered_map"), i)
}

/// Fresh delays for each iteration: a sequence met before is one the processor foresees.
#[perf_test]
fn scheduler(b: &mut Bencher) {
    let factor = Slowdown::of("scheduler");
    let mut seeded = Seeded::new(1);
    b.with_setup(|| scheduler::input(factor, &mut seeded)).iter(|(mut scheduler, delays_ms)| {
        let last_ms = scheduler.run_all(&delays_ms);
        (last_ms, scheduler, delays_ms)
    });
}

/// Some tens of nanoseconds, on other time stamps at each call.
#[perf_test]
fn timestamp(b: &mut Bencher) {
    let stamps = timestamp::input(256);
    let mut pairs = stamps.windows(2).cycle();
    let mut calls = Calls::new(Slowdown::of("timestamp"));
    b.iter(|| {
        calls.make(|| pairs.next().map(|pair| timestamp::millis_between(&pair[0], &pair[1])))
    });
}

/// Many small allocations, and their release, which is part of the work.
#[perf_test]
fn word_count(b: &mut Bencher) {
    let pages = word_count::input(Slowdown::of("word_count"));
    b.iter(|| word_count::favourites(black_box(&pages)));
}

/// Two threads, and starting them: less steady than one thread, so it tolerates more.
#[perf_test(tolerance = "10%")]
fn parallel(b: &mut Bencher) {
    let pages = parallel::input(Slowdown::of("parallel"));
    b.iter(|| parallel::count_words(black_box(&pages)));
}

/// Two threads that wait for each other: nearly all of the time is the system's.
#[perf_test]
fn ping_pong(b: &mut Bencher) {
    let turns = ping_pong::input(Slowdown::of("ping_pong"));
    b.iter(|| ping_pong::play(black_box(turns)));
}

/// The threads are rayon's, and live as long as the process.
#[perf_test]
fn shared_sum(b: &mut Bencher) {
    let pages = shared_sum::input(Slowdown::of("shared_sum"));
    b.iter(|| shared_sum::squares(black_box(&pages)));
}

/// The keys that a `HashMap` hashes by are others in each process.
#[perf_test]
fn word_index(b: &mut Bencher) {
    let pages = word_index::input(Slowdown::of("word_index"));
    b.iter(|| word_index::repetitions(black_box(&pages)));
}

/// The poem twice, some twenty milliseconds: a few measurements must do, and they may take a while.
#[perf_test(tolerance = "10%", budget = "2s")]
fn compress(b: &mut Bencher) {
    let blocks = compress::input(2.0 * Slowdown::of("compress"));
    b.iter(|| compress::compress(black_box(&blocks), Compression::default()));
}

/// A fallible set-up: the blocks have to be compressed before they can be read.
#[perf_test]
fn decompress(b: &mut Bencher) -> io::Result<()> {
    let blocks = compress::input(Slowdown::of("decompress"));
    let blocks = compress::compress(&blocks, Compression::default())?;
    b.iter(|| compress::decompress(black_box(&blocks)));
    Ok(())
}

/// The poem twenty times. Run only when asked for, with `-- --ignored`.
#[perf_test(budget = "10s")]
#[ignore = "takes seconds; for the days before a release"]
fn compress_archive(b: &mut Bencher) {
    let blocks = compress::input(20.0 * Slowdown::of("compress"));
    b.iter(|| compress::compress(black_box(&blocks), Compression::default()));
}

perftest::main!();
