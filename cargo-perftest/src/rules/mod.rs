//! Rules on histories, as `perftest.toml` has them.
//!
//! The harness reads the same file, with a parser that weighs as little as users want to compile and knows
//! less of TOML. It knows these tables by name and passes them over, as those are passed over here that are
//! its own. What its parser cannot read is refused here, too: it would fail every test.

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
