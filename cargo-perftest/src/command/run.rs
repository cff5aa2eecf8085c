//! `cargo perftest run`: the perf tests of the working tree, and side by side what their history does
//! not decide.

use crate::args::{Format, Run as Args, Undecided};
use crate::compare::{
    Answer, Conclusion, Counting, Measurer, Repository, Revision, Sides, write_answers,
};
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
    /// 4: a test could not be judged or recorded, for a reason outside of its code.
    Unjudged,
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
            Self::Unjudged => 4,
            Self::OfRunner(code) => code,
        })
    }

    fn of(tests: &TestRun, compared: &[Answer], undecided: Undecided) -> Self {
        let fails_undecided = undecided == Undecided::Fail;
        let conclusion = Conclusion::of(compared, fails_undecided);
        let is_undecided =
            tests.has_failed_undecided(compared) || fails_undecided && tests.is_undecided(compared);
        if let Some(code) = tests.failure() {
            Self::OfRunner(code)
        } else if compared.iter().any(Answer::has_failed) {
            Self::NotCompared
        } else if conclusion == Conclusion::Slower || tests.is_slower() {
            Self::Slower
        } else if tests.has_failed_unjudged(compared) {
            Self::Unjudged
        } else if conclusion == Conclusion::Undecided || is_undecided {
            Self::Undecided
        } else {
            Self::Passed
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
        None => Vec::new(),
    };
    Ok(Ending::of(&tests, &compared, args.undecided))
}

/// Compares the tests that their history did not decide side by side with the base.
fn bootstrap(
    tests: &TestRun,
    base: Revision,
    repository: Repository,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Vec<Answer>, Failure> {
    if let Some(untold) = tests.untold() {
        return Err(Failure::Usage(not_known(untold)));
    }
    let asked = tests.open();
    if asked.is_empty() {
        tell(&format_args!(
            "each measured test was judged by its history: none is compared with {}",
            base.name
        ));
        return Ok(Vec::new());
    }
    let count = asked.len();
    tell(&format_args!(
        "tests that their history did not decide, to be compared with {}: {count}",
        base.name
    ));
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
    Ok(answers)
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
            "`{missing}` was not decided by its history and cannot be compared: it is not among what git knows of \
             the working tree; take it out of .gitignore"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Finding;
    use perftest_core::model::Reason;

    #[test]
    fn slower_is_the_ending_only_where_nothing_else_failed() {
        let slower = Answer::of_measured("slower", Reason::Red, 1.9);
        let unclear = Answer::of_measured("unclear", Reason::Unclear, 0.9);
        let broken = Answer::found("broken", Finding::Failed("head: gone".into()));
        let of = |answers: &[&Answer]| {
            let answers: Vec<Answer> = answers.iter().map(|it| (*it).clone()).collect();
            Ending::of(&TestRun::default(), &answers, Undecided::Fail)
        };
        assert_eq!(of(&[&slower, &unclear]), Ending::Slower);
        assert_eq!(of(&[&slower, &unclear, &broken]), Ending::NotCompared);
        assert_eq!((of(&[&unclear]), of(&[])), (Ending::Undecided, Ending::Passed));
    }
}
