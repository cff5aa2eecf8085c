//! How numbers, times and rows look.

mod alerts;
mod changes;
mod course;
mod environment;
mod fields;
mod findings;
mod histogram;
mod moment;
mod noise_floor;
mod notes;
mod power;
mod progress;
mod ranking;
mod rate;
mod ratio;
mod sparkline;
mod table;
mod verdict;

pub(crate) use alerts::{alert_as_json, alert_table, check_as_json, write_folded};
pub(crate) use changes::{LISTED, changes_as_json, write_changes, write_course};
pub(crate) use course::Course;
pub(crate) use environment::environment_as_json;
pub(crate) use fields::extend;
pub(crate) use findings::write_findings;
pub(crate) use histogram::Histogram;
pub(crate) use moment::{deadline, end_of, local_minute};
pub(crate) use noise_floor::{noise_floor_as_json, write_noise_floor};
pub(crate) use power::{power_as_json, power_table};
pub(crate) use progress::{progress, tell};
pub(crate) use ranking::{Ranked, ranking_as_json, write_ranking};
pub(crate) use rate::rate;
pub(crate) use ratio::{ratio, ratio_range};
pub(crate) use sparkline::sparkline;
pub(crate) use table::Table;
pub(crate) use verdict::{center, short_commit, verdict};
