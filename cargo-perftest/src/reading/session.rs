//! What one session recorded: the source of every report and export.

use crate::command_context::CommandContext;
use crate::exit::Result;
use perftest_core::model::{Evidence, Metric, Note, Outcome, Reason, Run};
use perftest_store::Series;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Runs to look through for the newest session, per test.
const LOOK_BACK: usize = 50;
/// Runs to look through for a session that is named, per test.
const LOOK_BACK_FOR_NAMED: usize = 2_000;
/// Runs of a course.
const COURSE: usize = 30;

/// The judged runs of a session, worst first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SessionView {
    /// Empty where nothing is recorded.
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) runs: Vec<SessionRun>,
}

/// The newest judged run of a series in a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionRun {
    pub(crate) run: Run,
    pub(crate) evidence: Evidence,
    /// Medians of the runs of its history up to it, oldest first.
    pub(crate) course: Vec<f64>,
    /// The answer in words where it was compared with another revision instead of its history.
    pub(crate) compared: Option<String>,
}

/// What a session may need of a history, without its runs: a store has more of them than memory.
struct HistorySessions {
    series: Series,
    /// Of its runs that are not only shown.
    sessions: HashSet<String>,
    /// Of its judged runs.
    judged: HashSet<String>,
    newest: Option<NewestSession>,
    /// The run in the named session, else in the newest one.
    run: Option<SessionRun>,
}

/// The session of a judged run, in the order of time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NewestSession {
    is_past: bool,
    started_ms: u64,
    session: String,
}

/// The kind of a verdict, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// Its verdict fails the test.
    Failed,
    /// Its verdict would fail the test, but `on_red` is `report`.
    Reported,
    /// It was measured and not decided.
    Undecided,
    /// There is too little history to compare with.
    NoBaseline,
    /// It is slower than tolerated, and not slower than accepted.
    Accepted,
    /// Nothing was found to be worse.
    Passed,
}

impl SessionRun {
    pub(crate) fn standing(&self) -> Standing {
        let is_report_only = self.run.flags.iter().any(|flag| flag == Run::ON_RED_REPORT);
        let Evidence { reason, notes, .. } = &self.evidence;
        let fails_unclear = reason.is_without_answer() && notes.contains(&Note::UnclearFails);
        let fails = reason.outcome() == Outcome::Failed || fails_unclear;
        match reason {
            _ if fails && is_report_only => Standing::Reported,
            _ if fails => Standing::Failed,
            Reason::NoBaseline => Standing::NoBaseline,
            _ if self.evidence.is_accepted() => Standing::Accepted,
            Reason::Green | Reason::Improved | Reason::SameCode | Reason::MachineSlower => {
                Standing::Passed
            }
            _ => Standing::Undecided,
        }
    }

    /// By standing, then the gravest verdict, then the largest certain degradation, then the name.
    fn worst_first(&self, other: &Self) -> Ordering {
        let worse =
            |it: &Self| it.evidence.degradation.map_or(0.0, |degradation| degradation.lower);
        self.standing()
            .cmp(&other.standing())
            .then_with(|| other.evidence.reason.gravity().cmp(&self.evidence.reason.gravity()))
            .then_with(|| worse(other).total_cmp(&worse(self)))
            .then_with(|| self.run.benchmark.cmp(&other.run.benchmark))
            .then_with(|| self.run.metric.name.cmp(&other.run.metric.name))
            .then_with(|| self.run.testbed.cmp(&other.run.testbed))
    }
}

