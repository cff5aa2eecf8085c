//! Reads histories: selects runs, and finds changes.

mod branch;
mod changes;
mod changes_table;
mod effects;
mod gone_tests;
mod idle_tests;
mod moment;
pub(crate) mod notes;
mod reader;
mod removed_season;
mod session;
mod stretch;

pub(crate) use changes::{LastingChange, StretchChanges, TemporaryEffect, suspects};
pub(crate) use changes_table::{changes_as_json, write_changes, write_course};
pub(crate) use gone_tests::gone_tests;
pub(crate) use idle_tests::idle_tests;
pub(crate) use reader::HistoryReader;
pub(crate) use removed_season::RemovedSeason;
pub(crate) use session::{SessionRun, SessionView, Standing};
pub(crate) use stretch::{ExcludedRuns, Stretch, StretchFacts};

use branch::Branch;
use moment::SoughtMoment;
use removed_season::without_season;
