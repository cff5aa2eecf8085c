//! Conclusions from several verdicts.
//!
//! [`Bisection`] requests comparisons of commits until it finds one of them, as
//! [`Comparison`](perftest_core::judge::Comparison) requests pairs of processes. [`TrackRecord`]
//! counts how often the verdicts of a history were wrong. [`Suspects`] are the commits that may
//! have caused a change.

mod bisection;
mod suspects;
mod track_record;

pub use bisection::{Bisection, BisectionAnswer, BisectionResult, BisectionStep, Span};
pub use suspects::{NoSuspectReason, RunCode, Suspects};
pub use track_record::TrackRecord;