impl SessionView {
    /// Reads what a session recorded of these series; empty where none of them has a judged run in it.
    ///
    /// Without a name it is the one of the newest run, but none that is only shown. A run from the future counts only
    /// where there is no other: a machine whose clock was ahead must not have the newest one for a long time.
    pub(crate) fn read(
        named: Option<&str>,
        all: &[Series],
        context: &CommandContext<'_>,
    ) -> Result<Self> {
        let look_back = if named.is_some() { LOOK_BACK_FOR_NAMED } else { LOOK_BACK };
        context.announce_newest(all, look_back);
        let now_ms = context.now_ms();
        let mut histories = context.map_histories(all, |series, records| {
            let runs = records.history(series, look_back)?.runs;
            Ok(HistorySessions::of(series, runs, named, now_ms))
        })?;
        let id = match named {
            Some(id) => id.to_owned(),
            None => histories
                .iter()
                .filter_map(|it| it.newest.as_ref())
                .max()
                .map_or_else(String::new, |newest| newest.session.clone()),
        };
        // A run that is only shown may claim the session of others.
        if histories.iter().any(|it| it.sessions.contains(&id)) {
            histories.retain(|it| !it.sessions.is_empty());
        }
        let is_missed = |it: &&HistorySessions| {
            it.run.as_ref().is_none_or(|it| it.run.session != id) && it.judged.contains(&id)
        };
        let missed: Vec<Series> =
            histories.iter().filter(is_missed).map(|it| it.series.clone()).collect();
        context.announce_newest(&missed, look_back);
        let found = context.map_histories(&missed, |series, records| {
            Ok(newest_of(&id, records.history(series, look_back)?.runs))
        })?;
        let of_histories = histories.into_iter().filter_map(|it| it.run);
        let mut runs: Vec<SessionRun> = of_histories
            .filter(|it| it.run.session == id)
            .chain(found.into_iter().flatten())
            .collect();
        runs.sort_by(SessionRun::worst_first);
        Ok(Self { id, project: context.project.name.clone(), runs })
    }

    /// Takes the answers of a comparison in the place of those of the history: of the wall time of these tests,
    /// the evidence and the answer in words.
    pub(crate) fn replace(
        &mut self,
        mut answer_of: impl FnMut(&SessionRun) -> Option<(Evidence, String)>,
    ) {
        for run in self.runs.iter_mut().filter(|it| it.run.metric == Metric::wall()) {
            if let Some((evidence, words)) = answer_of(run) {
                (run.evidence, run.compared) = (evidence, Some(words));
            }
        }
        self.runs.sort_by(SessionRun::worst_first);
    }

    /// Takes back that settings fail these runs without an answer, because something else answered.
    pub(crate) fn settle(&mut self, is_settled: impl Fn(&Run) -> bool) {
        for SessionRun { evidence, .. } in self.runs.iter_mut().filter(|it| is_settled(&it.run)) {
            evidence.notes.retain(|note| *note != Note::UnclearFails);
        }
        self.runs.sort_by(SessionRun::worst_first);
    }

    pub(crate) fn count(&self, standing: Standing) -> usize {
        self.runs.iter().filter(|run| run.standing() == standing).count()
    }
}

impl HistorySessions {
    fn of(series: &Series, runs: Vec<Run>, named: Option<&str>, now_ms: u64) -> Self {
        let sessions_of = |is_meant: &dyn Fn(&Run) -> bool| {
            runs.iter().filter(|run| is_meant(run)).map(|run| run.session.clone()).collect()
        };
        let sessions = sessions_of(&|run| !run.is_show_only());
        let judged = sessions_of(&|run| run.evidence.is_some());
        let session_of = |run: &Run| NewestSession {
            is_past: run.started_ms <= now_ms,
            started_ms: run.started_ms,
            session: run.session.clone(),
        };
        let counted = runs.iter().filter(|run| run.evidence.is_some() && !run.is_show_only());
        let newest = counted.map(session_of).max();
        let id = named.or(newest.as_ref().map(|newest| newest.session.as_str()));
        let run = id.and_then(|id| newest_of(id, runs));
        Self { series: series.clone(), sessions, judged, newest, run }
    }
}

