//! The command lines of `cargo perftest changepoints` and `rank`.

use super::series::{Detection, SeasonChoice};
use super::values::{at_least_one, upto_two_thousand};
use super::{OutputOptions, SourceOptions};
use clap::ValueEnum;

/// Newest runs in which changes are searched where no number is given.
pub(crate) const SEARCHED_RUNS: usize = 1_000;

/// Show when tests became slower or faster for good, most significant change first.
///
/// Finds lasting changes in the history of every test: the time, the commits, and both levels.
/// Temporary changes are listed separately. First attempts on a healthy machine count; fresh processes
/// of a confirmation and retries do not. Different configurations are separate histories.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest changepoints                     every test of this project
  cargo perftest changepoints frame::encode       one test, with a plot
  cargo perftest changepoints --degradations --since v1.2.0
  cargo perftest changepoints --remote git:perftest-history    the runs of all machines
  cargo perftest changepoints encode --detector ed-pelt --set min_distance=10
  cargo perftest changepoints --json | jq -r 'select(.event == \"change\") | .suspects'

Exit codes:
  0  the answer is printed, with changes or without
  2  the test, the branch or a commit is not known, or the options cannot be used
  5  the history cannot be read")]
pub(crate) struct ChangepointsArgs {
    #[command(flatten)]
    pub(crate) runs: Runs,

    /// Number of newest runs, per test.
    #[arg(long, default_value_t = SEARCHED_RUNS, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) detection: Detection,

    #[command(flatten)]
    pub(crate) effects: Effects,

    /// List temporary changes, too.
    #[arg(long)]
    pub(crate) temporary: bool,

    /// Number of changes [default: 20 in a table, all as JSON].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) top: Option<usize>,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Rank tests by noise, modes, tails or trend.
///
/// The measures are the most significant lasting change, the scatter of runs of the same code, the number
/// of modes, the upper quantiles and extremes of measurements, and the trend.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest rank                             the largest changes
  cargo perftest rank --by dispersion             the noisiest tests
  cargo perftest rank --by modality               tests with several modes
  cargo perftest rank --by p99 --metric wall      tests with the heaviest tails
  cargo perftest rank --by trend --improvements   tests that slowly become faster
  cargo perftest rank --by trend --json | jq -r 'select(.effect == \"degradation\") | .benchmark'

Exit codes:
  0  the answer is printed, whatever it is
  2  the test, the branch or a commit is not known, or the options cannot be used
  5  the history cannot be read")]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) runs: Runs,

    /// Measure of the ranking.
    #[arg(long, value_enum, value_name = "MEASURE", default_value_t)]
    pub(crate) by: RankBy,

    /// Number of newest runs, per test, up to 2000 [default: 1000 by change, else 200].
    #[arg(long, value_name = "RUNS", value_parser = upto_two_thousand)]
    pub(crate) limit: Option<usize>,

    #[command(flatten)]
    pub(crate) effects: Effects,

    /// Number of tests [default: 20 in a table, all as JSON].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) top: Option<usize>,

    /// List all tests that have a rank.
    #[arg(long, conflicts_with = "top")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) source: SourceOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Measure of a ranking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// Most significant lasting change.
    #[default]
    Change,
    /// Scatter of the runs of one level.
    Dispersion,
    /// Number of modes of the runs of one level.
    Modality,
    /// Distance of the slowest 5% of the measurements above their run's median.
    P95,
    /// Distance of the slowest 1% of the measurements above their run's median.
    P99,
    /// Distance of the slowest measurement above its run's median.
    Extremes,
    /// Total rise or fall of the newest level.
    Trend,
}

/// Selection of tests and runs. The default selects all.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Runs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has
    /// [default: all].
    pub(crate) test: Option<String>,

    /// Only this metric, such as wall.
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,

    /// Only testbeds whose names contain this.
    #[arg(long, value_name = "NAME")]
    pub(crate) testbed: Option<String>,

    /// Only runs of committed code of this branch; `*` for every run [default: the default branch, or
    /// every run where it has fewer than 20].
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,

    /// Only runs since then: a day (2026-11-01), days before now (30d), or a commit.
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,

    /// Only runs until then: a day (2026-11-30), days before now (7d), or a commit.
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,

    /// Daily or weekly pattern to remove first.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) season: SeasonChoice,
}

impl Runs {
    /// Selects all runs of one test.
    pub(crate) fn of_test(test: &str) -> Self {
        Self { test: Some(test.to_owned()), ..Self::default() }
    }
}

/// Selection of effects.
#[derive(Debug, clap::Args)]
pub(crate) struct Effects {
    /// Only degradations.
    #[arg(long)]
    pub(crate) degradations: bool,

    /// Only improvements.
    #[arg(long, conflicts_with = "degradations")]
    pub(crate) improvements: bool,
}
