//! How numbers, times and rows look.

mod moment;
mod sparkline;
mod table;
mod verdict;

pub(crate) use moment::{deadline, local_minute};
pub(crate) use sparkline::sparkline;
pub(crate) use table::Table;
pub(crate) use verdict::{center, short_commit, verdict};
