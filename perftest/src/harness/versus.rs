//! A test that is compared with a function instead of its history.

mod duel;

use super::body::run_body;
use super::crowding::{crowding, without_own_waits};
use super::isolation::{Isolation, QuietWatch};
use super::lock;
use super::session::Session;
use super::worker_command::{this_executable, worker_command};
use crate::event::{TestEnd, VersusTest};
use crate::measure::Failure;
use crate::own_metric::OwnMetric;
use crate::perf_test::PerfTest;
use crate::provenance::entropy;
use crate::settings::Settings;
use crate::sink::Sink;
use duel::Meeting;
use perftest_core::judge::{self, ComparisonPolicy, Side};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Environment, MachineState, Metric, Note, Obstacle, Outcome, Reason, Tag,
};
use perftest_process::protocol::RIVAL_VARIABLE;
use perftest_process::{SideFailure, WorkerCommand, WorkerPair};

/// Compares one test with its rival.
///
/// Both take turns in this process, which suffices for a green. A slower test is measured again in
/// pairs of fresh processes, like any other red: a whole process can be slow for one of two
/// functions. Nothing is recorded, because there is no comparison with the past.
pub(super) struct VersusRun<'a> {
    pub session: &'a Session,
    pub test: &'a PerfTest,
    /// The function to compare with.
    pub rival: &'a PerfTest,
    /// The function's name as the author writes it.
    pub rival_name: &'static str,
    pub settings: Settings,
}

/// An answer with its measurements.
struct VersusAnswer {
    compared: judge::ComparisonResult,
    in_fresh_processes: bool,
    /// What prevented a confirmation.
    obstacle: Option<Obstacle>,
}

impl VersusRun<'_> {
    /// # Errors
    /// A message when a body fails.
    pub(super) fn run(&self, sink: &mut dyn Sink) -> Result<TestEnd, String> {
        let lock = lock::acquire_lock(self.test, sink);
        let look = |look: &dyn Fn() -> MachineState| {
            let _on_one_kind = self.session.stay_on(None);
            look()
        };
        let before = look(&|| self.session.look());
        let here = self.compared_here().map_err(|failure| failure.to_string())?;
        let VersusAnswer { mut compared, in_fresh_processes, obstacle } = match (here.reason, &lock)
        {
            (Reason::Red, Ok(_)) => self.confirmed(here),
            (Reason::Red, Err(error)) => {
                let obstacle = lock::obstacle(error);
                let hindered = Note::Hindered { obstacle: obstacle.clone() };
                VersusAnswer {
                    obstacle: Some(obstacle),
                    ..VersusAnswer::of_this_process(Reason::NotAlone, Some(hindered), here)
                }
            }
            (_, _) => VersusAnswer { compared: here, in_fresh_processes: false, obstacle: None },
        };
        let after = look(&|| self.session.look_after(&before));
        let after = without_own_waits(after, self.session, self.test);
        let mut environment = Environment::between(before, after);
        if lock.is_err() || self.session.isolation == Isolation::Neighbours {
            environment.mark(Tag::Parallel);
        }
        drop(lock);
        let outcome = self.settings.outcome(compared.reason);
        let notes = self.notes_on_use(&compared, outcome);
        compared.notes.extend(notes);
        let hindrance = obstacle.map(|it| self.session.hindrance(it, &self.settings));
        Ok(TestEnd::Compared(Box::new(VersusTest {
            rival: self.rival_name,
            compared,
            in_fresh_processes,
            outcome,
            hindrance,
            tolerance: self.settings.tolerance.value,
            metric: Metric::wall(),
            work: self.test.work,
            environment,
        })))
    }

    /// Notes what limits the use of the answer.
    fn notes_on_use(&self, compared: &judge::ComparisonResult, outcome: Outcome) -> Vec<Note> {
        let fails = outcome == Outcome::Failed && compared.reason.is_without_answer();
        let strict = fails.then_some(Note::UnclearFails);
        [crowding(self.session, self.test), strict].into_iter().flatten().into_list()
    }

    /// Compares by turns in this process.
    fn compared_here(&self) -> Result<judge::ComparisonResult, Failure> {
        let timeout = self.settings.timeout.value;
        let mut meeting = Meeting::new(self, self.policy(self.budget_ns()));
        refuse_judging(&run_body(self.session, self.test, timeout, &mut meeting)?)?;
        meeting.compared.ok_or(Failure::NothingMeasured)
    }

    /// Confirms in pairs of fresh processes that a test is slower.
    fn confirmed(&self, here: judge::ComparisonResult) -> VersusAnswer {
        let isolation = self.session.isolation;
        if !isolation.wait_for_quiet() {
            return VersusAnswer::of_this_process(Reason::NotAlone, None, here);
        }
        // Most of the time goes into starting processes.
        let budget_ns = ComparisonPolicy::default().budget_ns.max(self.budget_ns());
        let watch = QuietWatch::start();
        match self.compared_afresh(self.policy(budget_ns)) {
            Err(why) => {
                let note = Note::NotConfirmed { why: why.clone() };
                VersusAnswer {
                    obstacle: Some(Obstacle::NoFreshProcess(why)),
                    ..VersusAnswer::of_this_process(Reason::Unclear, Some(note), here)
                }
            }
            Ok(_) if isolation == Isolation::Neighbours && !watch.was_quiet() => {
                VersusAnswer::of_this_process(Reason::NotAlone, None, here)
            }
            Ok(compared) => VersusAnswer::of_fresh_processes(compared),
        }
    }

    /// Compares by pairs of fresh processes, one of the test and one of its rival.
    ///
    /// # Errors
    /// The failure of a process.
    fn compared_afresh(&self, policy: ComparisonPolicy) -> Result<judge::ComparisonResult, String> {
        let longest = self.settings.longest_answer();
        let head = worker_command(self.test.names(), &this_executable()?, longest)?;
        let environment = vec![(RIVAL_VARIABLE.into(), "1".into())];
        let base = WorkerCommand { environment, ..head.clone() };
        let pair = WorkerPair { base: &base, head: &head, longest };
        let compared = pair.compare(Metric::wall().direction, policy);
        compared.map(|decided| decided.result).map_err(|SideFailure { side, why }| match side {
            Side::Base => format!("`{}`: {why}", self.rival_name),
            Side::Head => why,
        })
    }

    /// Uses another seed each time, so that a retry takes its turns in another order.
    fn policy(&self, budget_ns: u64) -> ComparisonPolicy {
        let tolerance = self.settings.tolerance.value;
        let seed = entropy() as u64;
        ComparisonPolicy { tolerance, budget_ns, seed, ..ComparisonPolicy::default() }
    }

    fn budget_ns(&self) -> u64 {
        self.settings.policy(&Metric::wall()).budget_ns
    }
}

