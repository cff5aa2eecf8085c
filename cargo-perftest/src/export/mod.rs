//! A session, or the history, in the formats of other programs. Each file takes what was read and makes
//! a text; nothing here reads or writes.

mod annotations;
mod bmf;
mod comment;
mod csv;
mod jsonl;
mod junit;
mod libtest;
mod markdown;
mod open_metrics;
mod report_text;
mod skia;

pub(crate) use annotations::annotations;
pub(crate) use bmf::bmf;
pub(crate) use comment::{comment, comment_of};
pub(crate) use csv::{CsvColumn, CsvTable};
pub(crate) use jsonl::jsonl;
pub(crate) use junit::junit;
pub(crate) use libtest::libtest;
pub(crate) use markdown::{LARGEST_SUMMARY, markdown};
pub(crate) use open_metrics::open_metrics;
pub(crate) use skia::skia;
