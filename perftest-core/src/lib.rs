//! What a measurement is and what it means.
//!
//! The core has no outside world: numbers in, verdict out. It never asks the time, opens a
//! file, reads the environment, starts a thread, prints or serialises; `clippy.toml` beside
//! this crate enforces most of it. Its only dependency is `pragmastat`.
//!
//! * [`model`]: the nouns (measurement, run, history, baseline, environment, evidence).
//! * [`stats`]: estimators and bounds over validated samples, one a file.
//! * [`detect`]: questions about a series over time, one detector a file.
//! * [`thresholds`]: limits and rules of others on a history, and the life of an alert.
//! * [`words`]: the same plain words for numbers and verdicts everywhere.
//! * [`judge`]: the decider, [`judge::Trial`], that asks for measurements and ends in a verdict.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_types)]
#![deny(clippy::disallowed_methods)]

pub mod detect;
pub mod judge;
pub mod model;
pub mod stats;
pub mod thresholds;
pub mod words;
