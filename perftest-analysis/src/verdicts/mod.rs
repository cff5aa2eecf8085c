//! What many verdicts say together.
//!
//! [`Bisection`] asks for comparisons of commits until one of them is found, as
//! [`Comparison`](perftest_core::judge::Comparison) asks for pairs of processes; [`TrackRecord`] says
//! how often the verdicts of a history were wrong. [`Suspects`] are the commits that a change may come from.

mod bisection;
mod suspects;
mod track_record;

pub use bisection::{Bisection, BisectionAnswer, BisectionResult, BisectionStep, Span};
pub use suspects::{NoSuspectReason, RunCode, Suspects};
pub use track_record::TrackRecord;
