//! Two revisions side by side: each is checked out and built in a place of its own, unless both were
//! built before, and their tests are measured in pairs of fresh processes.

mod against_itself;
mod alignment;
mod answer;
mod build;
mod builder;
mod counting;
mod executables;
mod git;
mod lesson;
mod measurer;
mod names;
mod place;
mod report;
mod revision;
mod seed;
mod session;
mod side_tests;
mod sides;
mod teacher;

pub(crate) use against_itself::{AgainstItself, Subject};
pub(crate) use answer::{Answer, Conclusion, Finding, ratio_in_words};
pub(crate) use build::build_in_place;
pub(crate) use builder::Builder;
pub(crate) use counting::Counting;
pub(crate) use executables::Executables;
pub(crate) use git::Repository;
pub(crate) use lesson::Lesson;
pub(crate) use measurer::Measurer;
pub(crate) use names::{Name, Names};
pub(crate) use place::{Place, Slot};
pub(crate) use report::write_answers;
pub(crate) use revision::Revision;
pub(crate) use side_tests::{CodeCheck, Matched, SideTest, SideTests, match_up, performance_test};
pub(crate) use sides::Sides;
pub(crate) use teacher::Teacher;
