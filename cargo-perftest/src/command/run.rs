//! `cargo perftest run`: the perf tests of the working tree, and side by side what their history does
//! not decide.

use super::run_summary;
use crate::args::{AnswerFormat, OnUndecided, RunArgs as Args};
use crate::compare::{
    CompareConclusion, Counting, GitCheckout, Measurer, Sides, SourceRevision, TestComparison,
    write_answers,
};
use crate::exit::CommandError;
use crate::history_directory::{absolute, here};
use crate::live_view::ShownOn;
use crate::report::{code, print_progress};
use crate::test_run::TestRun;
use perftest_core::model::BenchmarkId;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// How the tests ended, those that were compared side by side among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestRunEnd {
    /// 0.
    Passed,
    /// 1: a test is slower, and nothing else is to blame.
    Slower,
    /// 3: a test is not decided, which fails when it is asked for, here or by the test.
    Undecided,
    /// 4: a test could not be judged or recorded, for a reason outside of its code, or did not run.
    Unjudged,
    /// 2: a test could not be compared.
    NotCompared,
    /// What the test runner exits with: not for speed alone.
    OfRunner(u8),
}

impl TestRunEnd {
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Passed => 0,
            Self::Slower => 1,
            Self::NotCompared => 2,
            Self::Undecided => 3,
            Self::Unjudged => 4,
            Self::OfRunner(code) => code,
        })
    }

    fn of(tests: &TestRun, compared: &[TestComparison], undecided: OnUndecided) -> Self {
        let fails_undecided = undecided == OnUndecided::Fail;
        let conclusion = CompareConclusion::of(compared, fails_undecided);
        let is_undecided =
            tests.has_failed_undecided(compared) || fails_undecided && tests.is_undecided(compared);
        if let Some(code) = tests.failure() {
            Self::OfRunner(code)
        } else if compared.iter().any(TestComparison::has_failed) {
            Self::NotCompared
        } else if conclusion == CompareConclusion::Slower || tests.is_slower() {
            Self::Slower
        } else if tests.has_failed_unjudged(compared) || !tests.not_run.is_empty() {
            Self::Unjudged
        } else if conclusion == CompareConclusion::Undecided || is_undecided {
            Self::Undecided
        } else {
            Self::Passed
        }
    }
}

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    ascii: bool,
    out: &mut dyn Write,
) -> Result<TestRunEnd, CommandError> {
    let directory = here()?;
    let store = store.map(absolute).transpose()?;
    // Report an unknown name before any waiting.
    let base = args.base.as_ref().map(|base| {
        let repository = GitCheckout::around(&directory)?;
        Ok::<_, CommandError>((SourceRevision::named(base, &repository)?, repository))
    });
    let base = base.transpose()?;
    let shown_on = match args.answer.format() {
        AnswerFormat::Table => ShownOn::Stdout,
        AnswerFormat::Json | AnswerFormat::Markdown => ShownOn::Stderr,
    };
    let mut tests = TestRun::of(args, &directory, store.as_deref(), shown_on)?;
    if args.answer.format() == AnswerFormat::Table {
        run_summary::write(tests.ended(), args, store, ascii, out)?;
    }
    if let Some(without_outcome) = tests.without_outcome() {
        print_progress(&format_args!("warning: {}", not_known(without_outcome)));
    }
    if args.answer.format() == AnswerFormat::Markdown {
        write!(out, "{}", tests.markdown())?;
    }
    let compared = match base {
        Some((base, repository)) => bootstrap(&mut tests, base, repository, args, out)?,
        None => Vec::new(),
    };
    write_not_run(&tests.not_run, args.answer.format(), out)?;
    Ok(TestRunEnd::of(&tests, &compared, args.undecided))
}

