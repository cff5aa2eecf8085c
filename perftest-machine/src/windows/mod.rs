//! The readers for Windows: pure readers of the system's values, and thin openers that exist on
//! Windows only.

mod answers;
mod counters;
mod power_scheme;
mod power_status;
mod processor_power;
mod thermal_zones;

#[cfg(windows)]
mod pdh;
#[cfg(windows)]
mod power_calls;
#[cfg(windows)]
mod sensors;

#[cfg(test)]
mod fixture_tests;

#[cfg(windows)]
pub use sensors::Sensors;
#[cfg(windows)]
pub(super) use sensors::complete;
