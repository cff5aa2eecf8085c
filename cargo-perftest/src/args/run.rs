//! The command line of `cargo perftest run`.

use super::{BuildOptions, OnUndecided, OutputOptions, PairOptions};
use clap::ValueEnum;

/// Run the performance tests of the working tree, under the test runner.
///
/// Runs them and no other tests, one after the other, and shows what the runner shows. With
/// --bootstrap=ab, those that their history did not decide, or that have none, are then compared side by
/// side with the base, so that a machine that keeps nothing judges too. Where every test is decided,
/// the base is not even built.
///
/// Exits with 0 when no test is slower and none failed, with 1 when one is slower and nothing else
/// failed, with 3 when one is not decided and --undecided=fail or its own on_unclear lets that fail,
/// with 4 when one could not be judged or recorded and its own on_unjudged lets that fail, with 2 when something cannot be built or compared, else with what the runner exits with: 101 of
/// cargo, 100 of nextest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest run
  cargo perftest run --runner nextest -- frame::encode
  cargo perftest run --bootstrap=ab --base origin/main          in CI, with or without a history
  cargo perftest run --bootstrap=ab --base \"$(git merge-base origin/main HEAD)\" --workspace
  cargo perftest run --bootstrap=ab --base main --json | jq -r 'select(.answer == \"slower\") | .benchmark'

In CI the job needs the base's commit: `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for
GitLab. With --json, what the runner shows is on standard error.")]
pub(crate) struct RunArgs {
    /// Only tests with one of these in their names.
    #[arg(last = true, value_name = "TESTS")]
    pub(crate) tests: Vec<String>,

    /// How to judge tests that their history does not decide.
    #[arg(long, value_enum, value_name = "HOW", requires = "base")]
    pub(crate) bootstrap: Option<Bootstrap>,

    /// The revision that such tests are compared with: a branch, a tag or a commit.
    #[arg(long, value_name = "REVISION", requires = "bootstrap")]
    pub(crate) base: Option<String>,

    /// What runs the tests.
    #[arg(long, value_enum, value_name = "RUNNER", default_value_t)]
    pub(crate) runner: Runner,

    /// What becomes of a test that is not decided.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) undecided: OnUndecided,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// How to judge tests that have no history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bootstrap {
    /// Side by side with the base.
    Ab,
}

/// What runs tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runner {
    /// `cargo test`.
    #[default]
    Cargo,
    /// `cargo nextest run`.
    Nextest,
}