/// Compares the tests that their history did not decide side by side with the base.
fn bootstrap(
    run: &mut TestRun,
    base: SourceRevision,
    repository: GitCheckout,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Vec<TestComparison>, CommandError> {
    if let Some(without_outcome) = run.without_outcome() {
        return Err(CommandError::Usage(not_known(without_outcome)));
    }
    let asked = run.open();
    if asked.is_empty() {
        print_progress(&format_args!(
            "each measured test was judged by its history: none is compared with {}",
            base.name
        ));
        return Ok(Vec::new());
    }
    let count = asked.len();
    print_progress(&format_args!(
        "tests that their history did not decide, to be compared with {}: {count}",
        base.name
    ));
    let sides = Sides::new(repository, base, None)?;
    let mut tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    tests.retain(|(benchmark, _)| asked.contains(benchmark));
    refuse_what_is_missing(asked, tests.iter().map(|(benchmark, _)| benchmark))?;
    let compared: Vec<BenchmarkId> = tests.iter().map(|(benchmark, _)| benchmark.clone()).collect();
    let measurer = Measurer { end: run.end, ..Measurer::new(&args.pairs) };
    let answers = sides.compare(tests, measurer, Counting::by_processor());
    let is_answered = |it: &BenchmarkId| answers.iter().any(|answer| answer.benchmark == *it);
    run.not_run.extend(compared.into_iter().filter(|benchmark| !is_answered(benchmark)));
    let conclusion = CompareConclusion::of(&answers, args.undecided == OnUndecided::Fail);
    if args.answer.format() != AnswerFormat::Json {
        writeln!(out)?;
    }
    write_answers(&answers, &sides.names(), conclusion, args.answer.format(), out)?;
    Ok(answers)
}

/// Names the tests that the budget left no time for.
fn write_not_run(
    not_run: &[BenchmarkId],
    format: AnswerFormat,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    if format == AnswerFormat::Json {
        for benchmark in not_run {
            let line = json!({ "event": "not_run", "v": 1, "benchmark": benchmark.as_str() });
            writeln!(out, "{line}")?;
        }
    } else if !not_run.is_empty() {
        let count = not_run.len();
        let blank = if format == AnswerFormat::Markdown { "\n" } else { "" };
        writeln!(
            out,
            "{blank}not run or not compared, because the budget is over: {count}{blank}"
        )?;
        for benchmark in not_run {
            match format {
                AnswerFormat::Markdown => writeln!(out, "- {}", code(benchmark.as_str()))?,
                _ => writeln!(out, "  {benchmark}")?,
            }
        }
    }
    Ok(())
}

fn not_known(without_outcome: &BenchmarkId) -> String {
    format!(
        "it is not known how `{without_outcome}` ended: either the runner left it out, as a filter of \
         nextest does, or the project's perftest is older than this tool"
    )
}

/// A test that is not compared must not pass for one that was.
fn refuse_what_is_missing<'a>(
    mut asked: BTreeSet<BenchmarkId>,
    found: impl Iterator<Item = &'a BenchmarkId>,
) -> Result<(), CommandError> {
    found.for_each(|benchmark| {
        asked.remove(benchmark);
    });
    match asked.first() {
        None => Ok(()),
        Some(missing) => Err(CommandError::Usage(format!(
            "`{missing}` was not decided by its history and cannot be compared: it is not among what git knows of \
             the working tree; take it out of .gitignore"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use perftest_core::model::Reason;

    #[test]
    fn slower_is_the_ending_only_where_nothing_else_failed() {
        let slower = TestComparison::of_measured("slower", Reason::Red, 1.9);
        let unclear = TestComparison::of_measured("unclear", Reason::Unclear, 0.9);
        let broken = TestComparison::found("broken", CompareStatus::Failed("head: gone".into()));
        let of = |answers: &[&TestComparison]| {
            let answers: Vec<TestComparison> = answers.iter().map(|it| (*it).clone()).collect();
            TestRunEnd::of(&TestRun::default(), &answers, OnUndecided::Fail)
        };
        assert_eq!(of(&[&slower, &unclear]), TestRunEnd::Slower);
        assert_eq!(of(&[&slower, &unclear, &broken]), TestRunEnd::NotCompared);
        assert_eq!((of(&[&unclear]), of(&[])), (TestRunEnd::Undecided, TestRunEnd::Passed));
    }

    #[test]
    fn a_test_that_did_not_run_is_no_pass() {
        let not_run = vec![BenchmarkId::from_recorded("late")];
        let mut tests = TestRun::default();
        tests.not_run = not_run;
        let end = |compared: &[TestComparison]| TestRunEnd::of(&tests, compared, OnUndecided::Pass);
        assert_eq!(end(&[]), TestRunEnd::Unjudged);
        let slower = TestComparison::of_measured("slower", Reason::Red, 1.9);
        assert_eq!(end(&[slower]), TestRunEnd::Slower);
    }
}
