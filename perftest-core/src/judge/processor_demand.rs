//! Whether threads and the work of other processes need more processors than there are.
//!
//! Contention reduces the parallelism of threads without a trace in their own times.
//!
//! Source. A choice, checked by the campaign `threads.sh`. How many processors threads used on average does not say how
//! many they needed at once: where one of sixteen waits for a processor at a barrier, the others wait for that one. So
//! the number of threads counts, and one that is not known leaves no room beside others.

use super::Policy;
use crate::model::Measurement;

/// Others that use more than this many processors contend with threads that have none to spare. A convention, which
/// `ci/campaigns/threads.sh` checks.
const CONTENDED_CPUS: f64 = 0.25;
/// Hardware threads of a core, which slow each other: work beside a thread on its core is seen by nobody. Source: x86
/// processors have two at most; a core with one only has more room.
const THREADS_OF_CORE: f64 = 2.0;
/// Above this share of the processors others slow threads also on other cores: memory and the shared cache are for all.
/// A convention: of two processors it is the number above.
const SHARE_OF_OTHERS: f64 = 0.125;
/// Cores that stay free where others do not contend: others come and go, and their average hides it. A convention.
const SPARE_CORES: f64 = 1.0;
/// Threads that start a batch together use at most this many times the processor time of as many processors; above it
/// the body has threads of its own. A convention: more than the error of reading the clocks.
const BEYOND_OWN_THREADS: f64 = 1.1;

/// Returns whether others contended for the processors that these measurements needed for their own
/// threads. `others_cpus` is the number of processors that others used meanwhile.
pub(super) fn is_contended(
    measurements: &[Measurement],
    others_cpus: Option<f64>,
    policy: &Policy,
) -> bool {
    measurements.iter().any(Measurement::works_in_threads)
        && leaves_no_room(others_cpus, needed_cpus(measurements, policy), policy)
}

/// Whether threads lacked processors because of other processes, or because there are more threads than
/// processors. Their wall time is then no proof.
pub(super) fn lacked_processors(
    measurements: &[Measurement],
    others_cpus: Option<f64>,
    policy: &Policy,
) -> bool {
    let is_work_of_others =
        |it: &Measurement| it.thread_cpu_ns.is_none() && it.process_cpu_ns.is_some();
    // How many threads another process has is unknown.
    let by_others =
        || measurements.iter().any(is_work_of_others) && leaves_no_room(others_cpus, None, policy);
    is_contended(measurements, others_cpus, policy) || by_others()
}

fn leaves_no_room(others_cpus: Option<f64>, needed: Option<f64>, policy: &Policy) -> bool {
    let has_room = |others_cpus: f64| {
        let needed = needed.filter(|_| policy.processors.is_finite());
        let cores = policy.processors / THREADS_OF_CORE - SPARE_CORES;
        let is_little = others_cpus <= SHARE_OF_OTHERS * policy.processors;
        is_little && needed.is_some_and(|needed| needed + others_cpus <= cores)
    };
    others_cpus.is_some_and(|others| others > CONTENDED_CPUS && !has_room(others))
}

/// Returns the processors that the threads of a test need at once; `None` where the body has threads of its own, or
/// cores differ.
fn needed_cpus(measurements: &[Measurement], policy: &Policy) -> Option<f64> {
    let threads = f64::from(policy.threads);
    let is_more = |it: &Measurement| {
        it.process_cpu_ns.unwrap_or(0) as f64 > BEYOND_OWN_THREADS * threads * it.wall_ns
    };
    (policy.threads > 1 && !measurements.iter().any(is_more)).then_some(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads that used so many processors.
    fn threads(used_cpus: f64) -> Measurement {
        Measurement {
            process_cpu_ns: Some((used_cpus * 1e6) as u64),
            thread_cpu_ns: Some(900_000),
            ..Measurement::of_value(1e6)
        }
    }

    fn policy(threads: u16, processors: f64) -> Policy {
        Policy { threads, processors, ..Policy::default() }
    }

    #[test]
    fn only_threads_contend_with_others_for_processors() {
        let contended =
            |it, others_cpus| is_contended(&[it], others_cpus, &policy(1, f64::INFINITY));
        assert!(contended(threads(1.8), Some(0.9)));
        assert!(!contended(threads(1.8), Some(0.1)));
        assert!(!contended(threads(1.8), None));
        assert!(!contended(Measurement::of_value(1e6), Some(0.9)));
    }

    #[test]
    fn threads_that_have_processors_to_spare_do_not_contend() {
        let contended = |used_cpus, others_cpus, policy: &Policy| {
            is_contended(&[threads(used_cpus)], Some(others_cpus), policy)
        };
        assert!(!contended(5.8, 0.9, &policy(6, 16.0)));
        assert!(contended(5.8, 1.1, &policy(6, 16.0)), "no core is left over");
        assert!(contended(3.8, 0.3, &policy(4, 8.0)), "they may share cores with others");
        assert!(contended(2.0, 0.3, &policy(4, 4.0)), "they cannot all have run at once");
        for used_cpus in [1.2, 2.0] {
            assert!(
                contended(used_cpus, 0.3, &policy(2, 2.0)),
                "two processors have none to spare"
            );
        }
    }

    #[test]
    fn others_on_more_than_an_eighth_of_the_processors_slow_threads_on_other_cores() {
        let contended =
            |others_cpus| is_contended(&[threads(3.8)], Some(others_cpus), &policy(4, 128.0));
        assert!(!contended(15.9));
        assert!(contended(16.1));
    }

    #[test]
    fn threads_whose_number_is_unknown_contend_on_the_largest_machine() {
        let contended =
            |used_cpus, team| is_contended(&[threads(used_cpus)], Some(0.3), &policy(team, 128.0));
        assert!(contended(3.8, 1), "a pool of the body");
        assert!(contended(9.0, 4), "a pool beside its four threads");
        assert!(!contended(3.8, 4));
        let process = Measurement { thread_cpu_ns: None, ..threads(1.0) };
        assert!(lacked_processors(&[process], Some(0.3), &policy(1, 128.0)));
        assert!(!lacked_processors(&[threads(3.8)], Some(0.3), &policy(4, 128.0)));
    }
}
