//! Conditions of measurements: what disturbed them.
//!
//! Sources. `recorded-noise.sh` runs these rules over recorded noise. Batches of 3 ms and more
//! hardly escape interruption, and processor time measures them well. The reference kernel of an
//! undisturbed core stays within 1.05 times its cycles and its clock above 0.95 of the usual one in
//! 99.6% of readings and more. A neighbour's phase of 2 ms lowers the spread of a sort beside it
//! from 17% to 0.7%. The 0.3 s of a very long batch and the patience are choices.

use super::MachineBaseline;
use super::machine_baseline::better;
use super::off_cpu::{OFF_CPU_SHARE, off_cpu_ns, worked_apart};
use super::turns::{had_turn_of_its_own, interrupts_turns};
use crate::list::IntoList;
use crate::model::{Measurement, Observation, Run};

/// Off-processor time beyond the run-queue wait, as a share of the batch, is stolen by the host. A convention: it
/// finds recorded gaps of 4 and 9 ms on a virtual machine, and the kernel's counter has steps of 10 ms.
const STOLEN_SHARE: f64 = 0.01;
/// On a busy machine nearly all longer batches are interrupted. Source: recorded batches from 3 ms on scatter
/// by 14 to 48% in wall time and by 0.8 to 1.5% in processor time (docs/evidence/noise.md).
const LONG_NS: f64 = 3_000_000.0;
/// Batches this long are always preempted briefly; such preemptions are ignored. A convention: in a shorter batch
/// each preemption counts, in a longer one only its share of the time.
const VERY_LONG_NS: f64 = 300_000_000.0;
/// The core is shared when the reference kernel needs this many times its usual cycles. A convention: in
/// the recordings of tests/fixtures/noise the readings beside a neighbour have a median of 1.08, and without one 96 to
/// 99.7% are below 1.05.
const CONTENDED: f64 = 1.05;
/// A clock this far below its usual one. Source: of 5,000 readings in a recorded process at most 0.4% are below
/// 0.95 of their median.
const SLOW_CLOCK: f64 = 0.95;
/// Measurements within this time after a contended one count as contended, too: a neighbour
/// alternates, and single readings of the probes may look normal while it runs. Source: beside a neighbour
/// this reduces the spread of recorded processes from 16.9% and 1.9% to 0.7% and 0.04%
/// (docs/evidence/noise.md).
const CONTENTION_LASTS_NS: u64 = 2_000_000;
/// Slow readings in a row after which a process without a history accepts its clock as usual. A convention: after
/// fewer, a short dip of the clock would count as usual.
const PATIENCE: u32 = 3;

/// Defines the conditions and counts them, so that a [`Tally`](super::Tally) has room for each.
macro_rules! with_count {
    ($(#[$meta:meta])* pub enum $type:ident {
        $($(#[$variant_meta:meta])* $variant:ident,)+
    }) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $type {
            /// Number of conditions.
            pub(super) const COUNT: usize = [$(Self::$variant),+].len();
        }
    };
}

with_count! {
    /// The condition of one measurement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Condition {
        /// Nothing disturbed it.
        Clean,
        /// Interrupted, but so long that its processor time is judged instead.
        OnProcessorTime,
        /// Other work of this machine took the processor.
        Interrupted,
        /// The threads of the batch did not work at once. It may be slower or faster than the code is.
        Apart,
        /// The host took the processor.
        Stolen,
        /// Directly after an interruption, with cold caches.
        AfterInterruption,
        /// Work outside this virtual machine shared the core.
        Contended,
        /// The processor's clock was lower than usual.
        SlowClock,
        /// It waited for a page from the disk.
        Swapped,
        /// It ran on another kind of core than the history.
        OtherCore,
    }
}

impl Condition {
    /// Whether the measurement counts for a verdict.
    pub fn is_usable(self) -> bool {
        matches!(self, Self::Clean | Self::OnProcessorTime)
    }

