//! The readers for Linux: pure parsers over text, and a [`Tree`] that opens files below a root. Tests
//! replace the root.

mod allowed_cpus;
mod cooling;
mod core_kind;
mod cpu_list;
mod cpuinfo;
mod epoch;
mod firmware;
mod frequency;
mod hypervisor;
mod identity;
mod load;
#[cfg(target_os = "linux")]
mod perf_event;
mod policy;
mod power_limit;
mod pressure;
mod process;
mod quota;
mod sensors;
mod settings;
mod steal;
mod supply;
mod swap;
mod temperature;
mod throttle;
mod tree;

#[cfg(test)]
mod bad_input_tests;
#[cfg(test)]
mod fake_machine;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod reader_tests;

#[cfg(target_os = "linux")]
pub use perf_event::Counter;
pub use sensors::Sensors;
pub(super) use {epoch::read_epoch, identity::read_identity, tree::Tree};
