//! Context switches and page faults of this process.

#![allow(unsafe_code)] // One system call that fills a structure of ours.

/// Resources that this process used since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResourceUsage {
    /// Context switches, voluntary and involuntary.
    pub context_switches: u64,
    /// Page faults that needed the disk.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
}

// The parsers are tested on systems without this call too.
#[cfg(unix)]
impl ResourceUsage {
    /// Reads the resources of this process, all its threads together.
    pub(super) fn of_this_process() -> crate::sensor_answer::SensorAnswer<Self> {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a whole `rusage` of ours, which the call fills.
        let status = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
        if status != 0 {
            return Err("the system does not tell what this process used".into());
        }
        // SAFETY: all fields are integers, for which the zeros from before the call are values too.
        let usage = unsafe { usage.assume_init() };
        let count = |counted: libc::c_long| u64::try_from(counted).unwrap_or(0);
        Ok(Self {
            context_switches: count(usage.ru_nvcsw).saturating_add(count(usage.ru_nivcsw)),
            major_faults: count(usage.ru_majflt),
            minor_faults: count(usage.ru_minflt),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pages_touched_for_the_first_time_are_minor_faults() {
        let before = ResourceUsage::of_this_process().unwrap();
        // Much larger than an allocator's cache, with every page written.
        std::hint::black_box(vec![1_u8; 16 << 20]);
        let after = ResourceUsage::of_this_process().unwrap();
        assert!(after.minor_faults > before.minor_faults, "{before:?} {after:?}");
        assert!(after.context_switches >= before.context_switches);
        assert!(after.major_faults >= before.major_faults);
    }
}
