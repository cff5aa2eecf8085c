//! The search for the commit that made a test slower: `Bisection` of `perftest-analysis` selects commits, and
//! pairs of fresh processes compare them.

mod commit_line;
mod conclusion;
mod history;
mod probe;
mod search;

pub(crate) use commit_line::{Commit, CommitLine};
pub(crate) use conclusion::BisectConclusion;
pub(crate) use history::suspected;
pub(crate) use probe::BisectProbe;
pub(crate) use search::CommitSearch;
