//! The readers for Linux: pure parsers over text, and a [`Tree`] that opens the files below a
//! root which a test may replace.

mod absence;
mod cpu_list;
mod cpuinfo;
mod frequency;
mod identity;
mod load;
mod power;
mod process;
mod quota;
mod sensors;
mod steal;
mod temperature;
mod throttle;
mod tree;

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod fake_machine;
#[cfg(test)]
mod machine_tests;

pub(crate) use sensors::Sensors;
pub(super) use {identity::read_identity, tree::Tree};
