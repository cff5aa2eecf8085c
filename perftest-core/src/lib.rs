//! Measurements, their statistics, and the verdict.
//!
//! The core is pure: numbers in, verdict out. It never reads the time, a file or the environment,
//! and never starts a thread, prints or serialises; `clippy.toml` beside this crate enforces most
//! of that. It has no dependencies.
//!
//! What only the tool calls is `#[inline]`: who does not call such a function does not compile it.
//!
//! * [`model`]: the nouns (measurement, run, history, baseline, environment, evidence).
//! * [`stats`]: estimators and bounds for the judge, over validated samples, one a file.
//! * [`words`]: formatting of numbers and verdicts, the same everywhere.
//! * [`fields`]: a verdict's data as keys and values, for records and programs.
//! * [`named!`]: enums whose variants have names.
//! * [`order`]: sorting that is compiled once for all kinds of items.
//! * [`rounding`]: numbers with so many significant digits.
//! * [`text`]: searching and dividing texts, compiled once.
//! * [`judge`]: [`judge::Trial`] requests measurements and ends in a verdict.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_types)]
#![deny(clippy::disallowed_methods)]

pub mod fields;
pub mod judge;
pub mod list;
pub mod model;
mod named;
pub mod order;
pub mod rounding;
pub mod stats;
pub mod text;
pub mod words;
