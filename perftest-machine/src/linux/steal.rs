//! Processor time of the whole machine: used by tasks, and stolen by the host.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::list::IntoList;
use perftest_core::text::Text;

/// `/proc/stat` counts in hundredths of a second on every machine (`USER_HZ`), whatever the
/// kernel's own tick is.
const TICK_MS: u64 = 10;

/// Processor time since boot, added up over the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessorTime {
    /// Used by anyone: tasks, interrupts, and the host.
    pub(super) busy_ms: u64,
    /// Stolen by the host of a virtual machine while there was work to do.
    pub(super) steal_ms: u64,
}

impl ProcessorTime {
    /// The times up to now.
    pub(super) fn read(tree: &Tree) -> SensorAnswer<Self> {
        tree.parse("proc/stat", Self::parse)
    }

    /// The line `cpu` of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal and,
    /// contained in the first two, time of own guests.
    fn parse(text: &str) -> Option<Self> {
        let line = text.each_line().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.words().map(number).into_list_of_some()?;
        let [user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = ticks[..] else {
            return None;
        };
        let busy = [user, nice, system, irq, softirq, steal];
        let busy = busy.into_iter().try_fold(0_u64, u64::checked_add)?;
        Some(Self { busy_ms: busy.checked_mul(TICK_MS)?, steal_ms: steal * TICK_MS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_are_not_busy_and_guests_count_once() {
        let time = ProcessorTime::parse("cpu  100 1 20 9000 300 4 5 6 50 0\ncpu0 1 2 3\n");
        assert_eq!(time, Some(ProcessorTime { busy_ms: 1_360, steal_ms: 60 }));
    }

    #[test]
    fn a_line_without_steal_or_with_damage_is_refused() {
        for text in ["", "cpu  1 2 3 4\n", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3 4 5 6 7 x\n"] {
            assert_eq!(ProcessorTime::parse(text), None, "{text}");
        }
        let all = format!("cpu {}\n", format!(" {}", u64::MAX).repeat(8));
        assert_eq!(ProcessorTime::parse(&all), None);
    }
}
