//! `cargo perftest run`: the perf tests of the working tree, and side by side what their history does
//! not decide.

use super::base_comparison::{BaseComparison, bootstrap, not_known};
use super::run_causes::RunCauses;
use super::run_files::{RunResults, refuse_missing_directory};
use super::run_profiles::sample_tests;
use super::run_summary::{RunOverview, write_not_run};
use crate::args::{AnswerFormat, OnUndecided, RunArgs as Args};
use crate::command_context::CommandContext;
use crate::compare::{CompareConclusion, SourceRevision, TestComparison};
use crate::exit::{CommandEnd, CommandError, Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::history_directory::{absolute, here, testbeds, writable};
use crate::live_view::ShownOn;
use crate::report::print_progress;
use crate::test_run::TestRun;
use std::io::Write;
use std::path::{Path, PathBuf};

/// How the tests ended, those that were compared side by side among them.
fn end_of(tests: &TestRun, compared: &[TestComparison], undecided: OnUndecided) -> CommandEnd {
    let fails_undecided = undecided == OnUndecided::Fail;
    let conclusion = CompareConclusion::of(compared, fails_undecided);
    let is_undecided = fails_undecided && tests.is_undecided(compared);
    if let Some(code) = tests.failure() {
        CommandEnd::OfRunner(code)
    } else if compared.iter().any(TestComparison::has_failed) {
        CommandEnd::NotCompared
    } else if conclusion == CompareConclusion::Slower || tests.is_slower() {
        CommandEnd::No
    } else if tests.has_failed_undecided(compared) {
        // A failure by verdict counts before one for lack of a verdict.
        CommandEnd::Undecided
    } else if tests.has_failed_unjudged(compared) || !tests.not_run.is_empty() {
        CommandEnd::Unjudged
    } else if is_undecided || (fails_undecided && conclusion != CompareConclusion::NothingSlower) {
        // A test that the base fails is open. Or else a broken base would keep out what mends it.
        CommandEnd::Undecided
    } else {
        CommandEnd::Done
    }
}

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    ascii: bool,
    out: &mut dyn Write,
) -> Result<CommandEnd> {
    refuse_tolerance_without_base(args)?;
    let directory = here()?;
    let store = store.map(absolute).transpose()?;
    if args.sample.is_some() || !args.export.is_empty() {
        // Profiles are kept in the history, and exports are read from it: report one that cannot be written
        // before any waiting.
        writable(store.clone())?;
    }
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
    for file in args.comment.iter().chain(args.export.iter().map(|it| &it.path)) {
        refuse_missing_directory(file)?;
    }
    let mut tests = TestRun::of(args, &directory, store.as_deref(), shown_on)?;
    let summary = RunOverview::of(tests.ended(), args, store.clone());
    summary.write(args, ascii, out)?;
    if let Some(without_outcome) = tests.without_outcome() {
        print_progress(&format_args!("warning: {}", not_known(without_outcome)));
    }
    if tests.has_failed_elsewhere() {
        print_progress(
            &"note: each performance test passed, and the runner failed: see its output above. An ordinary test of the \
              same name may have failed",
        );
    }
    let compared = match base {
        Some((base, repository)) => {
            let testbeds = testbeds(store.clone(), &directory);
            bootstrap(&mut tests, base, repository, &testbeds, args)
        }
        None => Ok(None),
    };
    if let Ok(Some(compared)) = &compared {
        compared.write(args.answer.format(), out)?;
        compared.report_to_job(&summary, args.answer.format())?;
    }
    write_not_run(&tests.not_run, args.answer.format(), out)?;
    let results = RunResults {
        tests: &tests,
        summary: &summary,
        compared: &compared,
        commit: commit_of(&directory),
    };
    // Before what may fail although the tests have ended.
    if let Some(path) = &args.comment {
        results.write_comment(path)?;
    }
    if !args.export.is_empty() {
        results.write_exports(&args.export, &CommandContext::new(store.clone(), ascii, out)?)?;
    }
    if let Some(most) = args.sample {
        sample_tests(&tests, most, &args.build.compile.profile, store.clone())?;
    }
    if args.sample.is_some() || args.answer.format() == AnswerFormat::Json {
        RunCauses::of(&tests, store)?.write(args.answer.format(), out)?;
    }
    end(&tests, compared, args.undecided)
}

