//! Real crates at work on real input, each as a small function worth measuring.
//!
//! The performance tests are in `tests/perf.rs`, except that of the private function in
//! [`spelling`], which stands beside it in `src/`. Run them with
//! `cargo test --release -p perftest-examples`.
//!
//! Every subject is a module with the work itself and, where there is one, an `input(factor)`
//! that prepares `factor` times the usual amount of it. The factor is 1 unless the package was
//! built with the environment variable `EXAMPLES_SLOWDOWN`: see [`slowdown`].
//!
//! | module | work | about |
//! |---|---|---|
//! | [`timestamp`] | two time stamps parsed and subtracted | 40 ns |
//! | [`hash`] | SHA-256 of a novel | 80 us |
//! | [`spelling`] | edit distances of 2,000 pairs of words, a private function | 140 us |
//! | [`ordered_map`] | 3,000 keys inserted into a `BTreeMap` | 190 us |
//! | [`regex_search`] | direct speech found in a novel | 230 us |
//! | [`json`] | a catalogue of 2,522 entries parsed | 0.8 ms |
//! | [`shared_sum`] | lengths of words summed by rayon | 1 to 2 ms |
//! | [`scheduler`] | 10,000 events through a `BTreeMap` of 1,000 tasks | 1 ms |
//! | [`sort`] | the words of 91 pages sorted | 1 ms |
//! | [`word_index`] | hash maps of the places of words, filled and asked | 2 ms |
//! | [`ping_pong`] | a turn handed from thread to thread 200 times | 1 to 2 ms |
//! | [`word_count`] | frequency tables of owned strings | 3 ms |
//! | [`parallel`] | words counted by two threads | 2 to 4 ms |
//! | [`compress`] | an epic deflated in blocks, and inflated | 10 ms, 2 ms |
#![forbid(unsafe_code)]

pub mod compress;
pub mod data;
pub mod hash;
pub mod json;
pub mod ordered_map;
pub mod parallel;
pub mod ping_pong;
pub mod regex_search;
pub mod scheduler;
pub mod seeded;
pub mod shared_sum;
pub mod slowdown;
pub mod sort;
pub mod spelling;
pub mod timestamp;
pub mod word_count;
pub mod word_index;
