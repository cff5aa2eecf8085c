//! The clock of the processor, as the kernel reports it.
//!
//! On x86 this is the clock of the last few milliseconds, on ARM the clock that was asked for.
//! On kernels before 5.18 a read may sleep for 10 ms: never read it between two clock reads.

use super::absence::Absence;
use super::process;
use super::tree::{Tree, number};

/// Whether and where the kernel reports clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frequency {
    is_reported: bool,
}

impl Frequency {
    /// Asks whether the kernel scales the clock of any processor; it does in few virtual machines.
    pub(super) fn discover(tree: &Tree) -> Self {
        let policies = tree.numbered("sys/devices/system/cpu/cpufreq", "policy", "");
        Self { is_reported: !policies.is_empty() }
    }

    /// Clock of the processor that the calling thread runs on, kHz.
    pub(super) fn read(&self, tree: &Tree) -> Result<u64, Absence> {
        if !self.is_reported {
            return Err(Absence::because("the system reports no processor clock"));
        }
        let cpu = tree.parse("proc/thread-self/stat", process::parse_processor)?;
        let file = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
        tree.parse(file, parse_khz)
    }
}

/// A clock in kHz; a clock that stands still is no clock.
fn parse_khz(text: &str) -> Option<u64> {
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
}
