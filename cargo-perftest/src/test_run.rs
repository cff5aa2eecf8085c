//! The perf tests of the working tree, run by the user's test runner.

use crate::args::{RunArgs as Args, Runner};
use crate::cargo::{cargo, metadata};
use crate::compare::{
    SideTest, SideTests, TestComparison, build_in_place, performance_test, select_beside_left_out,
};
use crate::ended_test::EndedTest;
use crate::exit::{Result, refuse};
use crate::live_view::{ShownOn, is_coloured, run_shown};
use crate::outcome_file::OutcomeFile;
use crate::report::print_progress;
use crate::run_plan::RunPlan;
use crate::scratch_file::ScratchFile;
use crate::session_id::{session_id, session_id_of_shards};
use crate::test_past::test_pasts;
use perftest_core::model::BenchmarkId;
use perftest_process::{
    BOOTSTRAP_VARIABLE, CHOSEN_VARIABLE, ChosenTests, OUTCOMES_VARIABLE, SESSION_VARIABLE,
    TestOutcome,
};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The result of the working tree's perf tests.
#[derive(Debug, Default)]
pub(crate) struct TestRun {
    /// The exit code of the runner.
    code: u8,
    /// All tests that should run, with the outcome of the last attempt; `None` without an outcome.
    outcomes: BTreeMap<BenchmarkId, Option<TestOutcome>>,
    /// Whether a test that was not requested failed by its verdict, or the lack of one: executables with an older
    /// perftest also run others of the same name.
    has_other_failed: bool,
    /// The tests of all invocations of the runner.
    pub(crate) tests: Vec<SideTest>,
    /// Tests whose verdicts fail nothing.
    report_only: BTreeSet<BenchmarkId>,
    /// Those that the budget left no time for.
    pub(crate) not_run: Vec<BenchmarkId>,
    /// When the budget ends.
    pub(crate) end: Option<Instant>,
    /// The session of all invocations of the runner.
    pub(crate) session: String,
}

impl TestRun {
    /// Builds the requested tests in `directory` and runs them, without any other perf test. An ordinary test of the
    /// same name in a target that the runner starts runs too. The runner's standard output goes to `shown_on`. `store` is the directory of the history; without
    /// it the environment decides.
    pub(crate) fn of(
        args: &Args,
        directory: &Path,
        store: Option<&Path>,
        shown_on: ShownOn,
    ) -> Result<Self> {
        let mut executables = build_in_place(directory, &args.build)?;
        select_beside_left_out(&mut executables, &metadata(directory)?, &args.build);
        let tests = SideTests::list(&executables, args.pairs.timeout)?;
        let mut tests = tests.choose(&args.tests)?;
        if tests.is_empty() {
            let what = performance_test(&args.tests);
            return refuse(format!("there is no {what} that is built with these options"));
        }
        tests.retain(|test| args.shard.is_none_or(|shard| shard.has(&test.listed.benchmark)));
        if tests.is_empty() {
            print_progress(&"this shard has none of the performance tests");
        }
        let pasts = args.budget.map(|_| test_pasts(&tests, directory, store)).unwrap_or_default();
        let mut plan = RunPlan::new(tests, &pasts);
        let end = args.budget.and_then(|budget| Instant::now().checked_add(budget));
        let variable = |name: &str| env::var(name).ok();
        let session = match args.shard {
            Some(_) => session_id_of_shards(&variable),
            None => session_id(&variable),
        };
        let mut run = Self { end, session, ..Self::default() };
        loop {
            let remaining = end.map(|end| end.saturating_duration_since(Instant::now()));
            let batch = plan.next_batch(remaining);
            if batch.is_empty() {
                break;
            }
            run.add_batch(args, directory, store, shown_on, &batch)?;
        }
        run.not_run = plan.waiting();
        Ok(run)
    }

