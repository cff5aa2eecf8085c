//! Histories as they are read: which runs of them, and what changed there.

mod branch;
mod changes;
mod effects;
mod moment;
mod reader;
mod stretch;
mod taken_out;

pub(crate) use changes::{Changes, LastingChange, Meanwhile, suspects};
pub(crate) use reader::Reader;
pub(crate) use stretch::{LeftOut, Stretch};
pub(crate) use taken_out::TakenOut;

use branch::Branch;
use moment::Moment;
use taken_out::without_season;
