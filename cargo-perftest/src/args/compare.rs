//! The command line of `cargo perftest compare`.

use super::AnswerOptions;
use super::values::{at_least, budget, tolerance};
use clap::ValueEnum;
use perftest_core::judge::ComparisonPolicy;
use perftest_core::model::Tolerance;
use perftest_core::words::quoted;
use std::path::PathBuf;
use std::time::Duration;

/// Compare the speed of two revisions of this repository, side by side.
///
/// Builds both in separate directories and measures their performance tests in pairs of fresh
/// processes until each is decided. Needs no history, and records one only with --history. Skips tests
/// whose machine code is the same on both sides. With --executables it compares existing test
/// executables.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest compare main                       the working tree with main
  cargo perftest compare v1.2.0 v1.3.0              two releases
  cargo perftest compare HEAD~1 -- frame::encode    only tests with this in their names
  cargo perftest compare main --tolerance 3% --undecided fail
  cargo perftest compare main --history             record a baseline for the next `cargo test`, too
  cargo perftest compare main --instructions        count instructions, too
  cargo perftest compare main --json | jq -r 'select(.answer == \"slower\") | .benchmark'
  cargo perftest compare main --format markdown >> \"$GITHUB_STEP_SUMMARY\"
  cargo perftest compare --executables base/perf-1f6b head/perf-8d02
  cargo perftest compare --clean                    remove what was built for comparisons

The first build of a side takes several minutes; later builds only compile changes. A branch means its
newest commit; use `$(git merge-base main HEAD)` to leave out newer commits of main.

Exit codes:
  0  no test is slower
  1  a test is slower
  2  a side cannot be built or measured
  3  with --undecided=fail: a test is not decided
  5  with --history: the history cannot be read or written")]
pub(crate) struct CompareArgs {
    /// Revision to compare with: a branch, a tag or a commit.
    #[arg(required_unless_present_any = ["clean", "executables"])]
    pub(crate) base: Option<String>,

    /// Revision under test [default: the working tree with uncommitted changes].
    pub(crate) head: Option<String>,

    /// Compare two existing test executables instead of revisions.
    ///
    /// They are started in the current directory. Cargo runs tests in the directory of their package.
    #[arg(
        long,
        num_args = 2,
        value_names = ["BASE", "HEAD"],
        conflicts_with_all = [
            "base", "head", "history", "packages", "workspace", "no_align", "CompileOptions",
        ],
    )]
    pub(crate) executables: Vec<PathBuf>,

    /// Measure tests whose machine code is the same on both sides, too.
    ///
    /// For tests that read a file of another package. Otherwise every slower one is a false alarm.
    #[arg(long)]
    pub(crate) measure_same_code: bool,

    /// Only tests whose names contain one of these.
    #[arg(last = true, value_name = "TESTS")]
    pub(crate) tests: Vec<String>,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    /// Result of a test that is not decided.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) undecided: OnUndecided,

    /// Record a baseline of the base's tests afterwards, where there is none.
    ///
    /// Builds the base once more, as `cargo test` builds it: without aligned functions. With --no-align the first
    /// build is used.
    #[arg(long)]
    pub(crate) history: bool,

    /// Count instructions with valgrind, too; takes some seconds a test.
    #[arg(long, conflicts_with = "clean")]
    pub(crate) instructions: bool,

    /// Remove both checkouts and their builds, also those for checkouts that are gone.
    #[arg(long, conflicts_with_all = ["base", "head", "tests", "history", "executables"])]
    pub(crate) clean: bool,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: AnswerOptions,
}

fn pairs(text: &str) -> Result<u32, String> {
    let fewest = ComparisonPolicy::default().fewest_pairs;
    at_least(
        text,
        fewest,
        &format!("give a whole number of pairs, at least the {fewest} a verdict needs"),
    )
}

/// Result of a test that is not decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUndecided {
    /// The test passes.
    #[default]
    Pass,
    /// Exit with 3.
    Fail,
}