    /// Runs these tests in one invocation of the runner.
    fn add_batch(
        &mut self,
        args: &Args,
        directory: &Path,
        store: Option<&Path>,
        shown_on: ShownOn,
        tests: &[SideTest],
    ) -> Result<()> {
        let (file, chosen) = (OutcomeFile::new()?, chosen_file(tests)?);
        let mut runner = runner(args, directory, tests);
        runner.env(CHOSEN_VARIABLE, chosen.path());
        runner.env(OUTCOMES_VARIABLE, file.path()).env(SESSION_VARIABLE, &self.session);
        if let Some(store) = store {
            runner.env("PERFTEST_STORE", store);
        }
        if args.bootstrap.is_some() {
            runner.env(BOOTSTRAP_VARIABLE, "1");
        }
        let status = run_shown(&mut runner, tests.len(), file.path(), shown_on)?;
        // A signal, or an exit code of another system, counts as cargo's code for a failure.
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(101);
        if self.code == 0 {
            self.code = code;
        }
        self.tests.extend_from_slice(tests);
        let reports = tests.iter().filter(|test| test.listed.is_report_only);
        self.report_only.extend(reports.map(|test| test.listed.benchmark.clone()));
        self.outcomes.extend(tests.iter().map(|test| (test.listed.benchmark.clone(), None)));
        for test_outcome in file.take()? {
            self.add_outcome(test_outcome);
        }
        Ok(())
    }

    fn add_outcome(&mut self, test_outcome: TestOutcome) {
        match self.outcomes.get_mut(&test_outcome.benchmark) {
            Some(outcome) => *outcome = Some(test_outcome),
            None => self.has_other_failed |= is_of_perftest(&test_outcome),
        }
    }

    /// Returns every test with its outcome.
    pub(crate) fn ended(&self) -> Vec<EndedTest> {
        let ended = self.outcomes.iter().map(|(benchmark, outcome)| EndedTest {
            benchmark: benchmark.clone(),
            outcome: outcome.clone(),
        });
        ended.collect()
    }

    /// Returns the exit code of the runner if something failed for another reason than a verdict or
    /// the lack of one.
    pub(crate) fn failure(&self) -> Option<u8> {
        let is_explained = |outcome: &Option<TestOutcome>| {
            outcome.as_ref().is_some_and(|it| !it.has_failed || is_of_perftest(it))
        };
        let mut outcomes = self.outcomes.values().flatten();
        let has_failed = self.has_other_failed || outcomes.any(is_of_perftest);
        let is_of_us = has_failed && self.outcomes.values().all(is_explained);
        (self.code != 0 && !is_of_us).then_some(self.code)
    }

    /// Returns whether each perf test passed and the runner failed: for another test of the same name, or by itself.
    pub(crate) fn has_failed_elsewhere(&self) -> bool {
        let has_passed = |it: &Option<TestOutcome>| it.as_ref().is_some_and(|it| !it.has_failed);
        self.code != 0 && !self.has_other_failed && self.outcomes.values().all(has_passed)
    }

    /// Returns whether a test failed for its speed.
    pub(crate) fn is_slower(&self) -> bool {
        self.outcomes.values().flatten().any(TestOutcome::has_failed_for_speed)
    }

    /// Returns whether a test failed because it was not decided, by its settings, and no
    /// comparison settled it.
    pub(crate) fn has_failed_undecided(&self, compared: &[TestComparison]) -> bool {
        let mut outcomes = self.unsettled(compared);
        outcomes.any(|it| it.has_failed_by_verdict() && !it.has_failed_for_speed())
    }

    /// Returns whether a test failed for lack of a verdict or record, and no comparison
    /// settled it.
    pub(crate) fn has_failed_unjudged(&self, compared: &[TestComparison]) -> bool {
        self.unsettled(compared).any(TestOutcome::has_failed_unjudged)
    }

    /// Returns whether a test that has a history, and can fail by it, was not decided by it, and
    /// no comparison settled it.
    pub(crate) fn is_undecided(&self, compared: &[TestComparison]) -> bool {
        let mut judged = self
            .unsettled(compared)
            .filter(|outcome| !self.report_only.contains(&outcome.benchmark))
            .filter_map(|outcome| outcome.judged);
        judged.any(|judged| judged.reason.is_undecided())
    }

