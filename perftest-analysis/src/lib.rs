//! Analyses of a history, or of any series of numbers.
//!
//! `perftest-core` decides while a test runs; this crate analyses numbers afterwards. Only the tool
//! uses it, so a crate with perf tests does not compile it. It is as pure as the core: no clock,
//! file, environment, thread, print or serialisation (`clippy.toml` beside this crate), no
//! dependency but the core and `pragmastat`.
//!
//! * [`profile`]: where the time of a program goes, and how two profiles differ.
//! * [`stats`]: estimators and bounds that the judge does not need, one a file.
//! * [`detect`]: change detectors for a series over time, one a file.
//! * [`thresholds`]: limits and rules of other tools on a history, and the life of an alert.
//! * [`verdicts`]: conclusions from several verdicts.
//! * [`words`]: formatting for all of them.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_types)]
#![deny(clippy::disallowed_methods)]

pub mod detect;
#[cfg(test)]
mod noise;
pub mod profile;
pub mod stats;
#[cfg(test)]
mod test_series;
pub mod thresholds;
pub mod verdicts;
pub mod words;
