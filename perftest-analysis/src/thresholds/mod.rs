//! Limits and rules of other tools on a history, and the life of an alert. One rule a file.
//!
//! Our own verdicts come from [`judge`](perftest_core::judge). These rules are for users who know
//! them from other tools, and for histories without our measurements.

mod alarm_row;
mod alert;
mod alert_life;
mod alert_replay;
mod boundaries;
mod clickhouse;
mod compat;
mod criterion;
mod findings;
mod history_summary;
mod ignored_name;
mod limits;
mod past_values;
mod quartiles;
mod rule;
mod significance;
mod student_quantiles;
mod threshold;
mod threshold_test;
mod timeline;

pub use alert::{Alert, AlertAcknowledgement, AlertState, Opening};
pub use alert_life::{AlertChange, AlertLife};
pub use alert_replay::{AlertReplay, JudgedRun};
pub use boundaries::Boundaries;
pub use clickhouse::{ClickHouse, ClickHouseAnswer, ClickHouseDecision};
pub use compat::Compat;
pub use criterion::{Criterion, JudgedValue};
pub use history_summary::{HistorySummary, LogSummary};
pub use ignored_name::IgnoredName;
pub use past_values::{PastValue, PastValues};
pub use quartiles::Quartiles;
pub use rule::Rule;
pub use significance::SignificanceTest;
pub use threshold::{Threshold, ThresholdError};
pub use threshold_test::ThresholdTest;
pub use timeline::{ExclusionReason, RunValue, Timeline};
