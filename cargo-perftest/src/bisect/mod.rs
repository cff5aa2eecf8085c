//! Which commit of a line made one test slower: `Bisection` of `perftest-analysis` asks, pairs of fresh processes
//! answer.

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
