//! Records profiles of tests.
//!
//! A worker process of the test takes samples of its own threads: registers and copies of stacks. Here the
//! stacks are followed and the functions are named. That needs large dependencies, which no test binary has.

mod kept_base;
mod kept_difference;
mod profile_store;
// Where nothing can be recorded, nobody makes one.
#[cfg_attr(not(all(feature = "profiler", target_os = "linux")), allow(dead_code))]
mod recorded_profile;
#[cfg(all(
    feature = "profiler",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod recorder;
#[cfg(not(all(
    feature = "profiler",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
#[path = "no_recorder.rs"]
mod recorder;
mod test_finder;

pub(crate) use kept_base::{KeptBase, SampledBuild, is_run_id};
pub(crate) use kept_difference::kept_difference;
pub(crate) use profile_store::ProfileStore;
pub(crate) use recorded_profile::RecordedProfile;
pub(crate) use recorder::Recorder;
pub(crate) use test_finder::{find_in_place, find_in_revisions};
