//! From measurements to a verdict.
//!
//! [`Trial`] decides what to measure next, and when to stop; it never measures itself. The harness,
//! a replay of recorded runs and a simulation run the same `Trial`. [`Comparison`] does the same
//! for two executables, without a history.

mod baseline_level;
mod calibration;
mod comparison;
mod comparison_policy;
mod comparison_result;
mod condition;
mod curve;
mod curve_course;
mod detection_model;
mod drift;
mod earlier_attempts;
mod expected_pairs;
mod falling_trend;
mod history_stats;
mod machine_baseline;
mod metric_changes;
mod modality;
mod mode_shares;
mod noise_floor;
mod normalisation;
mod off_cpu;
mod pair_bounds;
mod pair_plan;
mod pair_spread;
mod parallelism;
mod policy;
mod power;
mod process_pair;
mod processor_demand;
mod regimes;
mod round;
mod side;
mod step;
mod tally;
mod trial;
mod turns;

pub use comparison::{Comparison, ComparisonStep};
pub use comparison_policy::ComparisonPolicy;
pub use comparison_result::{ComparisonResult, Decile};
pub use condition::{Condition, Inspector, with_conditions};
pub use curve::Curve;
pub use curve_course::{CurvePoint, curve_course};
pub use drift::Drift;
pub use falling_trend::{falling_trend, may_become_falling_trend};
pub use machine_baseline::MachineBaseline;
pub use metric_changes::metric_changes;
pub use noise_floor::NoiseFloor;
pub use normalisation::Normalisation;
pub use pair_plan::PairPlan;
pub use policy::{Floor, Policy};
pub use power::Power;
pub use process_pair::ProcessPair;
pub use side::Side;
pub use step::{Confirmation, Pairing, Step, StepAnswer};
pub use tally::Tally;
pub use trial::Trial;
