//! The nouns of performance testing, one a file.

mod acceptance;
mod baseline;
mod benchmark;
mod environment;
mod evidence;
mod history;
mod measurement;
mod metric;
mod outcome;
mod revision;
mod run;
mod sample;
mod tolerance;

pub use acceptance::Acceptance;
pub use baseline::{Baseline, BaselineRule};
pub use benchmark::BenchmarkId;
pub use environment::{Environment, MachineState, Reading, Tag};
pub use evidence::{Evidence, Interval};
pub use history::History;
pub use measurement::Measurement;
pub use metric::{Direction, Metric};
pub use outcome::{Outcome, Reason, Verdict};
pub use revision::{CodeState, Revision};
pub use run::{Run, RunId};
pub use sample::{Sample, SampleError};
pub use tolerance::{Tolerance, ToleranceError};
