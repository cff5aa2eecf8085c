//! Clocks for timing a batch, with memory fences around it.

#![allow(unsafe_code)] // The fences and counters of `tsc`; each block explains its safety.

mod calibration;
mod monotonic;
#[cfg(target_arch = "x86_64")]
mod tsc;

pub(crate) use calibration::{Clock, ClockKind};