impl VersusAnswer {
    fn of_this_process(reason: Reason, note: Option<Note>, here: judge::ComparisonResult) -> Self {
        let notes = note.into_iter().into_list();
        let compared = judge::ComparisonResult { reason, notes, ..here };
        Self { compared, in_fresh_processes: false, obstacle: None }
    }

    /// Only a red confirms a red: any other result leaves the answer open.
    fn of_fresh_processes(afresh: judge::ComparisonResult) -> Self {
        let (reason, notes) = match afresh.reason {
            Reason::Red => (Reason::Red, afresh.notes.clone()),
            Reason::Green | Reason::Improved => {
                (Reason::Unclear, vec![Note::SlowOnlyInThisProcess])
            }
            reason => (reason, vec![Note::SlowInThisProcessUnproven]),
        };
        let compared = judge::ComparisonResult { reason, notes, ..afresh };
        Self { compared, in_fresh_processes: true, obstacle: None }
    }
}

/// Refuses own metrics with a tolerance: beside `versus` there is no history for them.
fn refuse_judging(own: &[OwnMetric]) -> Result<(), Failure> {
    let judging = own.iter().find(|it| it.tolerance.is_some());
    judging.map_or(Ok(()), |OwnMetric { value, .. }| {
        Err(Failure::Series(format!(
            "the metric `{}` has a tolerance, but a test with `versus` has no history to judge it \
             by: give it without a tolerance, or in a test of its own",
            value.metric.name
        )))
    })
}

/// Converts a failure of the function that a test is compared with.
pub(super) fn of_rival(name: &str, failure: &Failure) -> Failure {
    Failure::Rival(format!("`{name}`: {failure}"))
}