/// Options of measuring in pairs of processes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PairOptions {
    /// Largest tolerated slowdown, such as 3% [default: that of each test, else 5%].
    #[arg(long, value_name = "SHARE", value_parser = tolerance)]
    pub(crate) tolerance: Option<Tolerance>,

    /// Time to compare a test once, including process starts.
    #[arg(long, value_name = "TIME", default_value = Self::TEST_BUDGET, value_parser = budget)]
    pub(crate) test_budget: Duration,

    /// Largest number of process pairs for a test.
    #[arg(long = "pairs", value_name = "COUNT", default_value = Self::MOST, value_parser = pairs)]
    pub(crate) most: u32,

    /// Longest wait for an answer of a measured process, which output of its body is not.
    #[arg(long, value_name = "TIME", default_value = Self::TIMEOUT, value_parser = budget)]
    pub(crate) timeout: Duration,
}

impl PairOptions {
    const TEST_BUDGET: &'static str = "30s";
    const MOST: &'static str = "40";
    const TIMEOUT: &'static str = "60s";

    /// Returns the options that differ from their defaults, as one would type them.
    pub(crate) fn as_typed(&self) -> Vec<String> {
        let time = |name: &str, given: Duration, usual: &str| {
            let is_usual = budget(usual).is_ok_and(|usual| usual == given);
            (!is_usual).then(|| format!("{name} {}s", given.as_secs_f64()))
        };
        let options = [
            self.tolerance.map(|it| format!("--tolerance {it}")),
            time("--test-budget", self.test_budget, Self::TEST_BUDGET),
            (self.most.to_string() != Self::MOST).then(|| format!("--pairs {}", self.most)),
            time("--timeout", self.timeout, Self::TIMEOUT),
        ];
        options.into_iter().flatten().collect()
    }
}

/// Options passed on to `cargo test`, for every revision.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Build")]
pub(crate) struct BuildOptions {
    #[command(flatten)]
    pub(crate) compile: CompileOptions,

    /// Package to build.
    #[arg(short, long = "package", value_name = "PACKAGE")]
    pub(crate) packages: Vec<String>,

    /// Build all packages of the workspace.
    #[arg(long)]
    pub(crate) workspace: bool,

    /// Do not align functions to 64 bytes.
    #[arg(long)]
    pub(crate) no_align: bool,
}

impl BuildOptions {
    /// Returns the options for every cargo command, without the profile, whose option differs between them.
    pub(crate) fn selection(&self) -> Vec<&str> {
        let packages = self.packages.iter().flat_map(|package| ["--package", package]);
        let workspace = self.workspace.then_some("--workspace");
        packages.chain(self.compile.selection()).chain(workspace).collect()
    }
}

/// What a package is compiled to, whichever of its targets are built.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Build")]
pub(crate) struct CompileOptions {
    /// Profile of the build.
    #[arg(long, value_name = "NAME", default_value = Self::PROFILE)]
    pub(crate) profile: String,

    /// Features to build with.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub(crate) features: Vec<String>,

    /// Build with all features.
    #[arg(long)]
    pub(crate) all_features: bool,

    /// Build without the default features.
    #[arg(long)]
    pub(crate) no_default_features: bool,

    /// Target to build for; this machine must be able to run it.
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,
}

impl CompileOptions {
    /// The profile without an option.
    pub(crate) const PROFILE: &'static str = "release";

    /// Returns the options for every cargo command, without the profile, whose option differs between them.
    pub(crate) fn selection(&self) -> Vec<&str> {
        let features = self.features.iter().flat_map(|features| ["--features", features]);
        let target = self.target.iter().flat_map(|triple| ["--target", triple]);
        let switches = [
            (self.all_features, "--all-features"),
            (self.no_default_features, "--no-default-features"),
        ];
        let switches = switches.into_iter().filter(|(is_on, _)| *is_on).map(|(_, switch)| switch);
        features.chain(target).chain(switches).collect()
    }

    /// Returns the same options with the profile, each after a space, as one would type them for `cargo test`.
    pub(crate) fn as_typed_for_tests(&self) -> String {
        let profile = match self.profile.as_str() {
            Self::PROFILE => vec!["--release"],
            other => vec!["--profile", other],
        };
        let words = profile.into_iter().chain(self.selection());
        words.map(|word| format!(" {}", quoted(word))).collect()
    }
}
