//! The command line of `cargo perftest run`.

use super::{AnswerOptions, BuildOptions, OnUndecided, PairOptions};
use clap::ValueEnum;

/// Run the performance tests of the working tree with the test runner.
///
/// Runs only performance tests, one after the other, and shows the runner's output. Ends with a summary,
/// the worst tests first; tests without anything to do are counted. With --bootstrap=ab, tests that their history does not decide are then compared with the base, side by
/// side. So a machine without a history can judge, too. The base is only built if a test needs it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest run
  cargo perftest run --runner nextest -- frame::encode
  cargo perftest run --all                         list the green tests, too
  cargo perftest run --bootstrap=ab --base origin/main          in CI, with or without a history
  cargo perftest run --bootstrap=ab --base \"$(git merge-base origin/main HEAD)\" --workspace
  cargo perftest run --bootstrap=ab --base main --json | jq -r 'select(.answer == \"slower\") | .benchmark'
  cargo perftest run --format markdown >> \"$GITHUB_STEP_SUMMARY\"

In CI the job needs the base's commit: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for
GitLab. With --json or --format markdown, the runner's output is on standard error.

Exit codes:
  0  no test is slower and none failed
  1  a test is slower, and nothing else failed
  2  something cannot be built or compared
  3  a test is not decided, with --undecided=fail or its own on_unclear
  4  a test could not be judged or recorded, with its own on_unjudged
  101 of cargo, 100 of nextest: a test failed")]
pub(crate) struct RunArgs {
    /// Only tests whose names contain one of these.
    #[arg(last = true, value_name = "TESTS")]
    pub(crate) tests: Vec<String>,

    /// List every test in the summary [default: those with something to do].
    #[arg(long)]
    pub(crate) all: bool,

    /// How to judge tests that their history does not decide.
    #[arg(long, value_enum, value_name = "HOW", requires = "base")]
    pub(crate) bootstrap: Option<Bootstrap>,

    /// Revision to compare such tests with: a branch, a tag or a commit.
    #[arg(long, value_name = "REVISION", requires = "bootstrap")]
    pub(crate) base: Option<String>,

    /// Test runner.
    #[arg(long, value_enum, value_name = "RUNNER", default_value_t)]
    pub(crate) runner: Runner,

    /// Result of a test that is not decided.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) undecided: OnUndecided,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

/// How to judge tests that have no history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bootstrap {
    /// Side by side with the base.
    Ab,
}

/// A test runner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runner {
    /// `cargo test`.
    #[default]
    Cargo,
    /// `cargo nextest run`.
    Nextest,
}