    /// Returns the conditions of a recorded run's measurements. The record of a disturbed one says only whether its
    /// threads worked apart; it has no other causes.
    pub(super) fn recorded(run: &Run) -> Vec<Self> {
        let mut conditions = vec![Self::Clean; run.measurements.len()];
        // Those whose threads worked apart are also among the disturbed ones: they come last.
        let marked = [
            (&run.on_processor_time, Self::OnProcessorTime),
            (&run.suspects, Self::Interrupted),
            (&run.apart, Self::Apart),
        ];
        for (indices, condition) in marked {
            for index in indices {
                if let Some(it) = conditions.get_mut(*index as usize) {
                    *it = condition;
                }
            }
        }
        conditions
    }

    /// Returns the observation of a measurement under this condition.
    pub(super) fn observation(self, measurement: &Measurement) -> Observation {
        match self {
            Self::OnProcessorTime => Observation::on_processor_time(measurement),
            _ => Observation::from(measurement),
        }
    }

    /// Whether the processor was not taken away, or the value excludes that time.
    pub(super) fn kept_processor(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Apart | Self::Stolen)
    }

    /// Whether the measurement is a bound for the code. Interference only makes code slower, unless it keeps threads
    /// from hindering each other, or one that holds a lock from releasing it while the others spin.
    pub(super) fn is_evidence(self) -> bool {
        self != Self::Apart
    }
}

/// Returns the run with these measurements, and with what its record keeps of their conditions.
pub fn with_conditions(run: Run, measurements: Vec<Measurement>, conditions: &[Condition]) -> Run {
    let indices = |is_such: fn(Condition) -> bool| {
        let indexed = (0..).zip(conditions).filter(|(_, condition)| is_such(**condition));
        indexed.map(|(index, _)| index).into_list()
    };
    Run {
        measurements,
        suspects: indices(|condition| !condition.is_usable()),
        apart: indices(|condition| condition == Condition::Apart),
        on_processor_time: indices(|condition| condition == Condition::OnProcessorTime),
        ..run
    }
}

/// Classifies the measurements of one process in order.
///
/// The checks are ordered by how much each explains on recorded noise: wall minus processor time
/// explains a slow batch completely when the machine is busy, and only the probes detect a neighbour
/// on the same physical core. Unknown values do not disqualify a measurement.
///
/// ```
/// use perftest_core::judge::{Condition, Inspector, MachineBaseline};
/// use perftest_core::model::Measurement;
///
/// let mut inspector = Inspector::new(MachineBaseline::default());
/// let interrupted = Measurement {
///     thread_cpu_ns: Some(900_000),
///     ..Measurement::of_value(1_000_000.0)
/// };
/// assert_eq!(inspector.inspect(&interrupted), Condition::Interrupted);
/// ```
#[derive(Debug, Clone)]
pub struct Inspector {
    usual: MachineBaseline,
    /// Whether the usual speed comes from the history; else it is the best of this process.
    from_history: bool,
    after_interruption: bool,
    /// Start of the last measurement with contention by the probes.
    contended_at_ns: Option<u64>,
    slow_in_a_row: u32,
    /// The shortest processor time of a batch, so that a wrongly charged one does not count as long.
    shortest_cpu_ns: u64,
}

impl Inspector {
    /// Creates an inspector with the usual speed of the history, as far as known.
    pub fn new(usual: MachineBaseline) -> Self {
        let from_history = usual.reference_cycles.is_some();
        Self {
            usual,
            from_history,
            after_interruption: false,
            contended_at_ns: None,
            slow_in_a_row: 0,
            shortest_cpu_ns: u64::MAX,
        }
    }

    /// Returns the conditions of measurements in their order.
    pub fn inspect_all(mut self, measurements: &[Measurement]) -> Vec<Condition> {
        measurements.iter().map(|measurement| self.inspect(measurement)).into_list()
    }

    /// Returns the condition of the next measurement.
    pub fn inspect(&mut self, measurement: &Measurement) -> Condition {
        let interruption = self.interruption(measurement);
        let after_interruption = std::mem::replace(
            &mut self.after_interruption,
            interruption.is_some_and(|condition| !condition.is_usable()),
        );
        if let Some(condition) = interruption {
            return condition;
        }
        if after_interruption {
            return Condition::AfterInterruption;
        }
        self.by_probes(measurement)
            .or_else(|| (measurement.major_faults > Some(0)).then_some(Condition::Swapped))
            .or_else(|| self.on_other_core(measurement))
            .unwrap_or(Condition::Clean)
    }

