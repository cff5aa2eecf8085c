//! Was this measurement disturbed by other work on the machine?

use crate::model::Measurement;

/// Off-processor time up to this share of the batch is the cost of the reading itself.
const SHARE: f64 = 0.005;
/// The same in absolute terms.
const FLOOR_NS: f64 = 5_000.0;
/// A body whose other threads use more than this share of the process's time works in threads.
const OTHER_THREADS: f64 = 0.2;
/// Others that use more than this many processors contend with threads.
const CONTENDED_CPUS: f64 = 0.25;

/// Whether other work on the machine interrupted this measurement.
///
/// Wall minus thread processor time explains a slow batch completely on a busy machine, as long
/// as the body itself never waits. A body that waits (I/O, a lock, its own threads) is
/// interrupted when it was put aside against its will. What is not known is not held against
/// the measurement.
pub fn is_interrupted(measurement: &Measurement) -> bool {
    let waits_itself = measurement.voluntary_switches.unwrap_or(0) > 0;
    if waits_itself {
        return measurement.involuntary_switches.unwrap_or(0) > 0;
    }
    let wall_ns = measurement.wall_ns;
    let thread_cpu_ns = measurement.thread_cpu_ns.map_or(wall_ns, |cpu_ns| cpu_ns as f64);
    wall_ns - thread_cpu_ns > (SHARE * wall_ns).max(FLOOR_NS)
}

/// Whether others contended for the processors that these measurements needed for threads of
/// their own, when they used `others_cpus` processors meanwhile.
///
/// Contention takes the parallelism of threads away, and nothing in their own times shows it.
pub fn is_contended(measurements: &[Measurement], others_cpus: Option<f64>) -> bool {
    others_cpus.is_some_and(|others_cpus| others_cpus > CONTENDED_CPUS)
        && measurements.iter().any(works_in_threads)
}

/// Whether threads beside the measuring one did a good part of the work.
fn works_in_threads(measurement: &Measurement) -> bool {
    let times = measurement.process_cpu_ns.zip(measurement.thread_cpu_ns);
    times.is_some_and(|(process_ns, thread_ns)| {
        process_ns.saturating_sub(thread_ns) as f64 > OTHER_THREADS * process_ns as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(wall_ns: f64, thread_cpu_ns: u64) -> Measurement {
        Measurement {
            thread_cpu_ns: Some(thread_cpu_ns),
            process_cpu_ns: Some(thread_cpu_ns),
            involuntary_switches: Some(0),
            voluntary_switches: Some(0),
            ..Measurement::of_value_ns(wall_ns)
        }
    }

    #[test]
    fn a_batch_that_stayed_on_its_processor_is_clean() {
        assert!(!is_interrupted(&batch(1_000_000.0, 999_000)));
    }

    #[test]
    fn a_batch_that_lost_one_percent_of_its_time_is_interrupted() {
        assert!(is_interrupted(&batch(1_000_000.0, 990_000)));
    }

    #[test]
    fn a_body_that_sleeps_is_not_interrupted_by_its_own_sleep() {
        let sleeping = Measurement { voluntary_switches: Some(1), ..batch(1_000_000.0, 10_000) };
        assert!(!is_interrupted(&sleeping));
        assert!(is_interrupted(&Measurement { involuntary_switches: Some(1), ..sleeping }));
    }

    #[test]
    fn only_threads_contend_with_others_for_processors() {
        let threads = Measurement {
            process_cpu_ns: Some(1_000_000),
            voluntary_switches: Some(2),
            ..batch(1_000_000.0, 9_000)
        };
        assert!(is_contended(&[threads], Some(0.9)));
        assert!(!is_contended(&[threads], Some(0.1)));
        assert!(!is_contended(&[threads], None));
        assert!(!is_contended(&[batch(1_000_000.0, 999_000)], Some(0.9)));
    }

    #[test]
    fn what_the_system_does_not_tell_is_not_held_against_a_batch() {
        assert!(!is_interrupted(&Measurement::of_value_ns(1e6)));
    }
}