/// The newest judged run of a history in a session, with the course up to it.
fn newest_of(session: &str, mut runs: Vec<Run>) -> Option<SessionRun> {
    let is_meant = |run: &Run| run.session == session && run.evidence.is_some();
    let newest = runs.iter().rposition(is_meant)?;
    runs.truncate(newest + 1);
    // Fresh processes of a confirmation were measured because something was slow.
    let mut course: Vec<f64> =
        runs.iter().filter(|run| !run.is_confirmation()).filter_map(Run::center).collect();
    course.drain(..course.len().saturating_sub(COURSE));
    let run = runs.pop()?;
    let evidence = run.evidence.clone()?;
    Some(SessionRun { run, evidence, course, compared: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Interval;
    use perftest_store::conformance::example_run;

    fn judged(ordinal: u64, reason: Reason, lower: f64) -> SessionRun {
        let mut run = example_run(ordinal);
        let evidence = run.evidence.as_mut().unwrap();
        evidence.reason = reason;
        evidence.degradation = Some(Interval { estimate: lower, lower, upper: lower });
        newest_of(&run.session.clone(), vec![run]).unwrap()
    }

    #[test]
    fn failed_runs_come_first_the_largest_degradation_before_others() {
        let mut runs = [
            judged(0, Reason::Green, 1.0),
            judged(1, Reason::NoBaseline, 1.0),
            judged(2, Reason::Red, 1.2),
            judged(3, Reason::Unclear, 1.0),
            judged(4, Reason::Red, 1.9),
        ];
        runs.sort_by(SessionRun::worst_first);
        let order = runs.map(|run| (run.evidence.reason, run.evidence.degradation.unwrap().lower));
        let expected = [
            (Reason::Red, 1.9),
            (Reason::Red, 1.2),
            (Reason::Unclear, 1.0),
            (Reason::NoBaseline, 1.0),
            (Reason::Green, 1.0),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_red_of_a_test_that_only_reports_fails_nothing() {
        let mut run = judged(0, Reason::Red, 1.9);
        assert_eq!(run.standing(), Standing::Failed);
        run.run.flags.push(Run::ON_RED_REPORT.to_owned());
        assert_eq!(run.standing(), Standing::Reported);
    }

    #[test]
    fn an_unclear_run_has_failed_where_the_settings_fail_it() {
        for reason in [Reason::Unclear, Reason::Unstable] {
            let mut run = judged(0, reason, 1.0);
            assert_eq!(run.standing(), Standing::Undecided);
            run.evidence.notes.push(Note::UnclearFails);
            assert_eq!(run.standing(), Standing::Failed);
            // Another answer in its place fails nothing.
            run.evidence.reason = Reason::SameCode;
            assert_eq!(run.standing(), Standing::Passed);
        }
    }

    #[test]
    fn a_slowdown_within_its_acceptance_is_no_finding_and_counted_apart() {
        let within = |lower| judged(0, Reason::Green, lower).standing();
        // The example is accepted up to 1.12x.
        assert_eq!([1.1, 1.01].map(within), [Standing::Accepted, Standing::Passed]);
    }

    #[test]
    fn a_comparison_answers_in_the_place_of_the_history_and_counts_as_its_verdict() {
        let runs = vec![judged(0, Reason::NoBaseline, 1.0), judged(1, Reason::NoBaseline, 1.0)];
        let mut session = SessionView { runs, ..SessionView::default() };
        let slower = session.runs[1].run.id.clone();
        session.replace(|it| {
            let evidence = Evidence { reason: Reason::Red, ..it.evidence.clone() };
            (it.run.id == slower).then(|| (evidence, "1.9x slower beside main".to_owned()))
        });
        let found = &session.runs[0];
        assert_eq!((&found.run.id, found.standing()), (&slower, Standing::Failed));
        assert_eq!(found.compared.as_deref(), Some("1.9x slower beside main"));
        assert_eq!(
            (session.count(Standing::NoBaseline), session.runs[1].compared.is_none()),
            (1, true)
        );
    }

    #[test]
    fn the_course_ends_with_the_run_of_the_session_and_has_no_confirmation() {
        let confirming =
            Run { flags: vec![Run::CONFIRMING.to_owned()], evidence: None, ..example_run(1) };
        let later = Run { session: "later".into(), ..example_run(3) };
        let runs = vec![example_run(0), confirming, example_run(2), later];
        let found = newest_of(&example_run(0).session, runs).unwrap();
        assert_eq!(found.run.id, example_run(2).id);
        assert_eq!(found.course.len(), 2);
    }
}
