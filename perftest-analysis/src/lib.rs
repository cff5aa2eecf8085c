//! What a history, or any series of numbers, says when it is read.
//!
//! `perftest-core` has what decides while a test runs; this crate has what is asked afterwards, of
//! numbers that are already there. Only the tool uses it: who writes a perf test does not compile it.
//! It is as pure as the core: no clock, file, environment, thread, print or serialisation
//! (`clippy.toml` beside this crate), no dependency but the core and `pragmastat`.
//!
//! * [`stats`]: estimators and bounds that the judge does without, one a file.
//! * [`detect`]: questions about a series over time, one detector a file.
//! * [`thresholds`]: limits and rules of others on a history, and the life of an alert.
//! * [`verdicts`]: what many verdicts say together.
//! * [`words`]: plain words for all of them.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_types)]
#![deny(clippy::disallowed_methods)]

pub mod detect;
pub mod stats;
pub mod thresholds;
pub mod verdicts;
pub mod words;
