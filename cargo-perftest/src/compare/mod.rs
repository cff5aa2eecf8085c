//! Two revisions side by side: each is checked out and built in its own directory, unless both were
//! built before. Their tests are measured in pairs of fresh processes.

mod against_itself;
mod alignment;
mod baseline_progress;
mod baseline_recorder;
mod build;
mod build_scripts;
mod builder;
mod cargo_runner;
mod code_check;
mod compare_answer;
mod compare_conclusion;
mod compare_directory;
mod counting;
mod data_files;
mod executable_pair;
mod job_report;
mod left_out_targets;
mod library_path;
mod measurer;
mod noise_floor;
mod not_measured;
mod package_variables;
mod report;
mod revision;
mod session;
mod settled_by;
mod side_names;
mod side_tests;
mod sides;
mod test_comparison;
mod toolchain_file;

pub(crate) use against_itself::{AgainstItself, SelfComparison};
pub(crate) use baseline_progress::BaselineProgress;
pub(crate) use baseline_recorder::BaselineRecorder;
pub(crate) use build::{Executable, build_in_place, executables_in, messages};
pub(crate) use builder::{Builder, announce_first_build};
pub(crate) use code_check::CodeCheck;
pub(crate) use compare_conclusion::CompareConclusion;
pub(crate) use compare_directory::CompareDirectory;
pub(crate) use counting::Counting;
pub(crate) use executable_pair::tests_of_executables;
pub(crate) use job_report::{add_to_summary, annotations};
pub(crate) use left_out_targets::select_beside_left_out;
pub(crate) use measurer::Measurer;
#[cfg_attr(not(all(feature = "profiler", target_os = "linux")), allow(unused_imports))]
pub(crate) use measurer::{measuring_lock, worker_command};
pub(crate) use noise_floor::{noise_floor_as_json, write_noise_floor};
pub(crate) use report::{answers_as_markdown, write_answers};
pub(crate) use revision::SourceRevision;
pub(crate) use session::CompareSession;
pub(crate) use side_names::SideNames;
pub(crate) use side_tests::{MatchedTest, SideTest, SideTests, performance_test};
pub(crate) use sides::Sides;
pub(crate) use test_comparison::{CompareStatus, TestComparison, ratio_in_words};

use code_check::SameCode;
use compare_answer::CompareAnswer;
use compare_directory::SideDirectory;
use data_files::DataFiles;
use not_measured::NotMeasured;
use side_tests::match_chosen;
