//! Statistics of others, and the answers to their reference vectors. No user compiles this crate.
//!
//! `perftest-core` and `perftest-analysis` have what perftest ships. This crate has what only a comparison
//! with other tools needs: their detectors and rules, and published variants of our estimators.
//!
//! * [`batch`]: answers many cases, one JSON object a line.
//! * [`detect`]: detectors of change points of other tools, and scores of their answers.
//! * [`stats`]: published estimators that nothing shipped calls.
//! * [`thresholds`]: rules of other tools.
#![forbid(unsafe_code)]

pub mod batch;
mod case;
mod case_values;
pub mod detect;
mod op;
mod series_ref;
mod settings;
pub mod stats;
pub mod thresholds;
