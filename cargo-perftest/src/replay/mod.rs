//! Recorded runs judged again: how often would these settings have been red?

mod decision;
mod draw;
mod figures;
mod replayed;
mod source;
mod tape;
mod workload;

pub(crate) use figures::Figures;
pub(crate) use replayed::{Replayed, Settings};
pub(crate) use source::{Source, read};
pub(crate) use workload::Workload;
