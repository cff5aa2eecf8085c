//! What a measurement is and what it means.
//!
//! The core has no outside world: numbers in, verdict out. It never asks the time, opens a
//! file, reads the environment, starts a thread, prints or serialises; `clippy.toml` beside
//! this crate enforces most of it. It has no dependencies.
//!
//! * [`model`]: the nouns (measurement, run, history, baseline, environment, evidence).
//! * [`stats`]: estimators and bounds that the judge needs, over validated samples, one a file.
//! * [`words`]: the same plain words for numbers and verdicts everywhere.
//! * [`fields`]: what is known of a verdict as keys and values, for records and programs.
//! * [`list`]: lists that are compiled quickly.
//! * [`order`]: sorting that is compiled once for all kinds of items.
//! * [`judge`]: the decider, [`judge::Trial`], that asks for measurements and ends in a verdict.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_types)]
#![deny(clippy::disallowed_methods)]

pub mod fields;
pub mod judge;
pub mod list;
pub mod model;
pub mod order;
pub mod stats;
pub mod words;
