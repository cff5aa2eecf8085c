//! `cargo perftest run`: the perf tests of the working tree, and side by side what their history does
//! not decide.

use super::export::{text_of_session, write_to};
use super::run_causes::RunCauses;
use super::run_profiles::sample_tests;
use super::run_summary::RunSummary;
use crate::args::{AnswerFormat, ExportFile, OnUndecided, RunArgs as Args};
use crate::command_context::CommandContext;
use crate::compare::{
    CompareConclusion, Counting, Measurer, SideNames, Sides, SourceRevision, TestComparison,
    add_to_summary, annotations, write_answers,
};
use crate::ended_test::EndedTest;
use crate::exit::{CommandError, Result};
use crate::export::comment_of;
use crate::git_checkout::GitCheckout;
use crate::history_directory::{absolute, here, testbeds, writable};
use crate::live_view::ShownOn;
use crate::reading::{SessionChoice, SessionView};
use crate::report::{code, print_progress, whole_lines};
use crate::report_file::ReportFile;
use crate::test_run::TestRun;
use perftest_core::model::BenchmarkId;
use perftest_process::CiProvider;
use perftest_store::{Series, Testbeds};
use serde_json::json;
use std::collections::BTreeSet;
use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Termination};
use std::time::Instant;

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
    fn of(tests: &TestRun, compared: &[TestComparison], undecided: OnUndecided) -> Self {
        let fails_undecided = undecided == OnUndecided::Fail;
        let conclusion = CompareConclusion::of(compared, fails_undecided);
        let is_undecided = fails_undecided && tests.is_undecided(compared);
        if let Some(code) = tests.failure() {
            Self::OfRunner(code)
        } else if compared.iter().any(TestComparison::has_failed) {
            Self::NotCompared
        } else if conclusion == CompareConclusion::Slower || tests.is_slower() {
            Self::Slower
        } else if tests.has_failed_undecided(compared) {
            // A failure by verdict counts before one for lack of a verdict.
            Self::Undecided
        } else if tests.has_failed_unjudged(compared) || !tests.not_run.is_empty() {
            Self::Unjudged
        } else if conclusion == CompareConclusion::Undecided || is_undecided {
            Self::Undecided
        } else {
            Self::Passed
        }
    }
}

impl Termination for TestRunEnd {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Passed => 0,
            Self::Slower => 1,
            Self::NotCompared => 2,
            Self::Undecided => 3,
            Self::Unjudged => 4,
            Self::OfRunner(code) => code,
        })
    }
}

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    ascii: bool,
    out: &mut dyn Write,
) -> Result<TestRunEnd> {
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
    let summary = RunSummary::of(tests.ended(), args, store.clone());
    summary.write(args, ascii, out)?;
    if let Some(without_outcome) = tests.without_outcome() {
        print_progress(&format_args!("warning: {}", not_known(without_outcome)));
    }
    let compared = match base {
        Some((base, repository)) => {
            let testbeds = testbeds(store.clone(), &directory)?;
            bootstrap(&mut tests, base, repository, &testbeds, args)?
        }
        None => None,
    };
    if let Some(compared) = &compared {
        compared.write(args.answer.format(), out)?;
        compared.report_to_job(&summary, args.answer.format())?;
    }
    write_not_run(&tests.not_run, args.answer.format(), out)?;
    if let Some(most) = args.sample {
        sample_tests(&tests, most, &args.build.profile, store.clone())?;
    }
    if args.sample.is_some() || args.answer.format() == AnswerFormat::Json {
        RunCauses::of(&tests, store.clone())?.write(args.answer.format(), out)?;
    }
    if let Some(path) = &args.comment {
        let text = comment_text(&summary, compared.as_ref(), &tests.not_run)?;
        let mut file = ReportFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.finish()?;
    }
    if !args.export.is_empty() {
        let context = CommandContext::new(store, ascii, out)?;
        write_exports(&args.export, &tests, compared.as_ref(), &context)?;
    }
    let answers = compared.map_or_else(Vec::new, |compared| compared.answers);
    Ok(TestRunEnd::of(&tests, &answers, args.undecided))
}

/// The runs themselves are judged by the test process, which has settings of its own.
fn refuse_tolerance_without_base(args: &Args) -> Result<()> {
    match args.pairs.tolerance {
        Some(_) if args.bootstrap.is_none() => Err(CommandError::Usage(TOLERANCE_ALONE.into())),
        _ => Ok(()),
    }
}

const TOLERANCE_ALONE: &str = "--tolerance is for tests that are compared with the base: add --bootstrap=ab and \
                               --base, or set PERFTEST_TOLERANCE for tests that are judged by their history";