    /// Returns the outcomes that no comparison settled.
    fn unsettled(&self, compared: &[TestComparison]) -> impl Iterator<Item = &TestOutcome> {
        let is_unsettled = |it: &&TestOutcome| !compared.iter().any(|answer| answer.settles(it));
        self.outcomes.values().flatten().filter(is_unsettled)
    }

    /// Returns the stages and metrics of a test that its history did not decide.
    pub(crate) fn open_beside_wall(&self, benchmark: &BenchmarkId) -> &[String] {
        let outcome = self.outcomes.get(benchmark).and_then(Option::as_ref);
        outcome.map_or(&[], |it| &it.open_beside_wall)
    }

    /// Returns a test without an outcome, if no failure is known.
    pub(crate) fn without_outcome(&self) -> Option<&BenchmarkId> {
        let mut without_outcome = self.outcomes.iter().filter(|(_, outcome)| outcome.is_none());
        without_outcome.next().map(|(benchmark, _)| benchmark).filter(|_| self.code == 0)
    }

    /// Returns the tests that were measured and not decided by their history.
    pub(crate) fn open(&self) -> BTreeSet<BenchmarkId> {
        let outcomes = self.outcomes.values().flatten().filter(|it| it.is_open());
        outcomes.map(|outcome| outcome.benchmark.clone()).collect()
    }
}

fn is_of_perftest(outcome: &TestOutcome) -> bool {
    outcome.has_failed_by_verdict() || outcome.has_failed_unjudged()
}

/// Returns a file with the identities of these tests.
fn chosen_file(tests: &[SideTest]) -> Result<ScratchFile> {
    let file = ScratchFile::new("chosen")?;
    let identities = tests.iter().map(|test| &test.listed.benchmark);
    file.write(ChosenTests::new(identities).as_str())?;
    Ok(file)
}

