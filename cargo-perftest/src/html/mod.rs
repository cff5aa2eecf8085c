//! The report as one HTML file: pure, from a document to the text of a page.
//!
//! A page asks no server for anything. The data of each test is a JSON block of its own, which the page parses
//! when the test is opened.

mod columns;
mod comparison;
mod content_policy;
mod document;
mod epochs;
mod escape;
mod last_baseline;
mod overview;
mod page;
mod quantile_grids;
mod runs;
mod section;
mod test_data;

pub(crate) use content_policy::content_policy;
pub(crate) use document::{ReportDocument, ReportEntry};
pub(crate) use epochs::{EpochMark, epoch_words};
pub(crate) use escape::{for_markup, for_script};
pub(crate) use last_baseline::LastBaseline;
pub(crate) use overview::{COURSE, OverviewRow};
pub(crate) use page::write_page;
pub(crate) use quantile_grids::QuantileGrids;
pub(crate) use section::Section;
pub(crate) use test_data::{KeptProfile, TestHistory, test_data};

use columns::{column, digits, indexed};
use comparison::comparison_as_json;
use overview::overview_as_json;
use runs::{readable_commit, runs_as_json};
