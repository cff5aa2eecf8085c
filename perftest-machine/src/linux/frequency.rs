//! The processor clock that the kernel reports.
//!
//! On x86 this is the average clock of the last few milliseconds, elsewhere often the requested clock.
//! On kernels before 5.18 a read may sleep for 10 ms: never read it between two clock reads.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use std::path::Path;

/// Clock of a policy's processors, kHz.
pub(super) fn read_khz(tree: &Tree, policy: &Path) -> SensorAnswer<u64> {
    tree.parse(policy.join("scaling_cur_freq"), parse_khz)
}

/// Whether the kernel counts that clock; one driver serves all policies.
pub(super) fn read_is_counted(tree: &Tree, policy: &Path) -> SensorAnswer<bool> {
    let driver = tree.read(policy.join("scaling_driver"))?;
    Ok(counts(driver.trim()))
}

/// Whether the kernel counts cycles under this driver: under those of x86.
fn counts(driver: &str) -> bool {
    let x86 = ["intel_pstate", "intel_cpufreq", "acpi-cpufreq", "pcc-cpufreq"];
    x86.contains(&driver) || driver.starts_with("amd-pstate")
}

/// A clock in kHz; a clock that stands still is no clock.
pub(super) fn parse_khz(text: &str) -> Option<u64> {
    number(text).filter(|khz| *khz > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_driver_that_does_not_know_are_no_clock() {
        assert_eq!(parse_khz("4389214\n"), Some(4_389_214));
        for text in ["<unknown>\n", "<unsupported>\n", "0\n", "-1\n", ""] {
            assert_eq!(parse_khz(text), None, "{text}");
        }
    }

    #[test]
    fn the_drivers_of_x86_count_and_others_only_ask() {
        for driver in ["intel_pstate", "intel_cpufreq", "amd-pstate", "amd-pstate-epp"] {
            assert!(counts(driver), "{driver}");
        }
        for driver in ["cpufreq-dt", "scmi", "apple-cpufreq", ""] {
            assert!(!counts(driver), "{driver}");
        }
    }
}