/// Returns the command that runs these tests. Others of the same names run too, unless their processes know the chosen
/// ones.
fn runner(args: &Args, directory: &Path, tests: &[SideTest]) -> Command {
    let mut runner = cargo(directory);
    match args.runner {
        Runner::Cargo => runner.args(["test", "--profile"]),
        Runner::Nextest => runner.args(["nextest", "run", "--cargo-profile"]),
    };
    runner.args([&args.build.compile.profile, "--no-fail-fast"]).args(args.build.selection());
    let selectors: BTreeSet<&[String]> =
        tests.iter().map(|test| test.executable.selector.as_slice()).collect();
    runner.args(selectors.into_iter().flatten());
    // A program that prints into our pipe sees no terminal.
    let color = is_coloured().then_some("--color=always");
    let is_any_ignored = tests.iter().any(|test| test.listed.is_ignored);
    // The tests run one after the other, because measuring tests disturb each other.
    match args.runner {
        Runner::Cargo => {
            let ignored = is_any_ignored.then_some("--include-ignored");
            runner.args(color).args(["--", "--test-threads=1"]).args(color).args(ignored)
        }
        Runner::Nextest => {
            let ignored: &[&str] = if is_any_ignored { &["--run-ignored", "all"] } else { &[] };
            runner.args(color).args(ignored).args(["--test-threads=1", "--"])
        }
    };
    let names = tests.iter().flat_map(|test| test.listed.runner_names());
    runner.arg("--exact").args(names.collect::<BTreeSet<&str>>());
    runner
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args as CommandLine, CliCommand};
    use crate::compare::CompareStatus;
    use clap::Parser;
    use perftest_core::model::Outcome;
    use perftest_core::model::Reason;
    use perftest_process::JudgedOutcome;

    /// Creates a result with outcomes: `None` without an outcome, `Some(None)` for a body that
    /// failed.
    fn ended(code: u8, outcomes: &[(&str, Option<Option<Reason>>)]) -> TestRun {
        let outcome = |benchmark: &BenchmarkId, reason: Option<Reason>| TestOutcome {
            benchmark: benchmark.clone(),
            has_failed: reason.is_none_or(|reason| reason.outcome() == Outcome::Failed),
            is_unjudged: false,
            judged: reason.map(|reason| JudgedOutcome {
                reason,
                baseline_runs: if reason == Reason::NoBaseline { 4 } else { 5 },
                fewest_runs: 0,
                baseline_needed: 5,
                counts_for_baseline: true,
                is_accepted: false,
            }),
            series: None,
            open_beside_wall: Vec::new(),
            line: None,
            note: None,
        };
        let outcomes = outcomes.iter().map(|(name, test_outcome)| {
            let benchmark = BenchmarkId::from_recorded(*name);
            let outcome = test_outcome.map(|reason| outcome(&benchmark, reason));
            (benchmark, outcome)
        });
        TestRun { code, outcomes: outcomes.collect(), ..TestRun::default() }
    }

    const GREEN: Option<Option<Reason>> = Some(Some(Reason::Green));
    const RED: Option<Option<Reason>> = Some(Some(Reason::Red));
    const BROKEN: Option<Option<Reason>> = Some(None);

    #[test]
    fn a_runner_leaves_out_no_chosen_test_for_its_ignore() {
        let runner = |options: &str, is_ignored| {
            let line = format!("cargo-perftest run {options}");
            let parsed = CommandLine::parse_from(line.split_whitespace());
            let CliCommand::Run(args) = parsed.command else { panic!("another command") };
            let mut test = SideTest::named("codec::perf::everything");
            test.listed.is_ignored = is_ignored;
            let runner = runner(&args, Path::new("/w"), &[test]);
            let words: Vec<_> = runner.get_args().map(|word| word.to_string_lossy()).collect();
            words.join(" ")
        };
        let (cargo, nextest) = (runner("", true), runner("--runner nextest", true));
        assert!(cargo.contains(" -- ") && cargo.contains(" --include-ignored"), "{cargo}");
        assert!(nextest.contains(" --run-ignored all "), "{nextest}");
        for others in [runner("", false), runner("--runner nextest", false)] {
            assert!(!others.contains("ignored"), "{others}");
        }
    }

    #[test]
    fn a_runner_that_failed_for_reds_alone_has_no_other_failure() {
        assert_eq!(ended(0, &[("a", GREEN)]).failure(), None);
        let red = ended(101, &[("a", GREEN), ("b", RED)]);
        assert_eq!((red.failure(), red.is_slower()), (None, true));
    }

    #[test]
    fn a_broken_body_a_crash_and_a_failure_without_an_outcome_are_the_runners() {
        assert_eq!(ended(100, &[("a", RED), ("b", BROKEN)]).failure(), Some(100));
        let crashed = ended(101, &[("a", RED), ("b", None)]);
        assert_eq!((crashed.failure(), crashed.without_outcome()), (Some(101), None));
        let elsewhere = ended(101, &[("a", GREEN)]);
        assert_eq!((elsewhere.failure(), elsewhere.has_failed_elsewhere()), (Some(101), true));
        for here in [ended(0, &[("a", GREEN)]), ended(101, &[("a", GREEN), ("b", BROKEN)]), crashed]
        {
            assert!(!here.has_failed_elsewhere());
        }
    }

    #[test]
    fn a_red_of_a_test_that_was_not_requested_is_no_other_failure() {
        for (reason, expected) in [(RED, None), (GREEN, Some(101)), (BROKEN, Some(101))] {
            let mut run = ended(101, &[("a::perf::words", GREEN)]);
            let other = ended(101, &[("b::perf::words", reason)]);
            other.outcomes.into_values().flatten().for_each(|it| run.add_outcome(it));
            assert_eq!((run.failure(), run.is_slower()), (expected, false));
        }
    }

    #[test]
    fn a_test_that_has_to_be_decided_and_was_not_failed_by_its_verdict() {
        let mut run = ended(101, &[("a", GREEN), ("b", Some(Some(Reason::Unclear)))]);
        let unclear = run.outcomes.values_mut().flatten().last().unwrap();
        unclear.has_failed = true;
        assert_eq!(
            (run.failure(), run.is_slower(), run.has_failed_undecided(&[])),
            (None, false, true)
        );
    }

    #[test]
    fn a_test_that_could_not_be_judged_is_open_until_it_was_compared() {
        let mut run = ended(101, &[("a", GREEN), ("b", GREEN)]);
        let hindered = run.outcomes.values_mut().flatten().last().expect("there are two");
        (hindered.has_failed, hindered.is_unjudged) = (true, true);
        assert_eq!((run.failure(), run.has_failed_unjudged(&[])), (None, true));
        assert_eq!(run.open().len(), 1);
        assert!(!run.has_failed_unjudged(&[TestComparison::of_measured("b", Reason::Green, 1.0)]));
    }

    #[test]
    fn a_test_on_a_disturbed_machine_is_not_decided() {
        for reason in [Reason::Untrusted, Reason::NotAlone] {
            assert!(ended(0, &[("a", Some(Some(reason)))]).is_undecided(&[]), "{reason:?}");
        }
        assert!(!ended(0, &[("a", Some(Some(Reason::NoBaseline)))]).is_undecided(&[]));
    }

    #[test]
    fn a_test_that_only_reports_needs_no_decision() {
        let mut run = ended(0, &[("a", GREEN), ("b", Some(Some(Reason::Unclear)))]);
        assert!(run.is_undecided(&[]));
        run.report_only.insert(BenchmarkId::from_recorded("b"));
        assert!(!run.is_undecided(&[]));
    }

    #[test]
    fn a_test_that_was_left_out_is_noticed() {
        let left_out = ended(0, &[("a", GREEN), ("b", None)]);
        assert_eq!(left_out.without_outcome().map(BenchmarkId::as_str), Some("b"));
    }

    #[test]
    fn a_test_that_was_compared_afterwards_is_decided_by_that() {
        let run = ended(0, &[("a", GREEN), ("b", Some(Some(Reason::Unclear)))]);
        assert!(run.is_undecided(&[TestComparison::of_measured("a", Reason::Green, 1.0)]));
        assert!(!run.is_undecided(&[TestComparison::of_measured("b", Reason::Green, 1.0)]));
    }

    #[test]
    fn a_comparison_without_an_answer_settles_no_failed_test() {
        let mut run = ended(101, &[("a", Some(Some(Reason::Unclear)))]);
        let failed = run.outcomes.values_mut().flatten().last().expect("there is one");
        failed.has_failed = true;
        for reason in [Reason::Unclear, Reason::Unstable] {
            let compared = [TestComparison::of_measured("a", reason, 0.9)];
            assert!(run.has_failed_undecided(&compared) && run.is_undecided(&compared));
        }
        let unjudged = run.outcomes.values_mut().flatten().last().expect("there is one");
        unjudged.is_unjudged = true;
        assert!(run.has_failed_unjudged(&[TestComparison::of_measured("a", Reason::Unclear, 0.9)]));
    }

    #[test]
    fn a_comparison_of_wall_time_settles_no_stage_and_no_further_metric() {
        let mut run = ended(101, &[("a", Some(Some(Reason::Unclear)))]);
        let unclear = run.outcomes.values_mut().flatten().last().expect("there is one");
        (unclear.has_failed, unclear.open_beside_wall) = (true, vec!["allocs".to_owned()]);
        let green = [TestComparison::of_measured("a", Reason::Green, 1.0)];
        assert!(run.has_failed_undecided(&green) && run.is_undecided(&green));
        let same_code = [TestComparison::found("a", CompareStatus::SameCode)];
        assert!(!run.has_failed_undecided(&same_code) && !run.is_undecided(&same_code));
        let unjudged = run.outcomes.values_mut().flatten().last().expect("there is one");
        unjudged.is_unjudged = true;
        assert!(run.has_failed_unjudged(&green) && !run.has_failed_unjudged(&same_code));
    }

    #[test]
    fn what_its_history_did_not_decide_is_open() {
        let open = [Reason::NoBaseline, Reason::Unclear, Reason::Unstable, Reason::Untrusted];
        for reason in open {
            let run = ended(0, &[("a", GREEN), ("b", Some(Some(reason))), ("c", BROKEN)]);
            let names: Vec<String> = run.open().iter().map(ToString::to_string).collect();
            assert_eq!(names, ["b"], "{reason:?}");
        }
    }
}