    fn by_probes(&mut self, measurement: &Measurement) -> Option<Condition> {
        let now = MachineBaseline::of(&measurement.probes);
        let usual = match (self.from_history, measurement.works_in_threads()) {
            (true, false) => self.usual,
            (true, true) => self.usual.at_its_slowest(),
            (false, false) => self.best_so_far(&now),
            // The effect of its threads on the processor is only known from earlier runs.
            (false, true) => return None,
        };
        let over = |now: Option<f64>, usual: Option<f64>| Some(now? / usual?);
        let cycles = over(now.reference_cycles, usual.reference_cycles);
        if cycles.is_some_and(|ratio| ratio > CONTENDED) {
            self.contended_at_ns = Some(measurement.start_ns);
            return Some(Condition::Contended);
        }
        let since_ns = |at_ns: u64| measurement.start_ns.saturating_sub(at_ns);
        if self.contended_at_ns.is_some_and(|at_ns| since_ns(at_ns) < CONTENTION_LASTS_NS) {
            return Some(Condition::Contended);
        }
        let clock = over(now.clock_ghz, usual.clock_ghz);
        if clock.is_none_or(|ratio| ratio >= SLOW_CLOCK) {
            self.slow_in_a_row = 0;
            return None;
        }
        self.slow_in_a_row += 1;
        // The first reading may have been a short boost.
        if self.slow_in_a_row > PATIENCE && !self.from_history {
            self.usual.clock_ghz = now.clock_ghz;
        }
        Some(Condition::SlowClock)
    }

    /// Returns the best speed of this process, the usual one without a history.
    fn best_so_far(&mut self, now: &MachineBaseline) -> MachineBaseline {
        let usual = &mut self.usual;
        usual.clock_ghz = better(now.clock_ghz, usual.clock_ghz, f64::max);
        usual.reference_cycles = better(now.reference_cycles, usual.reference_cycles, f64::min);
        self.usual
    }

    /// Detects an interruption. A body that waits (I/O, a lock, its own threads) is interrupted when it
    /// was preempted by other work; any other body when it had no processor for a while.
    fn interruption(&mut self, measurement: &Measurement) -> Option<Condition> {
        let cpu_ns = measurement.thread_cpu_ns?;
        self.shortest_cpu_ns = self.shortest_cpu_ns.min(cpu_ns);
        if measurement.apart_ns.is_some() {
            let are_apart = worked_apart(measurement) || was_put_aside(measurement);
            return are_apart.then_some(Condition::Apart);
        }
        if let Some(is_interrupted) = interrupts_turns(measurement) {
            return is_interrupted.then_some(Condition::Interrupted);
        }
        if measurement.voluntary_switches.unwrap_or(0) > 0 {
            return was_put_aside(measurement).then_some(Condition::Interrupted);
        }
        let off_ns = off_cpu_ns(measurement)?;
        if had_turn_of_its_own(measurement, off_ns) {
            return None;
        }
        let is_long = cpu_ns.min(2 * self.shortest_cpu_ns) as f64 > LONG_NS;
        // Processor time has no waits of the body's own.
        let never_waited = measurement.voluntary_switches == Some(0);
        if is_long && never_waited && !measurement.works_in_threads() {
            return Some(Condition::OnProcessorTime);
        }
        let waited_ns = measurement.wait_ns.map_or(off_ns, |wait_ns| wait_ns as f64);
        let is_stolen = off_ns - waited_ns > STOLEN_SHARE * measurement.wall_ns
            && measurement.involuntary_switches == Some(0)
            && !measurement.works_in_threads();
        Some(if is_stolen { Condition::Stolen } else { Condition::Interrupted })
    }

    fn on_other_core(&mut self, measurement: &Measurement) -> Option<Condition> {
        let kind = measurement.core_kind?;
        let usual = *self.usual.core_kind.get_or_insert(kind);
        (kind != usual).then_some(Condition::OtherCore)
    }
}

