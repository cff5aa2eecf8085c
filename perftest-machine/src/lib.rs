//! The machine under a performance test: what its sensors say, what makes it comparable with
//! others, and how fast its processor really runs.
//!
//! A sensor that cannot answer gives its reason, never an error and never a guess. Linux has
//! readers of its own, one sensor family a file; so have macOS and Windows, which leave the rest to
//! `sysinfo`; on other systems it answers alone. All give the same types.

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
pub use probe::{ClockProbe, ClockReading, DiskProbe, Speed, SpeedProbe, ThroughputProbe};
#[cfg(windows)]
pub use windows::Sensors;
