//! Which commit of a line made one test slower: `Bisection` of `perftest-analysis` asks, pairs of fresh processes
//! answer.

mod conclusion;
mod history;
mod line;
mod probe;
mod search;

pub(crate) use conclusion::Conclusion;
pub(crate) use history::suspected;
pub(crate) use line::{Commit, Line};
pub(crate) use probe::Probe;
pub(crate) use search::Search;
