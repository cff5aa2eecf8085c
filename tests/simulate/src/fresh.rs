//! Fresh processes of the simulated test, alone or side by side with the last good build.

use crate::machine::SimulatedMachine;
use crate::process::{Process, SimulatedBuild};
use perftest_core::judge::{Confirmation, PairPlan, Pairing, ProcessPair, Side};
use std::cell::Cell;
use std::time::Duration;

/// Measures in one fresh process.
pub(crate) fn alone(
    machine: &mut SimulatedMachine,
    build: SimulatedBuild,
    measurements: u32,
) -> Confirmation {
    let begun_ns = machine.now_ns;
    let mut process = Process::warm(machine, build);
    let measurements = (0..measurements).map(|_| process.measure(machine)).collect();
    // The body has no threads whose processors others could take.
    Confirmation::Measured { measurements, others_cpus: None, elapsed: since(machine, begun_ns) }
}

/// Measures a fresh process of each build in turns.
pub(crate) fn pair(
    machine: &mut SimulatedMachine,
    base: SimulatedBuild,
    head: SimulatedBuild,
    plan: &PairPlan,
) -> Pairing {
    let begun_ns = machine.now_ns;
    let (mut base, mut head) = match plan.starts {
        Side::Base => {
            let base = Process::warm(machine, base);
            (base, Process::warm(machine, head))
        }
        Side::Head => {
            let head = Process::warm(machine, head);
            (Process::warm(machine, base), head)
        }
    };
    let mut pair = ProcessPair { base: Vec::new(), head: Vec::new() };
    let elapsed = Cell::new(since(machine, begun_ns));
    for (side, calls) in plan.batches(machine.world.calls, || elapsed.get() >= plan.longest) {
        match side {
            Side::Base => pair.base.push(base.measure_calls(machine, calls)),
            Side::Head => pair.head.push(head.measure_calls(machine, calls)),
        }
        elapsed.set(since(machine, begun_ns));
    }
    Pairing::Measured { pair, elapsed: elapsed.get() }
}

fn since(machine: &SimulatedMachine, begun_ns: f64) -> Duration {
    Duration::from_nanos((machine.now_ns - begun_ns) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use perftest_core::judge::{Comparison, ComparisonPolicy, ComparisonStep};
    use perftest_core::model::{Direction, Measurement};

    fn first_plan() -> PairPlan {
        match Comparison::new(Direction::Lower, ComparisonPolicy::default()).step() {
            ComparisonStep::Measure(plan) => plan,
            ComparisonStep::Done(_) => unreachable!("nothing was measured yet"),
        }
    }

    #[test]
    fn both_sides_of_a_pair_are_measured_in_each_turn_while_time_passes() {
        let mut machine = SimulatedMachine::new(World::named("steady").unwrap(), 1);
        let [base, head] = [0, 1].map(|number| SimulatedBuild { number, slowness: 1.0 });
        let (plan, begun_ns) = (first_plan(), machine.now_ns);
        let measured = pair(&mut machine, base, head.slowed(2.0), &plan);
        let Pairing::Measured { pair, elapsed } = measured else { panic!("{measured:?}") };
        assert_eq!([pair.base.len(), pair.head.len()], [plan.turns.len(); 2]);
        assert_eq!(elapsed.as_nanos() as f64, (machine.now_ns - begun_ns).floor());
        let sum = |of: &[Measurement]| of.iter().map(|it| it.value).sum::<f64>();
        assert!((sum(&pair.head) / sum(&pair.base) / 2.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn what_slows_the_machine_slows_both_sides_of_a_pair() {
        let mut machine = SimulatedMachine::new(World::named("throttled-untold").unwrap(), 1);
        while machine.clock() == 1.0 {
            machine.pass_ns(1e9);
        }
        let build = SimulatedBuild { number: 0, slowness: 1.0 };
        let Pairing::Measured { pair, .. } = pair(&mut machine, build, build, &first_plan()) else {
            panic!("a simulated pair is measured")
        };
        assert!(pair.base.iter().chain(&pair.head).all(|it| it.value > 1.2 * 62_500.0));
    }
}
