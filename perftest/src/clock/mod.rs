//! Reading time between which code runs: small, fenced, and nothing else.

#![allow(unsafe_code)] // The fences and counters of `tsc`; each block argues its case.

mod calibration;
mod monotonic;
#[cfg(target_arch = "x86_64")]
mod tsc;

pub(crate) use calibration::{Clock, ClockKind};
