//! Context switches and page faults of this process.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::text::Text;

/// Page faults of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Faults {
    /// Those that needed the disk.
    pub(super) major: u64,
    /// Those that did not.
    pub(super) minor: u64,
}

impl Faults {
    /// Reads the faults of all threads, including ended ones.
    pub(super) fn read(tree: &Tree) -> SensorAnswer<Self> {
        tree.parse("proc/self/stat", Self::parse)
    }

    fn parse(stat: &str) -> Option<Self> {
        Some(Self { minor: stat_field(stat, 10)?, major: stat_field(stat, 12)? })
    }
}

/// Reads the voluntary and involuntary context switches of all live threads. The kernel counts by
/// thread, so the switches of ended threads are missing.
pub(super) fn read_context_switches(tree: &Tree) -> SensorAnswer<u64> {
    let mut answer = Err("/proc/self/task cannot be read".to_owned());
    for task in tree.entries("proc/self/task") {
        answer = match (answer, tree.parse(task.join("status"), parse_context_switches)) {
            (Ok(total), Ok(switches)) => Ok(u64::saturating_add(total, switches)),
            // It ended between the listing and the reading.
            (Ok(total), Err(_)) => Ok(total),
            (Err(_), first) => first,
        };
    }
    answer
}

/// Both counts of a `status` file together.
fn parse_context_switches(status: &str) -> Option<u64> {
    let count = |key: &str| {
        status
            .each_line()
            .find_map(|line| number::<u64>(line.strip_prefix(key)?.strip_prefix(':')?))
    };
    count("voluntary_ctxt_switches")?.checked_add(count("nonvoluntary_ctxt_switches")?)
}

/// The processor that the calling thread runs on.
pub(super) fn read_processor(tree: &Tree) -> SensorAnswer<u32> {
    tree.parse("proc/thread-self/stat", parse_processor)
}

/// The processor that a thread ran on last, by its `stat` file.
fn parse_processor(stat: &str) -> Option<u32> {
    stat_field(stat, 39).and_then(|cpu| u32::try_from(cpu).ok())
}

/// A field of a `stat` file by the number the manual gives it, 1 the first. The second, the
/// name, may hold spaces and brackets: the last bracket ends it.
fn stat_field(stat: &str, field: usize) -> Option<u64> {
    let (_, rest) = stat.cut_last(')')?;
    number(rest.words().nth(field - 3)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "4711 (a (b) c) R 1 1 1 0 -1 4194304 104 7 12 9 0 1 0 0 20 0 1 0 306135 \
        3133440 416 18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 5 0 0 0 0 0 1 1 1 1 1 1 1 0\n";

    #[test]
    fn a_name_with_spaces_and_brackets_moves_no_field() {
        assert_eq!(Faults::parse(STAT), Some(Faults { minor: 104, major: 12 }));
        assert_eq!(parse_processor(STAT), Some(5));
    }

    #[test]
    fn a_cut_line_is_refused() {
        for text in ["", "4711", "4711 (a", "4711 (a) R 1 2 3"] {
            assert_eq!(Faults::parse(text), None, "{text}");
            assert_eq!(parse_processor(text), None, "{text}");
        }
    }

    #[test]
    fn both_kinds_of_switches_count() {
        let text = "Name:\tx\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t40\n";
        assert_eq!(parse_context_switches(text), Some(43));
        assert_eq!(parse_context_switches("voluntary_ctxt_switches:\t3\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_sleeps_is_switched_away() {
        // This thread alone: the switches of ended threads are missing from the sum.
        let path = "proc/thread-self/status";
        let switches = || Tree::new("/").parse(path, parse_context_switches).unwrap();
        let before = switches();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(switches() > before);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn all_threads_that_live_are_counted() {
        let total = read_context_switches(&Tree::new("/")).unwrap();
        assert!(total > 0);
    }
}
