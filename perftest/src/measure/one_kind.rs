//! Keeps the measuring thread on cores of one kind, where the machine has several.

#![allow(unsafe_code)] // Two system calls; each block explains its safety.

#[cfg(target_os = "linux")]
use perftest_core::list::IntoList;
use perftest_core::model::CoreKind;
use perftest_machine::Sensors;

/// While this exists, the thread that created it runs on cores of one kind. So do threads and
/// processes that it starts meanwhile.
pub(crate) struct OneKind {
    /// Where the thread ran before.
    #[cfg(target_os = "linux")]
    earlier: libc::cpu_set_t,
}

impl OneKind {
    /// Keeps the calling thread on all its allowed cores of this kind, or else on the fastest ones. `None`
    /// where all allowed cores are alike, or the system refuses.
    #[cfg(target_os = "linux")]
    pub(crate) fn enter(sensors: &Sensors, kind: Option<CoreKind>) -> Option<Self> {
        let cpus_of = |kind| sensors.cpus_of_kind(kind);
        if cpus_of(CoreKind::Performance).is_empty() {
            return None;
        }
        let earlier = affinity()?;
        let is_allowed = |cpu: u32| is_in(&earlier, cpu);
        let cpus = cpus_to_stay_on(kind, cpus_of, is_allowed)?;
        set_affinity(&set_of(&cpus)).then_some(Self { earlier })
    }

    /// Does nothing, because this system has no affinity or no kinds of cores.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn enter(_sensors: &Sensors, _kind: Option<CoreKind>) -> Option<Self> {
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for OneKind {
    fn drop(&mut self) {
        set_affinity(&self.earlier);
    }
}

/// Returns the allowed processors of the wanted kind, or else of the fastest kind. `None` if all
/// allowed processors are of that kind.
#[cfg(target_os = "linux")]
fn cpus_to_stay_on(
    wanted: Option<CoreKind>,
    cpus_of: impl Fn(CoreKind) -> Vec<u32>,
    is_allowed: impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    let allowed =
        |kind| -> Vec<u32> { cpus_of(kind).into_iter().filter(|cpu| is_allowed(*cpu)).into_list() };
    let (large, small) = (allowed(CoreKind::Performance), allowed(CoreKind::Efficiency));
    if large.is_empty() || small.is_empty() {
        return None;
    }
    Some(if wanted == Some(CoreKind::Efficiency) { small } else { large })
}

/// Keeps the calling thread on the first of its allowed processors.
#[cfg(all(test, target_os = "linux"))]
pub(super) fn stay_on_first_processor() {
    let allowed = affinity().expect("Linux knows the processors of a thread");
    let first = (0..).find(|cpu| is_in(&allowed, *cpu)).expect("it runs on one of them");
    assert!(set_affinity(&set_of(&[first])), "a thread may stay where it is");
}

#[cfg(target_os = "linux")]
fn affinity() -> Option<libc::cpu_set_t> {
    let mut set = set_of(&[]);
    // SAFETY: 0 is the calling thread, and the size is that of the set.
    let failed = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    (failed == 0).then_some(set)
}

/// Sets the affinity; `false` if the system refuses.
#[cfg(target_os = "linux")]
fn set_affinity(set: &libc::cpu_set_t) -> bool {
    // SAFETY: 0 is the calling thread, and the size is that of the set.
    unsafe { libc::sched_setaffinity(0, size_of_val(set), set) == 0 }
}

#[cfg(target_os = "linux")]
fn set_of(cpus: &[u32]) -> libc::cpu_set_t {
    // SAFETY: the set is an array of numbers, of which all zeros is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for cpu in cpus.iter().filter(|cpu| fits(**cpu)) {
        // SAFETY: the processor's bit lies within the set.
        unsafe { libc::CPU_SET(*cpu as usize, &mut set) };
    }
    set
}

#[cfg(target_os = "linux")]
fn is_in(set: &libc::cpu_set_t, cpu: u32) -> bool {
    // SAFETY: the processor's bit lies within the set.
    fits(cpu) && unsafe { libc::CPU_ISSET(cpu as usize, set) }
}

/// Returns whether the set has a bit for the processor.
#[cfg(target_os = "linux")]
fn fits(cpu: u32) -> bool {
    cpu < libc::CPU_SETSIZE as u32
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::fs;

    fn hybrid(kind: CoreKind) -> Vec<u32> {
        if kind == CoreKind::Performance { (0..4).collect() } else { (4..12).collect() }
    }

    fn stays(wanted: Option<CoreKind>, is_allowed: fn(u32) -> bool) -> Option<Vec<u32>> {
        cpus_to_stay_on(wanted, hybrid, is_allowed)
    }

    #[test]
    fn the_thread_stays_on_the_wanted_kind_and_else_on_the_fastest() {
        let all = |_| true;
        assert_eq!(stays(None, all), Some(vec![0, 1, 2, 3]));
        assert_eq!(stays(Some(CoreKind::Efficiency), all), Some((4..12).collect()));
        assert_eq!(stays(None, |cpu| cpu > 2), Some(vec![3]));
    }

    #[test]
    fn a_thread_that_may_use_one_kind_only_stays_where_it_is() {
        assert_eq!(stays(None, |cpu| cpu < 3), None);
        assert_eq!(stays(Some(CoreKind::Efficiency), |cpu| cpu < 3), None);
        assert_eq!(stays(None, |cpu| cpu > 5), None);
    }

    /// Files of a machine whose first processor is large and all others small.
    fn sensors_of_hybrid(root: &std::path::Path) -> Sensors {
        for (unit, cpus) in [("cpu_core", "0\n"), ("cpu_atom", "1-1023\n")] {
            let directory = root.join("sys/devices").join(unit);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("cpus"), cpus).unwrap();
        }
        Sensors::below(root)
    }

    fn allowed() -> Vec<u32> {
        let set = affinity().unwrap();
        (0..libc::CPU_SETSIZE as u32).filter(|cpu| is_in(&set, *cpu)).collect()
    }

    #[test]
    fn the_thread_may_run_where_it_might_before_once_the_guard_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let sensors = sensors_of_hybrid(root.path());
        let before = allowed();
        let has_both = before.contains(&0) && before.len() > 1;
        let on_one_kind = OneKind::enter(&sensors, None);
        assert_eq!(on_one_kind.is_some(), has_both);
        if has_both {
            assert_eq!(allowed(), [0]);
        }
        drop(on_one_kind);
        assert_eq!(allowed(), before);
    }

    #[test]
    fn where_all_cores_are_alike_nothing_is_done() {
        let root = tempfile::tempdir().unwrap();
        assert!(OneKind::enter(&Sensors::below(root.path()), None).is_none());
    }
}
