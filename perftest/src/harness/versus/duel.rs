//! Two routines in one process, by turns.

use super::{VersusRun, of_rival, refuse_judging};
use crate::Bencher;
use crate::bencher::Driver;
use crate::harness::body::panicked;
use crate::measure::{Failure, Meter, Routine, tune};
use perftest_core::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, ProcessPair, Side,
};
use perftest_core::model::Metric;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Runs the body of the rival while the routine of the test waits, so that both routines exist.
pub(super) struct Meeting<'a> {
    run: &'a VersusRun<'a>,
    policy: ComparisonPolicy,
    /// The answer, once both were measured.
    pub compared: Option<ComparisonResult>,
}

impl<'a> Meeting<'a> {
    pub(super) fn new(run: &'a VersusRun<'a>, policy: ComparisonPolicy) -> Self {
        Self { run, policy, compared: None }
    }
}

impl Driver for Meeting<'_> {
    fn drive(&mut self, head: &mut dyn Routine) -> Result<(), Failure> {
        let VersusRun { session, test, rival, rival_name, .. } = *self.run;
        let mut duel = Duel {
            head,
            meter: session.meter(test),
            policy: self.policy.clone(),
            head_failure: None,
            head_runs: false,
            compared: None,
        };
        let mut bencher = Bencher::new(&mut duel);
        let run = || rival.run(&mut bencher).and_then(|()| bencher.finish());
        let ended = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(ended) => ended,
            Err(payload) if duel.head_runs => resume_unwind(payload),
            Err(payload) => Err(panicked(payload.as_ref())),
        };
        match (duel.head_failure, ended) {
            (Some(failure), _) => Err(failure),
            (None, Err(failure)) => Err(of_rival(rival_name, &failure)),
            (None, Ok(own)) => {
                self.compared = duel.compared;
                refuse_judging(&own).map_err(|failure| of_rival(rival_name, &failure))
            }
        }
    }
}

/// Both routines.
struct Duel<'h> {
    head: &'h mut dyn Routine,
    meter: Meter,
    policy: ComparisonPolicy,
    /// A failure outside the rival.
    head_failure: Option<Failure>,
    /// The routine of the test is being called.
    head_runs: bool,
    compared: Option<ComparisonResult>,
}

impl Driver for Duel<'_> {
    fn drive(&mut self, base: &mut dyn Routine) -> Result<(), Failure> {
        let budget = Duration::from_nanos(self.policy.budget_ns);
        let tuned_base = tune(base, &mut self.meter, budget)?;
        let tuned_head = self.of_head(|head, meter| tune(head, meter, budget))?;
        // Threads of either side would be limited to the cores of this one.
        let works = [tuned_base.work(), tuned_head.work()];
        let work = works.iter().flatten().find(|work| !Meter::works_alone(work));
        let _on_one_kind = self.meter.stay_on(None, work.copied().or(tuned_head.work()));
        let tuned = tuned_base.iterations.min(tuned_head.iterations);
        let mut comparison = Comparison::new(Metric::wall().direction, self.policy.clone());
        loop {
            match comparison.step() {
                ComparisonStep::Done(compared) => {
                    self.compared = Some(*compared);
                    return Ok(());
                }
                ComparisonStep::Measure(plan) => {
                    let began = Instant::now();
                    let is_late = || began.elapsed() >= plan.longest;
                    let pair = self.pair(base, plan.batches(tuned, is_late))?;
                    comparison.observe(pair, began.elapsed());
                }
            }
        }
    }
}

impl Duel<'_> {
    /// A comparison works with pairs of processes: here both halves of a pair are this process.
    fn pair(
        &mut self,
        base: &mut dyn Routine,
        batches: impl Iterator<Item = (Side, u64)>,
    ) -> Result<ProcessPair, Failure> {
        let mut pair = ProcessPair { base: Vec::new(), head: Vec::new() };
        let most = base.most_iterations().min(self.head.most_iterations());
        for (side, iterations) in batches {
            let iterations = iterations.min(most);
            match side {
                Side::Base => pair.base.push(self.meter.measure(base, iterations)?),
                Side::Head => {
                    let measured = self.of_head(|head, meter| meter.measure(head, iterations));
                    pair.head.push(measured?);
                }
            }
        }
        Ok(pair)
    }

    fn of_head<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Routine, &mut Meter) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.head_runs = true;
        let worked = work(self.head, &mut self.meter);
        self.head_runs = false;
        worked.inspect_err(|failure| self.head_failure = Some(failure.clone()))
    }
}
