//! Two revisions side by side: each is checked out and built in a place of its own, and their tests
//! are measured in pairs of fresh processes.

mod against_itself;
mod alignment;
mod answer;
mod build;
mod builder;
mod git;
mod measurer;
mod place;
mod revision;
mod seed;
mod side_tests;

pub(crate) use against_itself::{AgainstItself, Subject};
pub(crate) use answer::{Answer, Conclusion, Finding, Names, ratio_in_words};
pub(crate) use builder::Builder;
pub(crate) use git::Repository;
pub(crate) use measurer::Measurer;
pub(crate) use place::{Place, Slot};
pub(crate) use revision::Revision;
pub(crate) use side_tests::{CodeCheck, Matched, SideTest, SideTests, match_up};
