//! The tests of `cargo perftest run` that their history did not decide, side by side with the base.

use super::run_summary::RunOverview;
use crate::args::{AnswerFormat, OnUndecided, RunArgs as Args};
use crate::compare::{
    CompareConclusion, Counting, Measurer, SideNames, Sides, SourceRevision, TestComparison,
    add_to_summary, annotations, answers_as_markdown, write_answers,
};
use crate::ended_test::EndedTest;
use crate::exit::{Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::reading::SessionView;
use crate::report::print_progress;
use crate::test_run::TestRun;
use perftest_core::model::BenchmarkId;
use perftest_process::{CiProvider, TestOutcome};
use perftest_store::Testbeds;
use std::collections::HashSet;
use std::env;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// The tests that were compared with the base.
pub(super) struct BaseComparison {
    /// The worst first.
    pub(super) answers: Vec<TestComparison>,
    pub(super) names: SideNames,
    pub(super) conclusion: CompareConclusion,
}

impl BaseComparison {
    pub(super) fn write(&self, format: AnswerFormat, out: &mut dyn Write) -> Result<()> {
        if format != AnswerFormat::Json {
            writeln!(out)?;
        }
        write_answers(&self.answers, &self.names, self.conclusion, format, out)
    }

    /// The same in Markdown, in at most so many bytes.
    pub(super) fn markdown(&self, room: usize) -> String {
        answers_as_markdown(&self.answers, &self.names, self.conclusion, room)
    }

    /// Puts the answers in the place of those of the history. What they settle of these tests fails no series of theirs.
    pub(super) fn answer(&self, session: &mut SessionView, tests: &[EndedTest]) {
        session.replace(|run| {
            let answer = self.answers.iter().find(|it| it.benchmark == run.run.benchmark)?;
            Some((answer.in_place_of(&run.evidence)?, answer.sentence(&self.names.base.words)))
        });
        let is_settled = |outcome: &&TestOutcome| {
            self.answers.iter().any(|answer| !answer.has_failed() && answer.settles(outcome))
        };
        let outcomes = tests.iter().filter_map(|test| test.outcome.as_ref()).filter(is_settled);
        let settled: HashSet<&str> = outcomes.map(|it| it.benchmark.as_str()).collect();
        session.settle(|run| settled.contains(run.benchmark.whole()));
    }

    /// Annotations and a table for a job of GitHub Actions. Where the answer is Markdown, the job puts it
    /// where it likes.
    pub(super) fn report_to_job(&self, summary: &RunOverview, format: AnswerFormat) -> Result<()> {
        let variable = |name: &str| env::var(name).ok();
        if CiProvider::from_variables(&variable) != Some(CiProvider::GitHub) {
            return Ok(());
        }
        let lines = annotations(&self.answers, &self.names.base.words, |it| summary.place_of(it));
        // A closed standard error is no reason to fail.
        let _ = std::io::stderr().write_all(lines.as_bytes());
        let file = variable("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty());
        if let Some(file) = file.filter(|_| format != AnswerFormat::Markdown) {
            let mut markdown = Vec::new();
            self.write(AnswerFormat::Markdown, &mut markdown)?;
            let markdown = String::from_utf8_lossy(&markdown);
            if let Err(error) = add_to_summary(&markdown, Path::new(&file)) {
                print_progress(&format_args!(
                    "warning: the summary of this step cannot be written to `{file}`: {error}"
                ));
            }
        }
        Ok(())
    }
}

/// Compares the tests that their history did not decide side by side with the base.
pub(super) fn bootstrap(
    run: &mut TestRun,
    base: SourceRevision,
    repository: GitCheckout,
    testbeds: &Testbeds,
    args: &Args,
) -> Result<Option<BaseComparison>> {
    if let Some(without_outcome) = run.without_outcome() {
        return refuse(not_known(without_outcome));
    }
    let asked = run.open();
    if run.end.is_some_and(|end| Instant::now() >= end) {
        // Building the base would only take more time.
        run.not_run.extend(asked);
        return Ok(None);
    }
    if asked.is_empty() {
        print_progress(&format_args!(
            "each measured test was judged by its history: none is compared with {}",
            base.name
        ));
        return Ok(None);
    }
    let count = asked.len();
    print_progress(&format_args!(
        "tests that their history did not decide, to be compared with {}: {count}",
        base.name
    ));
    let sides = Sides::new(repository, base, None)?;
    let began = Instant::now();
    let mut tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    // The budget is that of the tests.
    run.end = run.end.map(|end| end + began.elapsed());
    tests.matched.retain(|(benchmark, _)| asked.contains(benchmark));
    let compared: Vec<BenchmarkId> =
        tests.matched.iter().map(|(benchmark, _)| benchmark.clone()).collect();
    // A test that is not compared must not pass for one that was.
    if let Some(missing) = asked.iter().find(|it| !compared.contains(it)) {
        return refuse(format!(
            "`{missing}` was not decided by its history and cannot be compared: it is not among what git knows of \
             the working tree; take it out of .gitignore"
        ));
    }
    let measurer = Measurer { end: run.end, ..Measurer::new(&args.pairs) };
    let check = (!args.measure_same_code).then(|| sides.code_check(&tests)).transpose()?;
    let counting = Counting::by_processor();
    let mut answers = sides.compare(tests.matched, check, measurer, counting, testbeds)?;
    for answer in &mut answers {
        let open = run.open_beside_wall(&answer.benchmark).iter();
        answer.not_compared = open.map(|it| it.trim_start_matches('/').to_owned()).collect();
    }
    let is_answered = |it: &BenchmarkId| answers.iter().any(|answer| answer.benchmark == *it);
    run.not_run.extend(compared.into_iter().filter(|benchmark| !is_answered(benchmark)));
    let conclusion = CompareConclusion::of(&answers, args.undecided == OnUndecided::Fail);
    Ok(Some(BaseComparison { answers, names: sides.names(), conclusion }))
}

/// Why a comparison with the base would leave a test out.
pub(super) fn not_known(without_outcome: &BenchmarkId) -> String {
    format!(
        "it is not known how `{without_outcome}` ended: either the runner left it out, as a filter of \
         nextest does, or the project's perftest is older than this tool"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use crate::reading::{SessionRun, Standing};
    use perftest_core::model::{Evidence, Metric, Note, Reason, Run};
    use perftest_store::conformance::example_run;

    /// The standings of the wall time of a test and of its stages, where `on_unclear` fails what is open: the wall time
    /// and these. The comparison ended so.
    fn standings(finding: CompareStatus, open_beside_wall: &[&str]) -> Vec<Standing> {
        let mut test = EndedTest::judged("t", Some(Reason::Unclear), None);
        let open = open_beside_wall.iter().map(ToString::to_string).collect();
        test.outcome.as_mut().unwrap().open_beside_wall = open;
        let limit_is_open = open_beside_wall.contains(&TestOutcome::LIMIT);
        let run = |name: String| {
            let (run, notes) = (example_run(0), vec![Note::UnclearFails]);
            let evidence = run.evidence.clone().unwrap();
            let evidence = Evidence { reason: Reason::Unclear, notes, limit_is_open, ..evidence };
            let (benchmark, metric) = (BenchmarkId::from_recorded(name), Metric::wall());
            let run = Run { benchmark, metric, ..run };
            SessionRun { run, evidence, course: Vec::new(), compared: None }
        };
        let stages = open_beside_wall.iter().filter(|name| **name != TestOutcome::LIMIT);
        let names = ["t".to_owned()].into_iter().chain(stages.map(|stage| format!("t/{stage}")));
        let mut session = SessionView { runs: names.map(run).collect(), ..SessionView::default() };
        let answers = vec![TestComparison::found("t", finding)];
        let conclusion = CompareConclusion::of(&answers, false);
        let names = SideNames { base: Path::new("base").into(), head: Path::new("head").into() };
        BaseComparison { answers, names, conclusion }.answer(&mut session, &[test]);
        session.runs.sort_by(|one, other| one.run.benchmark.cmp(&other.run.benchmark));
        session.runs.iter().map(SessionRun::standing).collect()
    }

    #[test]
    fn what_a_comparison_settled_is_no_failure_in_an_export() {
        let same_code = standings(CompareStatus::SameCode, &["pack"]);
        assert_eq!(same_code, [Standing::Passed, Standing::Undecided]);
        assert_eq!(standings(CompareStatus::OnlyInHead, &[]), [Standing::Undecided]);
    }

    #[test]
    fn what_no_comparison_settled_stays_a_failure_in_an_export() {
        let green = || TestComparison::of_measured("t", Reason::Green, 1.0).finding;
        assert_eq!(standings(green(), &["pack"]), [Standing::Passed, Standing::Failed]);
        assert_eq!(standings(CompareStatus::OnlyInHead, &["pack"]), [Standing::Failed; 2]);
        for failed in [CompareStatus::Failed, CompareStatus::BaseFailed] {
            assert_eq!(standings(failed("gone".into()), &[]), [Standing::Failed]);
        }
        for finding in [CompareStatus::SameCode, green()] {
            assert_eq!(standings(finding, &[TestOutcome::LIMIT]), [Standing::Failed]);
        }
    }
}
