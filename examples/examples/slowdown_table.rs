//! Checks by measurement that `EXAMPLES_SLOWDOWN` has its effect: prints, for each example and
//! factor, how much longer the work takes than at factor 1.
//!
//! `cargo run --release -p perftest-examples --example slowdown_table`

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use flate2::Compression;
use perftest_examples::seeded::Seeded;
use perftest_examples::slowdown::Calls;
use perftest_examples::{
    compress, hash, json, ordered_map, parallel, ping_pong, regex_search, scheduler, shared_sum,
    sort, timestamp, word_count, word_index,
};
use std::cell::Cell;
use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

/// Factor 1 is measured twice: how far the second is from 1.00 is what the table cannot see.
const FACTORS: [f64; 7] = [1.0, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0];
const ROUNDS: usize = 60;

/// Does a piece of work and returns how long it took, in seconds.
type Work = Box<dyn FnMut() -> f64>;

fn main() -> Result<(), Box<dyn Error>> {
    print!("{:14}{:>12}", "example", "ms");
    FACTORS[1..].iter().for_each(|factor| print!("{factor:>8.2}"));
    println!();
    row("regex_search", |factor| {
        let (pattern, pages) = (regex_search::pattern()?, regex_search::input(factor));
        Ok(repeated(10, move || regex_search::speeches(&pattern, &pages)))
    })?;
    row("json", |factor| {
        let documents = json::input(factor);
        Ok(repeated(1, move || json::compressible(&documents)))
    })?;
    row("sort", |factor| {
        let mut seeded = Seeded::new(1);
        Ok(Box::new(move || {
            let mut lists = sort::input(factor, &mut seeded);
            timed(|| sort::sort_each(&mut lists))
        }))
    })?;
    row("hash", |factor| {
        let pages = hash::input(factor);
        Ok(repeated(10, move || hash::sha256(&pages)))
    })?;
    row("word_count", |factor| {
        let pages = word_count::input(factor);
        Ok(repeated(1, move || word_count::favourites(&pages)))
    })?;
    row("parallel", |factor| {
        let pages = parallel::input(factor);
        Ok(repeated(1, move || parallel::count_words(&pages)))
    })?;
    // Counted for all factors together: none uses keys that the processor has already seen from another.
    let calls = Rc::new(Cell::new(0));
    row("ordered_map", |factor| {
        let calls = Rc::clone(&calls);
        Ok(Box::new(move || {
            let keys = ordered_map::input(factor, calls.replace(calls.get() + 1));
            timed(|| ordered_map::places(keys))
        }))
    })?;
    row("scheduler", |factor| {
        let mut seeded = Seeded::new(1);
        Ok(Box::new(move || {
            let (mut scheduler, delays_ms) = scheduler::input(factor, &mut seeded);
            timed(|| scheduler.run_all(&delays_ms))
        }))
    })?;
    row("timestamp", |factor| {
        let (stamps, mut calls) = (timestamp::input(256), Calls::new(factor));
        let mut turn = 0;
        Ok(repeated(10_000, move || {
            calls.make(|| {
                turn = (turn + 1) % 255;
                timestamp::millis_between(&stamps[turn], &stamps[turn + 1])
            })
        }))
    })?;
    row("ping_pong", |factor| {
        let turns = ping_pong::input(factor);
        Ok(repeated(1, move || ping_pong::play(turns)))
    })?;
    row("shared_sum", |factor| {
        let pages = shared_sum::input(factor);
        Ok(repeated(1, move || shared_sum::squares(&pages)))
    })?;
    row("word_index", |factor| {
        let pages = word_index::input(factor);
        Ok(repeated(1, move || word_index::repetitions(&pages)))
    })?;
    row("compress", |factor| {
        let blocks = compress::input(factor);
        Ok(repeated(1, move || compress::compress(&blocks, Compression::default())))
    })?;
    row("decompress", |factor| {
        let blocks = compress::compress(&compress::input(factor), Compression::default())?;
        Ok(repeated(1, move || compress::decompress(&blocks)))
    })
}

fn repeated<T>(times: u32, mut work: impl FnMut() -> T + 'static) -> Work {
    Box::new(move || {
        timed(|| {
            for _ in 0..times {
                black_box(work());
            }
        }) / f64::from(times)
    })
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// Measures all factors in turn, round after round, so that a slow minute is slow for all; the
/// time that a fifth of its rounds stay below is what the machine does undisturbed.
fn row(
    example: &str,
    work: impl Fn(f64) -> Result<Work, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut works = FACTORS.into_iter().map(work).collect::<Result<Vec<_>, _>>()?;
    let mut times = vec![Vec::with_capacity(ROUNDS); works.len()];
    for _ in 0..ROUNDS {
        for (work, times) in works.iter_mut().zip(&mut times) {
            times.push(work());
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    let base = times[0][ROUNDS / 5];
    print!("{example:14}{:>12.6}", base * 1_000.0);
    times[1..].iter().for_each(|times| print!("{:>8.3}", times[ROUNDS / 5] / base));
    println!();
    Ok(())
}