/// The commit that is checked out; `None` outside of a repository.
fn commit_of(directory: &Path) -> Option<String> {
    let commit = GitCheckout::around(directory).ok()?.git(&["rev-parse", "--short=9", "HEAD"]);
    Some(commit.ok()?.trim().to_owned())
}

/// The end of a run, whose tests may not have been compared with the base.
fn end(
    tests: &TestRun,
    compared: Result<Option<BaseComparison>>,
    undecided: OnUndecided,
) -> Result<CommandEnd> {
    match (compared, tests.failure()) {
        (Ok(compared), _) => {
            let answers = compared.map_or_else(Vec::new, |compared| compared.answers);
            Ok(end_of(tests, &answers, undecided))
        }
        (Err(not_compared), Some(code)) => {
            print_progress(&format_args!("not compared with the base: {not_compared}"));
            Ok(CommandEnd::OfRunner(code))
        }
        (Err(not_compared), None) => Err(not_compared),
    }
}

/// The runs themselves are judged by the test process, which has settings of its own.
fn refuse_tolerance_without_base(args: &Args) -> Result<()> {
    match args.pairs.tolerance {
        Some(_) if args.bootstrap.is_none() => refuse(TOLERANCE_ALONE),
        _ => Ok(()),
    }
}

const TOLERANCE_ALONE: &str = "--tolerance is for tests that are compared with the base: add --bootstrap=ab and \
                               --base, or set PERFTEST_TOLERANCE for tests that are judged by their history";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use perftest_core::model::{BenchmarkId, Reason};

    #[test]
    fn slower_is_the_ending_only_where_nothing_else_failed() {
        let slower = TestComparison::of_measured("slower", Reason::Red, 1.9);
        let unclear = TestComparison::of_measured("unclear", Reason::Unclear, 0.9);
        let broken = TestComparison::found("broken", CompareStatus::Failed("head: gone".into()));
        let of = |answers: &[&TestComparison]| {
            let answers: Vec<TestComparison> = answers.iter().map(|it| (*it).clone()).collect();
            end_of(&TestRun::default(), &answers, OnUndecided::Fail)
        };
        assert_eq!(of(&[&slower, &unclear]), CommandEnd::No);
        assert_eq!(of(&[&slower, &unclear, &broken]), CommandEnd::NotCompared);
        let why = CompareStatus::BaseFailed("base: gone".into());
        let unmended = TestComparison::found("unmended", why);
        assert_eq!(of(&[&slower, &unmended]), CommandEnd::No);
        assert_eq!(of(&[&unmended]), CommandEnd::Undecided);
        let report_only = TestComparison { is_report_only: true, ..unmended.clone() };
        assert_eq!(of(&[&report_only]), CommandEnd::Done);
        let passed = end_of(&TestRun::default(), &[unmended], OnUndecided::Pass);
        assert_eq!(passed, CommandEnd::Done);
        assert_eq!((of(&[&unclear]), of(&[])), (CommandEnd::Undecided, CommandEnd::Done));
    }

    #[test]
    fn a_test_that_did_not_run_is_no_pass() {
        let not_run = vec![BenchmarkId::from_recorded("late")];
        let mut tests = TestRun::default();
        tests.not_run = not_run;
        let end = |compared: &[TestComparison]| end_of(&tests, compared, OnUndecided::Pass);
        assert_eq!(end(&[]), CommandEnd::Unjudged);
        let slower = TestComparison::of_measured("slower", Reason::Red, 1.9);
        assert_eq!(end(&[slower]), CommandEnd::No);
    }
}
