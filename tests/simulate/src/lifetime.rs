//! One simulated machine from its first run on, and the decisions that it would make.

use crate::build_history::BuildHistory;
use crate::machine::SimulatedMachine;
use crate::process::SimulatedBuild;
use crate::session::judge;
use crate::{Random, World};
use perftest_core::model::{Baseline, Reason, Run};

/// Mean time from one run to the next.
const BETWEEN_RUNS_NS: f64 = 2.0 * 3_600e9;
/// Runs of one build, while other code is worked on.
const RUNS_OF_A_BUILD: usize = 2;
/// A machine on which fewer than one run in this many counts for the baseline has no history.
const PATIENCE: usize = 5;

/// One decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LifetimeDecision {
    /// How it ended.
    pub reason: Reason,
    /// It would have been red without a confirmation.
    pub is_candidate: bool,
    /// Measurements, in all processes.
    pub measurements: u32,
    /// From the first look at the machine to the verdict, in seconds.
    pub took_s: f64,
}

/// Lives through one machine, and decides on code that is slower by each of `slowdowns` when there
/// are as many runs of history as in each of `histories`, in ascending order. The answer has a
/// line for each history and a decision for each slowdown in it.
///
/// History is made as it is live: each run is judged against those before it and counts for the baseline if it may.
/// The decisions themselves leave it as it is. The same numbers give the same answer.
pub fn decisions(
    world: &'static World,
    seeds: [u64; 2],
    histories: &[usize],
    slowdowns: &[f64],
) -> Vec<Vec<LifetimeDecision>> {
    let seed = Random::of(&[world.seed(), seeds[0], seeds[1]]).bits();
    let mut lifetime = Lifetime::new(world, seed);
    let decide = |runs: &usize| -> Vec<LifetimeDecision> {
        lifetime.learn(*runs);
        let baseline = lifetime.known.baseline();
        slowdowns.iter().map(|slowdown| lifetime.decide(*slowdown, &baseline)).collect()
    };
    histories.iter().map(decide).collect()
}

struct Lifetime {
    machine: SimulatedMachine,
    known: BuildHistory,
    build: SimulatedBuild,
}

impl Lifetime {
    fn new(world: &'static World, seed: u64) -> Self {
        let mut machine = SimulatedMachine::new(world, seed);
        let build = SimulatedBuild::new(0, world.layouts, &mut machine.random);
        Self { machine, known: BuildHistory::default(), build }
    }

    /// Runs until this many runs count for the baseline, or hardly any ever does.
    fn learn(&mut self, runs: usize) {
        let most = PATIENCE * runs;
        while self.baseline_runs() < runs && self.runs().len() < most {
            let baseline = self.known.baseline();
            let judged = judge(&mut self.machine, self.build, &self.known, &baseline);
            self.known.push(judged.run, self.build);
            if self.runs().len().is_multiple_of(RUNS_OF_A_BUILD) {
                self.build = self.next_build();
            }
            let pause_ns = BETWEEN_RUNS_NS * self.machine.random.exponential();
            self.machine.pass_ns(pause_ns);
        }
    }

    fn baseline_runs(&self) -> usize {
        let is_red = |reason| reason == Some(Reason::Red);
        let baseline_runs = self.runs().iter().filter(|run| run.counts_for_baseline);
        baseline_runs.filter(|run| !is_red(run.evidence.as_ref().map(|it| it.reason))).count()
    }

    fn runs(&self) -> &[Run] {
        &self.known.history.runs
    }

    fn next_build(&mut self) -> SimulatedBuild {
        let layouts = self.machine.world.layouts;
        SimulatedBuild::new(self.build.number + 1, layouts, &mut self.machine.random)
    }

    /// Decides on a new build that is slower by this factor.
    fn decide(&self, slowdown: f64, baseline: &Baseline) -> LifetimeDecision {
        let future = (self.runs().len() as u64) ^ slowdown.to_bits();
        let mut machine = self.machine.with_future(future);
        let build =
            SimulatedBuild::new(self.build.number + 1, machine.world.layouts, &mut machine.random);
        let judged = judge(&mut machine, build.slowed(slowdown), &self.known, baseline);
        LifetimeDecision {
            reason: judged.evidence.reason,
            is_candidate: judged.is_candidate && judged.evidence.reason != Reason::Untrusted,
            measurements: judged.evidence.measurements,
            took_s: judged.took_ns / 1e9,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steady() -> &'static World {
        World::named("steady").unwrap()
    }

    #[test]
    fn the_same_seeds_give_the_same_decisions_and_others_do_not() {
        let slow = World::named("slow-clusters").unwrap();
        let lived = |seed| decisions(slow, [seed, 1], &[5, 30], &[1.0, 1.1]);
        assert_eq!(lived(1), lived(1));
        assert_ne!(lived(1), lived(2));
    }

    #[test]
    fn a_decision_does_not_depend_on_which_others_are_asked_for() {
        let all = decisions(steady(), [1, 1], &[5, 10, 30], &[1.0, 1.1]);
        let one = decisions(steady(), [1, 1], &[10], &[1.1]);
        assert_eq!(one[0][0], all[1][1]);
    }

    #[test]
    fn a_history_has_as_many_runs_as_asked_for_and_each_was_judged() {
        let mut lifetime = Lifetime::new(steady(), 1);
        lifetime.learn(30);
        assert_eq!(lifetime.baseline_runs(), 30);
        let judged = lifetime
            .runs()
            .iter()
            .filter(|run| run.evidence.as_ref().is_some_and(|it| it.reason != Reason::NoBaseline));
        assert!(judged.count() >= 25);
    }

    #[test]
    fn on_a_steady_machine_a_decision_finds_what_is_there() {
        let found = decisions(steady(), [1, 1], &[30], &[1.0, 2.0]);
        let reasons: Vec<Reason> = found[0].iter().map(|decision| decision.reason).collect();
        assert_eq!(reasons, [Reason::Green, Reason::Red]);
    }

    #[test]
    fn the_last_good_build_is_the_one_before_the_judged_one() {
        let mut lifetime = Lifetime::new(steady(), 1);
        let first = lifetime.build;
        let baseline = lifetime.known.baseline();
        assert_eq!(lifetime.known.last_good(&baseline, first), None);
        lifetime.learn(6);
        let (baseline, judged) = (lifetime.known.baseline(), lifetime.build);
        let last_good = lifetime.known.last_good(&baseline, judged).unwrap();
        assert_eq!(last_good.number, 2);
        assert_eq!(lifetime.known.last_good(&baseline, last_good).unwrap().number, 1);
    }

    #[test]
    fn a_machine_that_became_slower_is_no_red_and_slower_code_on_it_is() {
        let mut lifetime = Lifetime::new(World::named("throttled-untold").unwrap(), 1);
        lifetime.learn(10);
        while lifetime.machine.clock() == 1.0 {
            lifetime.machine.pass_ns(5e9);
        }
        let baseline = lifetime.known.baseline();
        let reason = |slowdown| lifetime.decide(slowdown, &baseline).reason;
        assert_eq!([1.0, 1.2].map(reason), [Reason::MachineSlower, Reason::Red]);
    }
}
