//! Threads of a body that take turns: waiting for each other is no interruption.
//!
//! Sources. The slice is that of the Linux scheduler (0.7 ms times a factor of the number of processors, 3 ms
//! at most). The share and the time are choices, checked by the campaign `threads.sh`.

use super::off_cpu::{OFF_CPU_NS, off_cpu_ns};
use crate::model::Measurement;

/// Threads that take turns waited for other work above this share of the batch ..
const WAIT_SHARE: f64 = 0.02;
/// .. and above this time: the system does not count a running thread's time exactly.
/// Both are conventions, which `ci/campaigns/threads.sh` checks.
const WAIT_NS: f64 = 50_000.0;
/// A thread that yields returns within this time. A preempted thread waits for a time slice of the scheduler, 0.7 to
/// 3 ms. A convention: less than the shortest slice.
const LONGEST_TURN_NS: f64 = 500_000.0;

/// Whether waiting threads mean an interruption, in a body whose threads wait for each other or yield
/// briefly. `None` for any other body, and where the wait is unknown.
pub(super) fn interrupts_turns(measurement: &Measurement) -> Option<bool> {
    let wait_ns = measurement.wait_ns.filter(|_| measurement.works_in_threads())? as f64;
    let put_aside = measurement.involuntary_switches? as f64;
    let lost_ns = off_cpu_ns(measurement).unwrap_or(0.0);
    let takes_turns = measurement.voluntary_switches? > 0 || lost_ns < LONGEST_TURN_NS * put_aside;
    let is_much = wait_ns > negligible_wait_ns(measurement);
    takes_turns.then_some(is_much && !is_wait_for_each_other(measurement, wait_ns))
}

/// Whether the threads of a body waited only for each other. On one processor, a woken thread and its
/// waker alternate: together they had the processor all the time, and each wait was short. Threads that
/// lack processors wait for whole time slices.
fn is_wait_for_each_other(measurement: &Measurement, wait_ns: f64) -> bool {
    let worked_ns = measurement.process_cpu_ns.unwrap_or(0) as f64;
    let switches = [measurement.voluntary_switches, measurement.involuntary_switches];
    let turns: u64 = switches.into_iter().flatten().sum();
    (measurement.wall_ns - worked_ns).abs() <= negligible_wait_ns(measurement)
        && wait_ns <= LONGEST_TURN_NS * turns as f64
}

fn negligible_wait_ns(measurement: &Measurement) -> f64 {
    (WAIT_SHARE * measurement.wall_ns).max(WAIT_NS)
}

/// Whether the measuring thread only began late while other threads of its process worked: of threads that
/// start together on one processor, one is first.
pub(super) fn had_turn_of_its_own(measurement: &Measurement, off_ns: f64) -> bool {
    let times = measurement.process_cpu_ns.zip(measurement.thread_cpu_ns);
    let slack_ns = (WAIT_SHARE * measurement.wall_ns).max(OFF_CPU_NS);
    let worked = |(all, own): (u64, u64)| off_ns <= all.saturating_sub(own) as f64 + slack_ns;
    measurement.works_in_threads()
        && measurement.involuntary_switches == Some(0)
        && times.is_some_and(worked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Condition::*;
    use crate::judge::{Condition, Inspector, MachineBaseline};

    fn conditions(measurements: &[Measurement]) -> Vec<Condition> {
        Inspector::new(MachineBaseline::default()).inspect_all(measurements)
    }

    /// Half of the work is another thread's, and the measuring one was preempted twice.
    fn in_turns(wait_ns: u64) -> Measurement {
        Measurement {
            process_cpu_ns: Some(900_000),
            wait_ns: Some(wait_ns),
            voluntary_switches: Some(8),
            involuntary_switches: Some(2),
            thread_cpu_ns: Some(450_000),
            ..Measurement::of_value(1e6)
        }
    }

    #[test]
    fn threads_that_take_turns_on_one_processor_do_not_interrupt_each_other() {
        assert_eq!(conditions(&[in_turns(0)]), [Clean]);
        assert_eq!(conditions(&[in_turns(300_000)]), [Interrupted], "they waited for others");
        let alone = Measurement { process_cpu_ns: Some(450_000), ..in_turns(0) };
        assert_eq!(conditions(&[alone]), [Interrupted]);
        let late = Measurement {
            voluntary_switches: Some(0),
            involuntary_switches: Some(0),
            ..in_turns(0)
        };
        assert_eq!(conditions(&[late]), [Interrupted], "its processor was not stolen");
        let second = Measurement { wall_ns: 0.91e6, wait_ns: Some(1_000_000), ..late };
        assert_eq!(conditions(&[second]), [Clean]);
        let yielding = Measurement { voluntary_switches: Some(0), ..in_turns(0) };
        let for_a_slice = Measurement { wall_ns: 3e6, ..yielding };
        assert_eq!(conditions(&[yielding]), [Clean]);
        assert_eq!(conditions(&[for_a_slice]), [Interrupted]);
    }

    /// Their sum would be taken for the time of two threads that hinder each other, or for none.
    #[test]
    fn threads_that_should_work_at_once_and_work_one_after_another_are_apart() {
        let one_by_one = Measurement {
            process_cpu_ns: Some(999_000),
            thread_cpu_ns: Some(500_000),
            wait_ns: Some(0),
            voluntary_switches: Some(0),
            involuntary_switches: Some(0),
            ..Measurement::of_value(1e6)
        };
        assert_eq!(conditions(&[one_by_one]), [Clean], "of a body with threads of its own");
        let apart = |apart_ns| Measurement { apart_ns: Some(apart_ns), ..one_by_one };
        assert_eq!(conditions(&[apart(500_000), apart(20_000)]), [Apart; 2]);
        assert_eq!(conditions(&[apart(4_000)]), [Clean], "the clocks were read");
    }

    #[test]
    fn threads_that_wake_each_other_on_one_processor_wait_for_no_other_process() {
        let woken = Measurement { process_cpu_ns: Some(999_000), ..in_turns(500_000) };
        let preempted = Measurement { voluntary_switches: Some(0), ..woken };
        let for_a_slice = Measurement {
            voluntary_switches: Some(1),
            involuntary_switches: Some(0),
            wait_ns: Some(700_000),
            ..woken
        };
        let beside_each_other = Measurement { process_cpu_ns: Some(1_300_000), ..woken };
        assert_eq!(conditions(&[woken, preempted]), [Clean; 2]);
        assert_eq!(conditions(&[for_a_slice]), [Interrupted]);
        assert_eq!(conditions(&[beside_each_other]), [Interrupted], "others made them wait");
    }
}
