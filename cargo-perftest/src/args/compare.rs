//! The command line of `cargo perftest compare`.

use super::OutputOptions;
use super::values::{budget, tolerance};
use clap::ValueEnum;
use perftest_core::judge::ComparisonPolicy;
use perftest_core::model::Tolerance;
use std::path::PathBuf;
use std::time::Duration;

/// Compare the speed of two revisions of this repository, side by side.
///
/// Builds both in directories of their own and measures their performance tests in pairs of fresh
/// processes, until each is decided. Needs no history and records none, unless --history asks for
/// it. A test whose machine code is the same on both sides is not measured. Test executables that
/// are there already are compared with --executables.
///
/// Exits with 0 when no test is slower, with 1 when one is, with 2 when something cannot be built
/// or measured, with 3 when --undecided=fail and a test is not decided.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest compare main                       the working tree, as it is, with main
  cargo perftest compare v1.2.0 v1.3.0              two releases
  cargo perftest compare HEAD~1 -- frame::encode    one test, or all with this in their names
  cargo perftest compare main --tolerance 3% --undecided fail
  cargo perftest compare main --history             and the next `cargo test` has a baseline
  cargo perftest compare main --instructions        and whether the code does more work
  cargo perftest compare main --json | jq -r 'select(.answer == \"slower\") | .benchmark'
  cargo perftest compare --executables base/perf-1f6b head/perf-8d02
  cargo perftest compare --clean                    remove what was built for comparisons

Several minutes pass when a side is built for the first time; afterwards only what changed is built.
With a branch, its newest commit is compared with: `$(git merge-base main HEAD)` leaves out what came
to it since.")]
pub(crate) struct CompareArgs {
    /// The revision to compare with: a branch, a tag or a commit.
    #[arg(required_unless_present_any = ["clean", "executables"])]
    pub(crate) base: Option<String>,

    /// The revision that is judged [default: the working tree, with all that is not committed].
    pub(crate) head: Option<String>,

    /// Compare two test executables that were built before, instead of revisions.
    ///
    /// They are started in the current directory: go where their tests expect to run, as cargo does
    /// with the directory of their package.
    #[arg(
        long,
        num_args = 2,
        value_names = ["BASE", "HEAD"],
        conflicts_with_all = ["base", "head", "history", "BuildOptions"],
    )]
    pub(crate) executables: Vec<PathBuf>,

    /// Measure tests of executables whose code is the same on both sides, too.
    ///
    /// Every slower one is a false red.
    #[arg(long, requires = "executables")]
    pub(crate) measure_same_code: bool,

    /// Only tests with one of these in their names.
    #[arg(last = true, value_name = "TESTS")]
    pub(crate) tests: Vec<String>,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    /// What becomes of a test that is not decided.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) undecided: OnUndecided,

    /// Afterwards let the base's tests record a history, where there is none: the next `cargo test`
    /// judges by it.
    #[arg(long)]
    pub(crate) history: bool,

    /// Count instructions too, under valgrind, which takes some seconds a test.
    #[arg(long, conflicts_with = "clean")]
    pub(crate) instructions: bool,

    /// Remove both checkouts and what was built in them.
    #[arg(long, conflicts_with_all = ["base", "head", "tests", "history", "executables"])]
    pub(crate) clean: bool,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

fn pairs(text: &str) -> Result<u32, String> {
    let fewest = ComparisonPolicy::default().fewest_pairs;
    match text.parse() {
        Ok(pairs) if pairs >= fewest => Ok(pairs),
        _ => Err(format!("give a whole number of pairs, at least the {fewest} a verdict needs")),
    }
}

/// What becomes of a test that is not decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUndecided {
    /// It does no harm.
    #[default]
    Pass,
    /// Exit with 3.
    Fail,
}

/// How a test is measured in pairs of processes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PairOptions {
    /// Largest slowdown that does not matter, such as 3% [default: that of each test, else 5%].
    #[arg(long, value_name = "SHARE", value_parser = tolerance)]
    pub(crate) tolerance: Option<Tolerance>,

    /// Time to compare a test once, starts of processes included.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = budget)]
    pub(crate) budget: Duration,

    /// Most pairs of processes for a test.
    #[arg(long = "pairs", value_name = "COUNT", default_value = "40", value_parser = pairs)]
    pub(crate) most: u32,

    /// Longest time in which a measured process may give no sign.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget)]
    pub(crate) timeout: Duration,
}

/// What is handed on to `cargo test`, for every revision.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Build")]
pub(crate) struct BuildOptions {
    /// Profile that the tests are built with.
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) profile: String,

    /// Package to build, as cargo takes it.
    #[arg(short, long = "package", value_name = "PACKAGE")]
    pub(crate) packages: Vec<String>,

    /// Build all packages of the workspace.
    #[arg(long)]
    pub(crate) workspace: bool,

    /// Features to build with, as cargo takes them.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub(crate) features: Vec<String>,

    /// Build with all features.
    #[arg(long)]
    pub(crate) all_features: bool,

    /// Build without the default features.
    #[arg(long)]
    pub(crate) no_default_features: bool,

    /// Target to build for; this machine has to run it.
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,

    /// Leave functions where the compiler puts them, not at multiples of 64 bytes.
    #[arg(long)]
    pub(crate) no_align: bool,
}

impl BuildOptions {
    /// What is handed on to every command of cargo, for the profile has another name in some.
    pub(crate) fn selection(&self) -> Vec<&str> {
        let packages = self.packages.iter().flat_map(|package| ["--package", package]);
        let features = self.features.iter().flat_map(|features| ["--features", features]);
        let target = self.target.iter().flat_map(|triple| ["--target", triple]);
        let switches = [
            (self.workspace, "--workspace"),
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
        ];
        let switches = switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, switch)| switch);
        packages.chain(features).chain(target).chain(switches).collect()
    }
}
