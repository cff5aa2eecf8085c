//! Real crates at work on real input, each as a small function worth measuring.
//!
//! The performance tests are in `tests/perf.rs`, except that of the private function in
//! [`spelling`], which stands beside it in `src/`. Run them with
//! `cargo test --release -p perftest-examples`.
//!
//! Every subject is a module with the work itself and, where there is one, an `input(factor)`
//! that prepares `factor` times the usual amount of it. The factor is 1 unless the environment
//! variable `EXAMPLES_SLOWDOWN` says otherwise: see [`slowdown`].
//!
//! | module | crate | work | about |
//! |---|---|---|---|
#![forbid(unsafe_code)]

pub mod compress;
pub mod data;
pub mod hash;
pub mod json;
pub mod parallel;
pub mod regex_search;
pub mod scheduler;
pub mod seeded;
pub mod slowdown;
pub mod sort;
pub mod spelling;
pub mod timestamp;
pub mod word_count;
