//! The nouns of performance testing, one a file.

mod acceptance;
mod anchor;
mod aspect;
mod baseline;
mod baseline_rule;
mod benchmark;
mod benchmark_pattern;
mod companion;
mod environment;
mod evidence;
mod goal;
mod history;
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
mod take;
mod tolerance;
mod usage;
mod witness;

pub use acceptance::Acceptance;
pub use anchor::Anchor;
pub use aspect::Aspect;
pub use baseline::Baseline;
pub use baseline_rule::BaselineRule;
pub use benchmark::BenchmarkId;
pub use benchmark_pattern::BenchmarkPattern;
pub use companion::Companion;
pub use environment::Environment;
pub use evidence::{Evidence, Interval};
pub use goal::Goal;
pub use history::History;
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
pub use take::{ProcessValue, Recorded, StageTime, Take};
pub use tolerance::{Tolerance, ToleranceError};
pub use usage::Usage;
pub use witness::Witness;
