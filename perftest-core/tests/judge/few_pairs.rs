//! Bodies so long that time allows few pairs with the last good build.

use crate::pairs::of_centers;
use crate::support::run;
use perftest_core::judge::{
    PairPlan, Pairing, Policy, Power, ProcessPair, Side, Step, StepAnswer, Trial,
};
use perftest_core::model::{
    BaselineRule, Direction, Evidence, History, Lineage, Measurement, Reason, Run,
};
use std::cell::Cell;
use std::time::Duration;

/// Time in which both processes of a pair start and warm up.
const STARTS: Duration = Duration::from_millis(200);
/// Standard deviation of the values of one process.
const WITHIN: f64 = 0.003;

/// A machine whose processes differ by `noise`.
struct Machine {
    noise: f64,
    random: pragmastat::Rng,
}

impl Machine {
    fn new(noise: f64) -> Self {
        Self { noise, random: pragmastat::Rng::from_seed(1) }
    }

    /// Twelve uniform numbers make a normal one of deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.uniform_f64()).sum::<f64>() - 6.0
    }

    fn process_ns(&mut self, value_ns: f64) -> f64 {
        value_ns * (self.noise * self.normal()).exp()
    }

    fn measurement(&mut self, process_ns: f64) -> Measurement {
        Measurement::of_value(process_ns * (WITHIN * self.normal()).exp())
    }

    fn pair(&mut self, value_ns: f64, good_ns: f64, plan: &PairPlan) -> StepAnswer {
        let [base_ns, head_ns] = [good_ns, value_ns].map(|value_ns| self.process_ns(value_ns));
        let mut pair = ProcessPair { base: Vec::new(), head: Vec::new() };
        // Batches of up to 20 ms are run twice.
        let times = if good_ns <= 20e6 { 2 } else { 1 };
        let elapsed = Cell::new(Duration::ZERO);
        for (side, _) in plan.batches(1, || elapsed.get() >= plan.longest) {
            let measurement = match side {
                Side::Base => self.measurement(base_ns),
                Side::Head => self.measurement(head_ns),
            };
            let own_ns = Duration::from_nanos(measurement.wall_ns as u64);
            elapsed.set(elapsed.get() + times * own_ns);
            match side {
                Side::Base => pair.base.push(measurement),
                Side::Head => pair.head.push(measurement),
            }
        }
        StepAnswer::Paired(Pairing::Measured { pair, elapsed: STARTS + elapsed.get() })
    }

    /// Decides on code that takes so long, beside a last good build of `good_ns` with 30 runs.
    fn decide(&mut self, value_ns: f64, good_ns: f64) -> Evidence {
        let centers = (0..30).map(|_| self.process_ns(good_ns)).collect();
        let mut trial = Trial::new(of_centers(centers), Direction::Lower, Policy::default());
        let (own_ns, mut elapsed) = (self.process_ns(value_ns), Duration::ZERO);
        loop {
            let answer = match trial.step() {
                Step::Measure => {
                    let measurement = self.measurement(own_ns);
                    trial.make_room_for(&measurement);
                    elapsed += Duration::from_nanos(measurement.wall_ns as u64);
                    StepAnswer::Measured(measurement)
                }
                Step::Wait(_) => StepAnswer::Waited,
                Step::Pair(plan) => self.pair(value_ns, good_ns, &plan),
                Step::Done(evidence) => return *evidence,
                other => panic!("pairs decide, and not {other:?}"),
            };
            trial.observe(answer, elapsed);
        }
    }
}

#[test]
fn what_a_test_says_it_detects_is_red_however_few_pairs_there_is_time_for() {
    // There is time for 14, 10, 5 and 3 pairs.
    let few = [3e6, 5e6].map(|value_ns| [(value_ns, 0.01), (value_ns, 0.015)]);
    let fewest = [20e6, 250e6].map(|value_ns| [(value_ns, 0.01), (value_ns, 0.005)]);
    for (value_ns, noise) in few.into_iter().chain(fewest).flatten() {
        let mut machine = Machine::new(noise);
        let mut decide = |ratio: f64| machine.decide(ratio * value_ns, value_ns);
        let detects = decide(1.0).smallest_detectable.unwrap();
        let decisions = 200;
        let red = (0..decisions).filter(|_| decide(1.0 + detects).reason == Reason::Red).count();
        assert!(red >= 98 * decisions / 100, "{value_ns} ns, {noise}: +{detects}, {red}");
    }
}

#[test]
fn power_knows_of_the_time_for_pairs_too() {
    let detects = |value_ns: f64| {
        let value_ns = |order: u64| value_ns * (0.99 + 0.02 * (order as f64 * 0.618).fract());
        let measured = |order| vec![Measurement::of_value(value_ns(order)); 5];
        let of = |order| Run { measurements: measured(order), ..run(order, 0.0, "code") };
        let history = History { runs: (0..30).map(of).collect() };
        let baseline = BaselineRule::default().select(&history, "cfg", None, &Lineage::default());
        Power::of(&baseline, Direction::Lower, &Policy::default()).unwrap()
    };
    let [short, long, longer] = [100e3, 20e6, 250e6].map(detects);
    assert_eq!([short, long, longer].map(|it| it.is_held_by_pairs), [false, true, true]);
    let [short, long, longer] = [short, long, longer].map(|it| it.smallest_detectable);
    assert!(short < 0.08 && long > 0.09 && longer > 0.12, "{short} {long} {longer}");
}
