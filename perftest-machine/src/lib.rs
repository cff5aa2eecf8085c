//! The machine under a performance test: its sensors, its identity, and the real speed of its
//! processor.
//!
//! A sensor without a value returns the reason, never an error and never a guess. Linux, macOS and
//! Windows have their own readers, one sensor family a file. macOS and Windows read the rest with
//! `sysinfo`, and other systems read everything with it. All readers return the same types.

mod counter;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cpuid;
mod epoch;
mod firmware_words;
mod identity;
#[cfg(any(target_os = "linux", all(test, unix)))]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod macos;
#[cfg(any(not(target_os = "linux"), test))]
mod portable;
mod probe;
mod sensor_answer;
mod this_machine;
#[cfg(any(windows, test))]
mod windows;

#[cfg(not(target_os = "linux"))]
pub use counter::Counter;
pub use counter::{Countable, Uncountable};
pub use epoch::Epoch;
pub use firmware_words::firmware_words;
pub use identity::MachineIdentity;
#[cfg(target_os = "linux")]
pub use linux::{Counter, Sensors};
#[cfg(target_os = "macos")]
pub use macos::Sensors;
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub use portable::Sensors;
pub use probe::{ClockProbe, DiskProbe, Speed, SpeedProbe, ThroughputProbe};
#[cfg(windows)]
pub use windows::Sensors;
