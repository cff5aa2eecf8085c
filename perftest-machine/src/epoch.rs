//! The epoch of a machine: properties that may change while the machine stays the same.

use perftest_core::model::{PowerSettings, Reading};

/// Properties of a machine that are stored with each run as its context. A change does not start a new
/// history, so a laptop keeps its history across an update of its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Epoch {
    /// Release of the kernel.
    pub kernel: Reading<String>,
    /// Revision of the processor's microcode, as the kernel writes it.
    pub microcode: Reading<String>,
    /// The clock source of the kernel.
    pub clock_source: Reading<String>,
    /// Address space layout randomisation: 0 off, 1 all but the heap, 2 full.
    pub address_randomisation: Reading<u64>,
    /// When the kernel uses transparent huge pages: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Reading<String>,
    /// Whether cores run several hardware threads.
    pub smt_is_active: Reading<bool>,
    /// Processors kept free of other work, as the kernel's list; empty when there are none.
    pub isolated_cpus: Reading<String>,
    /// Processors without a timer tick while they run one task, as the kernel's list; empty when
    /// there are none.
    pub nohz_full_cpus: Reading<String>,
    /// Long-term power limit of the processor package, in microwatts.
    pub power_limit_uw: Reading<u64>,
    /// Time over which that limit is averaged, in microseconds.
    pub power_limit_window_us: Reading<u64>,
    /// Settings that limit the clock: those of the first processor that this process may use, on the
    /// fastest kind of core that it may use.
    pub power: PowerSettings,
}

impl Epoch {
    /// Returns an epoch without a single reading.
    #[cfg(any(not(target_os = "linux"), test))]
    pub(crate) fn unread() -> Self {
        const REASON: &str = "not read on this system";
        Self {
            kernel: Reading::absent(REASON),
            microcode: Reading::absent(REASON),
            clock_source: Reading::absent(REASON),
            address_randomisation: Reading::absent(REASON),
            transparent_huge_pages: Reading::absent(REASON),
            smt_is_active: Reading::absent(REASON),
            isolated_cpus: Reading::absent(REASON),
            nohz_full_cpus: Reading::absent(REASON),
            power_limit_uw: Reading::absent(REASON),
            power_limit_window_us: Reading::absent(REASON),
            power: crate::portable::taken_now(REASON).power,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_that_is_not_read_has_the_reason_everywhere() {
        let words = format!("{:?}", Epoch::unread());
        assert_eq!(words.matches("Absent(\"not read on this system\")").count(), 16);
        assert!(!words.contains("Value"));
    }

    #[test]
    fn the_epoch_of_this_machine_is_the_same_twice() {
        assert_eq!(Epoch::of_this_machine(), Epoch::of_this_machine());
    }
}
