//! The peak memory of a process.

use perftest_core::text::Text;
use std::fmt;

/// The peak memory of a child process. Linux keeps the high-water mark of the parent over the `exec`, so a
/// peak that is not clearly above that mark may be the parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeakMemory {
    /// In bytes.
    Bytes(u64),
    /// Not above the peak of this process, in bytes.
    BelowOwn(u64),
}

impl PeakMemory {
    /// Classifies the reported peak of a child process. `own_bytes` is the mark of this process;
    /// `None` where a new process does not inherit the mark.
    pub(super) fn of_child(reported_bytes: u64, own_bytes: Option<u64>) -> Self {
        match own_bytes {
            Some(own_bytes) if reported_bytes <= certain_above(own_bytes) => {
                Self::BelowOwn(own_bytes)
            }
            _ => Self::Bytes(reported_bytes),
        }
    }

    /// The peak, if it is known.
    pub(super) fn bytes(self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::BelowOwn(_) => None,
        }
    }

    /// Why the peak is unknown; `None` if it is known.
    pub(super) fn why_unknown(self) -> Option<String> {
        match self {
            Self::Bytes(_) => None,
            Self::BelowOwn(own_bytes) => Some(format!(
                "smaller than the test process itself ({:.1} MiB), or hardly larger, so it is \
                 unknown: keep less in memory beside b.command(..)",
                mebibytes(own_bytes)
            )),
        }
    }
}

impl fmt::Display for PeakMemory {
    /// `at most 34.1 MiB of memory`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "at most {:.1} MiB of memory", mebibytes(*bytes)),
            Self::BelowOwn(own_bytes) => {
                let own = mebibytes(*own_bytes);
                write!(f, "hardly more memory than the test process itself ({own:.1} MiB), or less")
            }
        }
    }
}

/// The kernel counts pages per processor and adds them up in two ways that differ a little.
fn certain_above(own_bytes: u64) -> u64 {
    own_bytes + own_bytes / 10 + (512 << 10)
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Resets this process's high-water mark, where the system allows it, so that an old peak does not hide a
/// smaller child.
pub(super) fn forget_own_peak() {
    #[cfg(target_os = "linux")]
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the high-water mark of this process, which its children inherit; `None` where they do not.
pub(super) fn own_peak_bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    peak_of_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM:     2100 kB`
fn peak_of_status(status: &str) -> Option<u64> {
    let kib = status.each_line().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kib.trim().strip_suffix("kB")?.trim_end().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_clearly_above_our_own_mark_is_the_childs() {
        let own = 10 << 20;
        for (reported, known) in [(own, None), (11 << 20, None), (12 << 20, Some(12 << 20))] {
            assert_eq!(PeakMemory::of_child(reported, Some(own)).bytes(), known);
        }
        assert_eq!(PeakMemory::of_child(own, None).bytes(), Some(own));
    }

    #[test]
    fn the_mark_is_read_from_the_status_of_a_process() {
        let status = "Name:\tperf\nVmPeak:\t   10240 kB\nVmHWM:\t    2100 kB\nThreads:\t1\n";
        assert_eq!(peak_of_status(status), Some(2_100 << 10));
        assert_eq!(peak_of_status("Name:\tkthreadd\n"), None);
        assert_eq!(own_peak_bytes().is_some(), cfg!(target_os = "linux"));
    }
}
