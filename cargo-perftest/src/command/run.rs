//! `cargo perftest run`: the perf tests of the working tree, and side by side what has no history.

use crate::args::{Format, Run as Args, Undecided};
use crate::compare::{Conclusion, Counting, Measurer, Repository, Revision, Sides, write_answers};
use crate::exit::Failure;
use crate::place::{absolute, here};
use crate::report::tell;
use crate::test_run::TestRun;
use perftest_core::model::BenchmarkId;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

/// How the tests ended, those that were compared side by side among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// 0.
    Passed,
    /// 1: a test is slower, and nothing else is to blame.
    Slower,
    /// 3: a test is not decided, which fails when it is asked for, here or by the test.
    Undecided,
    /// 2: a test could not be compared.
    NotCompared,
    /// What the test runner exits with: not for speed alone.
    OfRunner(u8),
}

impl Ending {
    pub(crate) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Passed => 0,
            Self::Slower => 1,
            Self::NotCompared => 2,
            Self::Undecided => 3,
            Self::OfRunner(code) => code,
        })
    }

    fn of(tests: &TestRun, compared: Option<Conclusion>, undecided: Undecided) -> Self {
        let is_undecided =
            tests.has_failed_undecided() || undecided == Undecided::Fail && tests.is_undecided();
        match (tests.failure(), compared) {
            (Some(code), _) => Self::OfRunner(code),
            (None, Some(Conclusion::Failed)) => Self::NotCompared,
            (None, Some(Conclusion::Slower)) => Self::Slower,
            (None, _) if tests.is_slower() => Self::Slower,
            (None, Some(Conclusion::Undecided)) => Self::Undecided,
            (None, _) if is_undecided => Self::Undecided,
            (None, _) => Self::Passed,
        }
    }
}

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<Ending, Failure> {
    let directory = here()?;
    let store = store.map(absolute).transpose()?;
    // An unknown name is told before anything waits.
    let base = args.base.as_ref().map(|base| {
        let repository = Repository::around(&directory)?;
        Ok::<_, Failure>((Revision::named(base, &repository)?, repository))
    });
    let base = base.transpose()?;
    let shown = match args.answer.format() {
        Format::Table => Stdio::inherit(),
        // Programs get nothing but answers.
        Format::Json => io::stderr().into(),
    };
    let tests = TestRun::of(args, &directory, store.as_deref(), shown)?;
    if let Some(untold) = tests.untold() {
        tell(&format_args!("warning: {}", not_known(untold)));
    }
    let compared = match base {
        Some((base, repository)) => bootstrap(&tests, base, repository, args, out)?,
        None => None,
    };
    Ok(Ending::of(&tests, compared, args.undecided))
}

/// Compares the tests that have no history side by side with the base; `None` when all have one.
fn bootstrap(
    tests: &TestRun,
    base: Revision,
    repository: Repository,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Option<Conclusion>, Failure> {
    if let Some(untold) = tests.untold() {
        return Err(Failure::Usage(not_known(untold)));
    }
    let asked = tests.without_baseline();
    if asked.is_empty() {
        tell(&format_args!(
            "no measured test lacks a history: none is compared with {}",
            base.name
        ));
        return Ok(None);
    }
    let count = asked.len();
    tell(&format_args!("tests without a history, to be compared with {}: {count}", base.name));
    let sides = Sides::new(repository, base, None)?;
    let mut tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    tests.retain(|(benchmark, _)| asked.contains(benchmark));
    refuse_what_is_missing(asked, tests.iter().map(|(benchmark, _)| benchmark))?;
    let answers = sides.compare(tests, Measurer::new(&args.pairs), Counting::by_processor());
    let conclusion = Conclusion::of(&answers, args.undecided == Undecided::Fail);
    if args.answer.format() == Format::Table {
        writeln!(out)?;
    }
    write_answers(&answers, &sides.names(), conclusion, args.answer.format(), out)?;
    Ok(Some(conclusion))
}

fn not_known(untold: &BenchmarkId) -> String {
    format!(
        "it is not known how `{untold}` ended: either the runner left it out, as a filter of \
         nextest does, or the project's perftest is older than this tool"
    )
}

/// A test that is not compared must not pass for one that was.
fn refuse_what_is_missing<'a>(
    mut asked: BTreeSet<BenchmarkId>,
    found: impl Iterator<Item = &'a BenchmarkId>,
) -> Result<(), Failure> {
    found.for_each(|benchmark| {
        asked.remove(benchmark);
    });
    match asked.first() {
        None => Ok(()),
        Some(missing) => Err(Failure::Usage(format!(
            "`{missing}` has no history and cannot be compared: it is not among what git knows of \
             the working tree; take it out of .gitignore"
        ))),
    }
}