/// Reports a file that cannot be made before any waiting. To make it would change the working tree while the
/// tests run.
fn refuse_missing_directory(file: &Path) -> Result<()> {
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
    match directory.filter(|it| !it.is_dir()) {
        None => Ok(()),
        Some(missing) => Err(CommandError::Usage(format!(
            "`{}` cannot be written: there is no directory `{}`",
            file.display(),
            missing.display()
        ))),
    }
}

/// The body of a comment. Half of it is room enough for what was compared and what did not run.
fn comment_text(
    summary: &RunSummary,
    compared: Option<&BaseComparison>,
    not_run: &[BenchmarkId],
) -> Result<String> {
    let mut further = Vec::new();
    if let Some(compared) = compared {
        compared.write(AnswerFormat::Markdown, &mut further)?;
    }
    write_not_run(not_run, AnswerFormat::Markdown, &mut further)?;
    let further = String::from_utf8_lossy(&further);
    Ok(comment_of(|room| {
        let further = whole_lines(&further, room / 2);
        summary.markdown(room - further.len()) + further
    }))
}

/// Writes the session with the answers of the comparison, which no history has.
fn write_exports(
    files: &[ExportFile],
    tests: &TestRun,
    compared: Option<&BaseComparison>,
    context: &CommandContext<'_>,
) -> Result<()> {
    let mut all = context.series_of(None)?;
    let ended = tests.ended();
    let is_of = |series: &Series, test: &EndedTest| {
        // A stage is a series of its own.
        test.benchmark.as_str() == series.benchmark.whole()
    };
    all.retain(|series| ended.iter().any(|test| is_of(series, test)));
    let choice = SessionChoice::Named(tests.session.clone());
    let mut session = SessionView::read(&choice, &all, context)?;
    if let Some(BaseComparison { answers, names, .. }) = compared {
        session.replace(|run| {
            let answer = answers.iter().find(|it| it.benchmark == run.run.benchmark)?;
            Some((answer.in_place_of(&run.evidence)?, answer.sentence(&names.base.words)))
        });
    }
    for file in files {
        write_to(&file.path, &text_of_session(file.format, &session)?)?;
    }
    context.read_failures.refuse()
}

/// The tests that were compared with the base.
struct BaseComparison {
    /// The worst first.
    answers: Vec<TestComparison>,
    names: SideNames,
    conclusion: CompareConclusion,
}

impl BaseComparison {
    fn write(&self, format: AnswerFormat, out: &mut dyn Write) -> Result<()> {
        if format != AnswerFormat::Json {
            writeln!(out)?;
        }
        write_answers(&self.answers, &self.names, self.conclusion, format, out)
    }

    /// Annotations and a table for a job of GitHub Actions. Where the answer is Markdown, the job puts it
    /// where it likes.
    fn report_to_job(&self, summary: &RunSummary, format: AnswerFormat) -> Result<()> {
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
fn bootstrap(
    run: &mut TestRun,
    base: SourceRevision,
    repository: GitCheckout,
    testbeds: &Testbeds,
    args: &Args,
) -> Result<Option<BaseComparison>> {
    if let Some(without_outcome) = run.without_outcome() {
        return Err(CommandError::Usage(not_known(without_outcome)));
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
    let mut tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    tests.retain(|(benchmark, _)| asked.contains(benchmark));
    refuse_what_is_missing(asked, tests.iter().map(|(benchmark, _)| benchmark))?;
    let compared: Vec<BenchmarkId> = tests.iter().map(|(benchmark, _)| benchmark.clone()).collect();
    let measurer = Measurer { end: run.end, ..Measurer::new(&args.pairs) };
    let check = Some(sides.code_check());
    let mut answers = sides.compare(tests, check, measurer, Counting::by_processor(), testbeds)?;
    for answer in &mut answers {
        answer.not_compared = run.open_beside_wall(&answer.benchmark).to_vec();
    }
    let is_answered = |it: &BenchmarkId| answers.iter().any(|answer| answer.benchmark == *it);
    run.not_run.extend(compared.into_iter().filter(|benchmark| !is_answered(benchmark)));
    let conclusion = CompareConclusion::of(&answers, args.undecided == OnUndecided::Fail);
    Ok(Some(BaseComparison { answers, names: sides.names(), conclusion }))
}

/// Names the tests that the budget left no time for.
fn write_not_run(not_run: &[BenchmarkId], format: AnswerFormat, out: &mut dyn Write) -> Result<()> {
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
) -> Result<()> {
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
