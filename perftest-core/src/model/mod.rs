//! The nouns of performance testing, one a file.

mod acceptance;
mod anchor;
mod baseline;
mod baseline_rule;
mod benchmark;
mod benchmark_pattern;
mod environment;
mod evidence;
mod history;
mod instructions;
mod lineage;
mod machine_state;
mod measurement;
mod metric;
mod observation;
mod outcome;
mod reading;
mod revision;
mod run;
mod sample;
mod tag;
mod tolerance;
mod witness;
mod work;

pub use acceptance::Acceptance;
pub use anchor::Anchor;
pub use baseline::Baseline;
pub use baseline_rule::BaselineRule;
pub use benchmark::BenchmarkId;
pub use benchmark_pattern::BenchmarkPattern;
pub use environment::Environment;
pub use evidence::{Evidence, Interval};
pub use history::History;
pub use instructions::{InstructionCounter, Instructions};
pub use lineage::{Ancestor, Lineage};
pub use machine_state::{
    CoreKind, MachineState, PowerSettings, PressureState, QuotaState, ThrottleState,
};
pub use measurement::{Measurement, Probes};
pub use metric::{Direction, Metric};
pub use observation::Observation;
pub use outcome::{Outcome, Reason, Verdict};
pub use reading::Reading;
pub use revision::{CodeState, Revision};
pub use run::{Run, RunId};
pub use sample::{Sample, SampleError};
pub use tag::{Grade, Tag};
pub use tolerance::{Tolerance, ToleranceError};
pub use witness::Witness;
pub use work::{Work, WorkKind};
