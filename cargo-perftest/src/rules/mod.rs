//! Rules on histories in `perftest.toml`.
//!
//! The harness reads the same file with a smaller parser, which compiles faster and supports less
//! of TOML. It skips the tables of this module, and this module skips the tables of the harness.
//! Text that the smaller parser cannot read is an error here too, because every test would fail.

mod criterion;
mod entries;
mod file;
mod pattern;
mod suppression;
mod threshold;

pub(crate) use file::RulesFile;
pub(crate) use pattern::NamePattern;
pub(crate) use suppression::Suppression;
#[cfg(test)]
use threshold::FailOn;
pub(crate) use threshold::{ThresholdRule, is_worse};

use entries::{Entries, RulesText};
use pattern::is_for_test;
