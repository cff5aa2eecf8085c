//! Two fresh processes, measured in alternation: the unit of evidence of a comparison.
//!
//! Source. Three turns are a choice: the fewest with a middle.

use super::baseline_level::log_cost;
use super::machine_baseline::better;
use super::{Condition, Floor, Inspector, MachineBaseline, PairPlan};
use crate::list::IntoList;
use crate::model::{Direction, Measurement, Observation, Sample};

/// The fewest undisturbed turns that count. A convention: the fewest with a middle.
const FEWEST_TURNS: usize = 3;

/// Two fresh processes, measured in alternation.
///
/// Their measurements are in order of time; those at the same index are of the same turn. Surplus
/// measurements of one side are ignored. The first turns
/// [warm up](PairPlan::WARM_UP_TURNS).
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessPair {
    /// Measurements of the process of the base.
    pub base: Vec<Measurement>,
    /// Measurements of the process of the head.
    pub head: Vec<Measurement>,
}

/// The evidence of one pair.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PairEvidence {
    /// The turns that count.
    pub(super) turns: Vec<Turn>,
    /// Logarithm of the degradation from base to head: the median over the turns.
    pub(super) log_ratio: f64,
    /// The median of the base's process, in the metric's unit.
    pub(super) base: f64,
    /// The median of the head's process, in the metric's unit.
    pub(super) head: f64,
    /// Which sides were disturbed.
    pub(super) disturbance: Disturbance,
    /// Whether some of its turns count by processor time.
    pub(super) is_on_processor_time: bool,
}

/// Which sides of a pair were disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disturbance {
    /// Enough turns were undisturbed on both sides.
    Little,
    /// Too few turns were undisturbed, and each side was disturbed in most of its turns.
    OfBothSides,
    /// Too few turns were undisturbed, and one side was disturbed more than the other.
    OfOneSide,
}

/// One measurement of each side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// The value of the base, in the metric's unit.
    pub(super) base: f64,
    /// The value of the head, in the metric's unit.
    pub(super) head: f64,
    /// Logarithm of the degradation from base to head.
    log_ratio: f64,
    /// The condition of the base.
    base_condition: Condition,
    /// The condition of the head.
    head_condition: Condition,
}

impl Turn {
    fn is_usable(&self) -> bool {
        self.base_condition.is_usable() && self.head_condition.is_usable()
    }

    /// Whether one of its values is processor time.
    fn is_on_processor_time(&self) -> bool {
        [self.base_condition, self.head_condition].contains(&Condition::OnProcessorTime)
    }
}

impl Disturbance {
    fn of(turns: &[Turn]) -> Self {
        let count = |is_such: fn(&Turn) -> bool| turns.iter().count_where(|it| is_such(it));
        let is_rare = |usable: usize| 2 * usable < turns.len();
        if count(Turn::is_usable) >= FEWEST_TURNS.min(turns.len()) {
            Self::Little
        } else if is_rare(count(|it| it.base_condition.is_usable()))
            && is_rare(count(|it| it.head_condition.is_usable()))
        {
            Self::OfBothSides
        } else {
            Self::OfOneSide
        }
    }
}

impl PairEvidence {
    /// Creates the evidence of `pair` from its undisturbed turns, or from all where those are too few, but never from
    /// threads that did not work at once; `None` without any turn, or where a value is not a number.
    pub(super) fn of(pair: &ProcessPair, direction: Direction, floor: Floor) -> Option<Self> {
        let turns = counting(turns(pair, direction, floor));
        let disturbance = Disturbance::of(&turns);
        let counts_disturbed = |turn: &Turn| {
            disturbance != Disturbance::Little
                && turn.base_condition.is_evidence()
                && turn.head_condition.is_evidence()
        };
        let counts = |turn: &Turn| turn.is_usable() || counts_disturbed(turn);
        let counted: Vec<Turn> = turns.into_iter().filter(counts).into_list();
        let is_on_processor_time = counted.iter().any(Turn::is_on_processor_time);
        Self::of_turns(counted, disturbance, is_on_processor_time)
    }

    /// Returns the evidence of the selected turns alone; `None` where they are too few.
    pub(super) fn only(&self, is_such: impl Fn(&Turn) -> bool) -> Option<Self> {
        let turns: Vec<Turn> = self.turns.iter().copied().filter(is_such).into_list();
        if turns.len() < FEWEST_TURNS.min(self.turns.len()) {
            return None;
        }
        Self::of_turns(turns, self.disturbance, self.is_on_processor_time)
    }

    fn of_turns(
        turns: Vec<Turn>,
        disturbance: Disturbance,
        is_on_processor_time: bool,
    ) -> Option<Self> {
        let middle = |of: fn(&Turn) -> f64| Sample::median_of(&turns.iter().map(of).into_list());
        Some(Self {
            log_ratio: middle(|turn| turn.log_ratio)?,
            base: middle(|turn| turn.base)?,
            head: middle(|turn| turn.head)?,
            turns,
            disturbance,
            is_on_processor_time,
        })
    }
}

/// Removes the warm-up turns. A pair of few long turns keeps all, because long turns need no warm-up.
fn counting(mut turns: Vec<Turn>) -> Vec<Turn> {
    if turns.len() >= PairPlan::WARM_UP_TURNS + FEWEST_TURNS {
        turns.drain(..PairPlan::WARM_UP_TURNS);
    }
    turns
}

