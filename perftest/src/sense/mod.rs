//! The state and the identity of the machine, as its system tells them.
//!
//! A sensor that cannot answer gives its reason, never an error and never a guess. Linux has
//! readers of its own, one sensor family a file; elsewhere `portable` answers what `sysinfo`
//! knows. Both give the same three types.

mod identity;
#[cfg(any(target_os = "linux", all(test, unix)))]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
mod portable;

pub(crate) use identity::MachineIdentity;
#[cfg(target_os = "linux")]
pub(crate) use linux::Sensors;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Sensors;
