//! Two revisions side by side: each is checked out and built in a place of its own, unless both were
//! built before, and their tests are measured in pairs of fresh processes.

mod alignment;
mod answer;
mod build;
mod git;
mod measurer;
mod place;
mod revision;
mod seed;
mod side_tests;

pub(crate) use answer::{Answer, Conclusion, Finding, Names};
pub(crate) use build::{Executable, build};
pub(crate) use git::Repository;
pub(crate) use measurer::Measurer;
pub(crate) use place::{Place, Slot};
pub(crate) use revision::Revision;
pub(crate) use side_tests::{CodeCheck, Matched, SideTest, SideTests, match_up};