/// Whether a waiting body was preempted; in a very long batch, for a relevant time.
fn was_put_aside(measurement: &Measurement) -> bool {
    let share = measurement.wait_ns.map(|wait_ns| wait_ns as f64 / measurement.wall_ns);
    let counts = measurement.wall_ns < VERY_LONG_NS || share.is_some_and(|it| it > OFF_CPU_SHARE);
    measurement.involuntary_switches.unwrap_or(0) > 0 && counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Condition::*;
    use crate::model::{Baseline, BaselineRule, BenchmarkId, CoreKind, Metric, Probes, RunId};

    fn batch(wall_ns: f64, thread_cpu_ns: u64) -> Measurement {
        Measurement {
            thread_cpu_ns: Some(thread_cpu_ns),
            process_cpu_ns: Some(thread_cpu_ns),
            involuntary_switches: Some(0),
            voluntary_switches: Some(0),
            ..Measurement::of_value(wall_ns)
        }
    }

    fn probed(clock_ghz: f64, reference_ns: f64) -> Measurement {
        let probes = Probes {
            clock_ghz: Some(clock_ghz),
            reference_ns: Some(reference_ns),
            ..Probes::default()
        };
        Measurement { probes, ..batch(1e6, 999_000) }
    }

    fn conditions(measurements: &[Measurement]) -> Vec<Condition> {
        Inspector::new(MachineBaseline::default()).inspect_all(measurements)
    }

    #[test]
    fn a_record_keeps_which_measurements_count_and_whose_threads_worked_apart() {
        let run = Run::blank(RunId::new(1, 1), BenchmarkId::from_recorded("a::b"), Metric::wall());
        let measurements = vec![Measurement::of_value(1.0); 5];
        let conditions = [Clean, OnProcessorTime, Stolen, Apart, Clean];
        let run = with_conditions(run, measurements, &conditions);
        assert_eq!(Condition::recorded(&run), [Clean, OnProcessorTime, Interrupted, Apart, Clean]);
        let beyond = Run { suspects: vec![9, 0], ..run };
        assert_eq!(Condition::recorded(&beyond)[..2], [Interrupted, OnProcessorTime]);
    }

    #[test]
    fn a_batch_that_stayed_on_its_processor_is_clean() {
        assert_eq!(conditions(&[batch(1e6, 999_000)]), [Clean]);
    }

    #[test]
    fn a_batch_that_lost_one_percent_is_interrupted_and_the_next_one_is_cold() {
        let lost = Measurement { involuntary_switches: Some(1), ..batch(1e6, 990_000) };
        let fine = batch(1e6, 999_000);
        assert_eq!(conditions(&[lost, fine, fine]), [Interrupted, AfterInterruption, Clean]);
    }

    #[test]
    fn time_that_neither_thread_nor_run_queue_knows_was_stolen() {
        let gap = batch(2e6, 1_000_000);
        assert_eq!(conditions(&[Measurement { wait_ns: Some(0), ..gap }]), [Stolen]);
        assert_eq!(conditions(&[Measurement { wait_ns: Some(990_000), ..gap }]), [Interrupted]);
        let switched = Measurement { involuntary_switches: Some(1), wait_ns: Some(0), ..gap };
        assert_eq!(conditions(&[switched]), [Interrupted]);
    }

    #[test]
    fn a_long_batch_speaks_by_its_processor_time() {
        let long = batch(20e6, 10_000_000);
        assert_eq!(conditions(&[long, batch(1e6, 999_000)]), [OnProcessorTime, Clean]);
        assert_eq!(long.value_on_processor(), 10e6);
        let may_have_waited = Measurement { voluntary_switches: None, ..long };
        assert_eq!(conditions(&[may_have_waited]), [Interrupted]);
        let mistaken = batch(12e6, 8_000_000);
        assert_eq!(conditions(&[batch(1e6, 999_000), mistaken]), [Clean, Interrupted]);
        let threads = Measurement { process_cpu_ns: Some(16_000_000), ..long };
        assert_eq!(conditions(&[threads]), [Interrupted]);
    }

    #[test]
    fn a_body_that_sleeps_is_not_interrupted_by_its_own_sleep() {
        let sleeping = Measurement { voluntary_switches: Some(1), ..batch(1e6, 10_000) };
        assert_eq!(conditions(&[sleeping]), [Clean]);
        let put_aside = Measurement { involuntary_switches: Some(1), ..sleeping };
        assert_eq!(conditions(&[put_aside]), [Interrupted]);
    }

    #[test]
    fn what_threads_do_to_the_processor_is_compared_with_the_slowest_earlier_run_or_with_nothing() {
        let beside = |clock_ghz, reference_ns| Measurement {
            process_cpu_ns: Some(2_000_000),
            ..probed(clock_ghz, reference_ns)
        };
        let (calm, contended) = (beside(4.0, 9_000.0), beside(3.4, 11_000.0));
        assert_eq!(conditions(&[probed(4.0, 9_000.0), calm, contended]), [Clean; 3]);
        let center = |it: &Measurement| Observation::from(it);
        let centers = vec![center(&calm), center(&calm), center(&contended)];
        let empty = Baseline::empty(&BaselineRule::default());
        let usual = MachineBaseline::in_baseline(&Baseline { centers, ..empty });
        let inspected = |it| Inspector::new(usual).inspect(&it);
        assert_eq!(inspected(contended), Clean);
        assert_eq!(inspected(probed(3.4, 11_000.0)), SlowClock, "no threads");
        assert_eq!(inspected(beside(3.2, 11_700.0)), SlowClock, "throttled");
        assert_eq!(inspected(beside(3.4, 13_000.0)), Contended, "by a neighbour");
    }

    #[test]
    fn a_very_long_batch_that_waits_is_put_aside_now_and_then_and_not_interrupted_by_it() {
        let put_aside = Measurement {
            voluntary_switches: Some(40),
            involuntary_switches: Some(3),
            ..batch(2e9, 400_000_000)
        };
        let ready_for = |wait_ns| Measurement { wait_ns: Some(wait_ns), ..put_aside };
        assert_eq!(conditions(&[put_aside, ready_for(2_000_000)]), [Clean, Clean]);
        assert_eq!(conditions(&[ready_for(100_000_000)]), [Interrupted]);
    }

    #[test]
    fn a_neighbour_on_the_core_shows_in_the_ratio_of_the_probes() {
        let quiet = probed(4.0, 9_000.0);
        let shared = probed(3.95, 10_200.0);
        let at = |start_ns| Measurement { start_ns, ..quiet };
        assert_eq!(
            conditions(&[quiet, shared, at(1_900_000), at(2_000_000)]),
            [Clean, Contended, Contended, Clean]
        );
        let usual = MachineBaseline::of(&quiet.probes);
        assert_eq!(Inspector::new(usual).inspect_all(&[shared]), [Contended]);
    }

    #[test]
    fn a_slower_clock_is_distinguished_from_contention() {
        let usual = MachineBaseline::of(&probed(4.0, 9_000.0).probes);
        assert_eq!(Inspector::new(usual).inspect_all(&[probed(3.6, 10_000.0)]), [SlowClock]);
    }

    #[test]
    fn a_first_boost_is_forgotten_unless_the_history_vouches_for_it() {
        let slower = [probed(3.6, 10_000.0); 6];
        let mut with_boost = vec![probed(4.0, 9_000.0)];
        with_boost.extend(slower);
        assert_eq!(conditions(&with_boost)[5..], [Clean, Clean]);
        let usual = MachineBaseline::of(&with_boost[0].probes);
        assert_eq!(Inspector::new(usual).inspect_all(&slower), [SlowClock; 6]);
    }

    #[test]
    fn a_page_from_the_disk_and_another_kind_of_core_are_reported() {
        let swapped = Measurement { major_faults: Some(2), ..batch(1e6, 999_000) };
        let on = |kind| Measurement { core_kind: Some(kind), ..batch(1e6, 999_000) };
        let cores = [on(CoreKind::Performance), on(CoreKind::Efficiency)];
        assert_eq!(conditions(&[swapped]), [Swapped]);
        assert_eq!(conditions(&cores), [Clean, OtherCore]);
    }

    #[test]
    fn what_the_system_does_not_tell_is_not_held_against_a_batch() {
        assert_eq!(conditions(&[Measurement::of_value(1e6)]), [Clean]);
    }
}