fn turns(pair: &ProcessPair, direction: Direction, floor: Floor) -> Vec<Turn> {
    let usual = usual(pair);
    let log = |value| log_cost(value, direction, floor);
    let observed = |measurements: &[Measurement]| -> Vec<(f64, Condition)> {
        let conditions = Inspector::new(usual).inspect_all(measurements);
        let value = |it: &Measurement, condition: Condition| condition.observation(it).value;
        let both = measurements.iter().zip(conditions);
        both.map(|(it, condition)| (value(it, condition), condition)).into_list()
    };
    let (base, head) = (observed(&pair.base), observed(&pair.head));
    let turns = base.into_iter().zip(head);
    let turns = turns.map(|((base, base_condition), (head, head_condition))| Turn {
        base,
        head,
        log_ratio: log(head) - log(base),
        base_condition,
        head_condition,
    });
    turns.into_list()
}

/// Returns the better usual speed of both sides, so that a process that was disturbed from start to end
/// is detected by the other one.
fn usual(pair: &ProcessPair) -> MachineBaseline {
    let of = |measurements: &[Measurement]| {
        let observations: Vec<Observation> = measurements.iter().map(Observation::from).into_list();
        let center = Observation::center(&observations);
        center.map_or_else(MachineBaseline::default, |center| MachineBaseline::of(&center.probes))
    };
    let (base, head) = (of(&pair.base), of(&pair.head));
    MachineBaseline {
        clock_ghz: better(base.clock_ghz, head.clock_ghz, f64::max),
        reference_cycles: better(base.reference_cycles, head.reference_cycles, f64::min),
        lowest_clock_ghz: better(base.clock_ghz, head.clock_ghz, f64::min),
        most_reference_cycles: better(base.reference_cycles, head.reference_cycles, f64::max),
        ..MachineBaseline::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Probes;

    fn values(values: &[f64]) -> Vec<Measurement> {
        values.iter().map(|value| Measurement::of_value(*value)).collect()
    }

    fn evidence(base: Vec<Measurement>, head: Vec<Measurement>) -> Option<PairEvidence> {
        PairEvidence::of(&ProcessPair { base, head }, Direction::Lower, Floor::WALL_NS)
    }

    /// Creates a measurement beside a reference kernel of this time at 4 GHz.
    fn probed(value: f64, reference_ns: f64) -> Measurement {
        let probes =
            Probes { clock_ghz: Some(4.0), reference_ns: Some(reference_ns), ..Probes::default() };
        Measurement { probes, ..Measurement::of_value(value) }
    }

    #[test]
    fn a_machine_that_slows_down_meanwhile_leaves_the_ratio_alone() {
        let pair = evidence(
            values(&[100.0, 110.0, 120.0, 130.0, 140.0]),
            values(&[105.0, 115.5, 126.0, 136.5, 147.0]),
        );
        assert!((pair.unwrap().log_ratio.exp() - 1.05).abs() < 1e-12);
    }

    #[test]
    fn a_metric_that_is_better_when_larger_degrades_downwards() {
        let pair = ProcessPair { base: values(&[300.0]), head: values(&[200.0]) };
        let evidence = PairEvidence::of(&pair, Direction::Higher, Floor::WALL_NS).unwrap();
        assert!((evidence.log_ratio.exp() - 1.5).abs() < 1e-12);
        assert_eq!((evidence.base, evidence.head), (300.0, 200.0));
    }

    #[test]
    fn a_disturbed_turn_is_left_out_on_both_sides() {
        let interrupted =
            Measurement { thread_cpu_ns: Some(100_000), ..Measurement::of_value(900_000.0) };
        let mut head = values(&[2e5; 7]);
        head[1] = interrupted;
        let mut base = values(&[1e5; 7]);
        (base[1], base[2]) = (Measurement::of_value(7.0), Measurement::of_value(7.0));
        let evidence = evidence(base, head).unwrap();
        assert_eq!(evidence.disturbance, Disturbance::Little);
        // Neither the interrupted turn nor the cold one after it.
        assert_eq!((evidence.base, evidence.head), (1e5, 2e5));
    }

    #[test]
    fn threads_that_did_not_work_at_once_are_no_evidence_of_a_pair() {
        let apart = Measurement {
            thread_cpu_ns: Some(90_000),
            apart_ns: Some(50_000),
            ..Measurement::of_value(2e5)
        };
        let clean = Measurement {
            apart_ns: Some(0),
            thread_cpu_ns: Some(100_000),
            ..Measurement::of_value(1e5)
        };
        assert_eq!(evidence(vec![apart; 7], vec![clean; 7]), None);
        let head = [vec![apart; 6], vec![clean; 3]].concat();
        let mixed = evidence(vec![clean; 9], head).unwrap();
        assert_eq!((mixed.head, mixed.disturbance), (1e5, Disturbance::OfOneSide));
    }

    #[test]
    fn a_process_disturbed_from_start_to_end_is_reported_by_the_other_one() {
        let (quiet, shared) = (vec![probed(1e5, 9_000.0); 5], vec![probed(1.2e5, 10_200.0); 5]);
        let of = |base: &[Measurement], head: &[Measurement]| {
            evidence(base.to_vec(), head.to_vec()).unwrap().disturbance
        };
        assert_eq!(of(&quiet, &quiet), Disturbance::Little);
        assert_eq!(of(&quiet, &shared), Disturbance::OfOneSide);
        assert_eq!(of(&shared, &quiet), Disturbance::OfOneSide);
    }

    #[test]
    fn turns_of_one_side_alone_are_left_out() {
        let pair = evidence(values(&[100.0, 100.0]), values(&[200.0, 200.0, 900.0])).unwrap();
        assert!((pair.log_ratio.exp() - 2.0).abs() < 1e-12);
        assert_eq!(evidence(values(&[100.0]), Vec::new()), None);
        assert_eq!(evidence(values(&[f64::NAN]), values(&[100.0])), None);
    }
}
