//! How numbers, times and rows look.

mod findings;
mod moment;
mod sparkline;
mod table;
mod verdict;

pub(crate) use findings::write_findings;
pub(crate) use moment::{deadline, end_of, local_minute};
pub(crate) use sparkline::sparkline;
pub(crate) use table::Table;
pub(crate) use verdict::{center, short_commit, verdict};
