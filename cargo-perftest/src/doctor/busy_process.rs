//! A process that takes processors or memory from the tests.

use super::threshold::{BUSY_MEMORY_SHARE, BUSY_PROCESS_CORES};
use perftest_core::words::one_line;
use std::cmp::Ordering;

/// What one process took between two looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BusyProcess {
    pub(crate) pid: u32,
    /// Its command, without arguments and directories: what is shown gets shared.
    pub(crate) name: String,
    /// Processors that it used, on average.
    pub(crate) cores: f64,
    pub(crate) memory_bytes: u64,
    /// Share of the machine's memory.
    pub(crate) memory_share: f64,
}

impl BusyProcess {
    /// Whether it takes enough to be named.
    pub(crate) fn is_busy(&self) -> bool {
        self.cores >= BUSY_PROCESS_CORES || self.memory_share >= BUSY_MEMORY_SHARE
    }

    /// Orders first what takes most of the processors, then of the memory.
    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        let cores = other.cores.total_cmp(&self.cores);
        cores.then(other.memory_bytes.cmp(&self.memory_bytes)).then(self.pid.cmp(&other.pid))
    }

    /// `97%`, of one core.
    pub(crate) fn cores_in_words(&self) -> String {
        format!("{:.0}%", 100.0 * self.cores)
    }

    /// `512 MB`
    pub(crate) fn memory_in_words(&self) -> String {
        let megabytes = self.memory_bytes as f64 / 1e6;
        match megabytes {
            small if small < 10.0 => format!("{small:.1} MB"),
            medium if medium < 10_000.0 => format!("{medium:.0} MB"),
            large => format!("{:.1} GB", large / 1e3),
        }
    }

    /// `rustc (pid 71)`
    pub(crate) fn identity(&self) -> String {
        let name = one_line(self.name.trim());
        format!("{} (pid {})", if name.is_empty() { "?" } else { &*name }, self.pid)
    }

    /// `rustc (pid 71) 97% of a core, 512 MB`
    pub(crate) fn in_words(&self) -> String {
        format!(
            "{} {} of a core, {}",
            self.identity(),
            self.cores_in_words(),
            self.memory_in_words()
        )
    }
}

#[cfg(test)]
impl BusyProcess {
    pub(crate) fn named(name: &str, pid: u32, cores: f64) -> Self {
        let (memory_bytes, memory_share) = (512_000_000, 0.01);
        Self { pid, name: name.to_owned(), cores, memory_bytes, memory_share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_on_one_line_whatever_it_calls_itself() {
        let hostile = BusyProcess::named("\u{1b}[2Jx\n::error::y\u{202e}", 7, 0.97);
        let text = hostile.in_words();
        assert_eq!(text, "[2Jx ::error::y (pid 7) 97% of a core, 512 MB");
        assert_eq!(BusyProcess::named(" ", 7, 0.0).identity(), "? (pid 7)");
    }

    #[test]
    fn what_takes_the_processors_comes_before_what_takes_the_memory() {
        let large = BusyProcess { memory_bytes: 20_500_000_000, ..BusyProcess::named("a", 1, 0.0) };
        assert_eq!(large.memory_in_words(), "20.5 GB");
        let mut all = [large, BusyProcess::named("b", 2, 0.3), BusyProcess::named("c", 3, 0.9)];
        all.sort_by(BusyProcess::worst_first);
        assert_eq!(all.map(|it| it.name), ["c", "b", "a"]);
    }

    #[test]
    fn little_of_both_is_not_worth_a_line() {
        assert!(!BusyProcess::named("idle", 1, 0.01).is_busy());
        assert!(BusyProcess::named("rustc", 1, 0.5).is_busy());
        let large = BusyProcess { memory_share: 0.5, ..BusyProcess::named("cache", 1, 0.0) };
        assert!(large.is_busy());
    }
}
