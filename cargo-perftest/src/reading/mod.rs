//! Histories as they are read: which runs of them, and what changed there.

mod branch;
mod changes;
mod effects;
mod moment;
mod reader;
mod stretch;
mod removed_season;

pub(crate) use changes::{StretchChanges, LastingChange, TemporaryEffect, suspects};
pub(crate) use reader::HistoryReader;
pub(crate) use stretch::{ExcludedRuns, Stretch};
pub(crate) use removed_season::RemovedSeason;

use branch::Branch;
use moment::Moment;
use removed_season::without_season;
