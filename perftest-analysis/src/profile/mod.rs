//! Profiles: where the time of a program goes, and how two profiles differ.
//!
//! A [`ProfileReader`] takes the lines of a file that a profiler wrote and makes a [`Profile`] of them: a
//! tree of stacks with the weight of each. A [`ProfileUnion`] has both profiles of a comparison in one tree.
//! [`FunctionChange`] sums a function over all branches, [`ShareChange`] and [`TimeChange`] have the uncertainty
//! of a difference, and [`DifferenceCause`] has the functions that explain most of it.
//! [`IterationClasses`] has the weights of slow iterations apart from those of fast ones. Names come from the files; [`frame_name`] makes them the same in two builds.

mod builder;
mod difference_cause;
mod error;
mod folded;
mod format;
mod frame_name;
mod functions;
mod gdb;
mod iteration_classes;
mod iteration_time;
mod notes;
mod perf_script;
mod reader;
mod sampled_profile;
mod share;
mod tree;
mod union;

pub use builder::ProfileBuilder;
pub use difference_cause::DifferenceCause;
pub use error::ProfileError;
pub use folded::write_folded_with_remarks;
pub use format::ProfileFormat;
pub use frame_name::{crate_name, frame_name};
pub use functions::{FunctionChange, FunctionWeights, culprit_threshold, function_weights};
pub use iteration_classes::{ClassWeight, IterationClass, IterationClasses};
pub use iteration_time::{IterationTime, SampledTime, TimeChange};
pub use notes::ProfileNotes;
pub use reader::ProfileReader;
pub use sampled_profile::Profile;
pub use share::{SampledShare, ShareChange, share_interval};
pub use tree::{StackFrame, StackTree, Weights};
pub use union::{ProfileUnion, UnionSide};

use folded::FoldedLines;
use frame_name::is_cut;
use gdb::GdbLines;
use perf_script::PerfLines;
use reader::{LineResult, StackLines};
use tree::{GrowingTree, ROOT};
