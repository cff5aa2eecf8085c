//! The readers for macOS: pure parsers over text and numbers, and thin openers that exist on
//! macOS only.

mod answers;
mod identity;
mod pmset;
mod pressure;
mod rusage;

#[cfg(target_os = "macos")]
mod notify;
#[cfg(target_os = "macos")]
mod sensors;
#[cfg(target_os = "macos")]
mod sysctl;

#[cfg(test)]
mod fixture_tests;

#[cfg(target_os = "macos")]
pub use sensors::Sensors;
#[cfg(target_os = "macos")]
pub(super) use sensors::complete;
