//! The command line of `cargo perftest run`.

use super::export::export_file;
use super::values::{at_least_one, budget, shard};
use super::{AnswerOptions, BuildOptions, ExportFile, OnUndecided, PairOptions};
use crate::shard::Shard;
use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

/// The heading of the options that only concern tests which are compared with the base.
const BESIDE_BASE: &str = "Comparison with the base";

/// Run the performance tests of the working tree with the test runner.
///
/// Runs only performance tests, one after the other, and shows the runner's output. Ends with a summary,
/// the worst tests first; tests without anything to do are counted. With --bootstrap=ab, tests that their
/// history does not decide are then compared with the base, side by side. So a machine without a history
/// can judge, too. The base is only built if a test needs it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest run
  cargo perftest run --runner nextest -- frame::encode
  cargo perftest run --all                         list the green tests, too
  cargo perftest run --bootstrap=ab --base origin/main          in CI, with or without a history
  cargo perftest run --bootstrap=ab --base \"$(git merge-base origin/main HEAD)\" --workspace
  cargo perftest run --bootstrap=ab --base main --json | jq -r 'select(.answer == \"slower\") | .benchmark'
  cargo perftest run --budget 15m                    the doubtful and the cheap tests first
  cargo perftest run --shard 2/5                     in the second of five parallel jobs
  cargo perftest run --sample 2                      keep profiles, so that a red names its functions
  cargo perftest run --comment comment.md            what a comment on the pull request may have
  cargo perftest run --export junit=perf.xml         results for other programs, as `export` has them

Under GitHub Actions, slower tests are annotated at their lines, and the findings are in the summary of the
step. In CI the job needs the base's commit: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for
GitLab. With --json or --format markdown, the runner's output is on standard error. --json has a line for each
test that is compared with the base, --export all tests.

Exit codes:
  0  no test is slower and none failed
  1  a test is slower, and nothing else failed
  2  something cannot be built or compared
  3  a test is not decided, with --undecided=fail or its own on_unclear
  4  a test could not be judged or recorded, with its own on_unjudged, or the budget ended before it ran
  5  the comment or an export cannot be written
  101 of cargo, 100 of nextest: a test failed")]
// --tolerance needs --bootstrap too, and its error names the variable for runs that are judged by their history.
#[command(
    mut_arg("tolerance", |arg| arg.help_heading(BESIDE_BASE)),
    mut_arg("test_budget", |arg| arg.help_heading(BESIDE_BASE).requires("bootstrap")),
    mut_arg("most", |arg| arg.help_heading(BESIDE_BASE).requires("bootstrap")),
)]
pub(crate) struct RunArgs {
    /// Only tests whose names contain one of these.
    #[arg(last = true, value_name = "TESTS")]
    pub(crate) tests: Vec<String>,

    /// List every test in the summary [default: those with something to do].
    #[arg(long)]
    pub(crate) all: bool,

    /// How to judge tests that their history does not decide.
    #[arg(long, value_enum, value_name = "HOW", requires = "base", help_heading = BESIDE_BASE)]
    pub(crate) bootstrap: Option<Bootstrap>,

    /// Revision to compare such tests with: a branch, a tag or a commit.
    #[arg(long, value_name = "REVISION", requires = "bootstrap", help_heading = BESIDE_BASE)]
    pub(crate) base: Option<String>,

    /// Also measure tests whose machine code is that of the base.
    ///
    /// For tests that read a file of another package. Otherwise every slower one is a false alarm.
    #[arg(long, requires = "bootstrap", help_heading = BESIDE_BASE)]
    pub(crate) measure_same_code: bool,

    /// Test runner.
    #[arg(long, value_enum, value_name = "RUNNER", default_value_t)]
    pub(crate) runner: Runner,

    /// Result of a test that is not decided.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) undecided: OnUndecided,

    /// Time for all tests, without building: doubtful and cheap tests run first, and what is left is not
    /// run [default: no limit].
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    /// Also write the results as the body of a comment on a pull request, with a hidden marker by which a
    /// workflow finds the comment again.
    #[arg(long, value_name = "FILE")]
    pub(crate) comment: Option<PathBuf>,

    /// Also write the results in a format of `cargo perftest export`, those of --bootstrap=ab among them.
    /// Needs a history that can be written. Can be given several times.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = export_file)]
    pub(crate) export: Vec<ExportFile>,

    /// Run one part of the tests, such as 2/5. Each test is in one part, by its name.
    #[arg(long, value_name = "PART", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Sample so many tests afterwards, each for 8 s, and keep their profiles with the history: slower tests
    /// first, then good ones whose build has none. The summary then has the functions that made a test slower.
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) sample: Option<usize>,

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
