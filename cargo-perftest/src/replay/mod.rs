//! Replays recorded runs with other settings: how often would they have been red?

mod decision;
mod draw;
mod playback;
mod replay_counts;
mod replay_result;
mod source;
mod workload;

pub(crate) use replay_counts::ReplayCounts;
pub(crate) use replay_result::{ReplayResult, ReplaySettings};
pub(crate) use source::{ReplaySource, read};
pub(crate) use workload::Workload;
