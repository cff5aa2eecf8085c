//! The sampler: where the threads of this process are at random instants, in a pass of a worker process of its
//! own. Never inside a measurement.
//!
//! Each thread gets a timer of the kernel, whose signal copies registers and stack into a file. A thread of the
//! sampler finds other threads and counts blocked ones. The process that asked for the samples follows the
//! stacks and finds the names, so none of that is in a test binary.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod pass;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "no_pass.rs"]
mod pass;
// Elsewhere the marks are written and nothing reads them.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod state;

pub(crate) use pass::{SamplingPass, with_threads_of_cases};
pub(super) use state::StageMark;
pub(crate) use state::TagMark;
