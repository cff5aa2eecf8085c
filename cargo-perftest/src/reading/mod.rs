//! Histories as they are read: which runs of them, and what changed there.

mod branch;
mod changes;
mod effects;
mod moment;
mod reader;
mod stretch;
mod suspects;

pub(crate) use changes::{Changes, LastingChange, Meanwhile, suspects};
pub(crate) use reader::Reader;
pub(crate) use stretch::{LeftOut, Stretch};
pub(crate) use suspects::Suspects;

use branch::{Branch, default_branch};
use moment::Moment;

