//! The command line of what is read in the histories of tests.

use super::OutputOptions;
use super::series::{Detection, SeasonChoice};
use super::values::{at_least_one, upto_two_thousand};
use clap::ValueEnum;

/// Say when tests became slower or faster for good, the most significant change first.
///
/// Looks for lasting changes in the history of every test: when, between which commits, from where to
/// where. What went away again is a temporary change and told apart. Runs count that were first tries on
/// a machine in order; fresh processes of a confirmation and retries do not. Runs of different
/// configurations are looked at apart.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest changepoints                     every test of this project
  cargo perftest changepoints frame::encode       one test, with its course
  cargo perftest changepoints --degradations --since v1.2.0
  cargo perftest changepoints encode --detector ed-pelt --set min_distance=10
  cargo perftest changepoints --json | jq -r 'select(.event == \"change\") | .suspects'")]
pub(crate) struct ChangepointsArgs {
    #[command(flatten)]
    pub(crate) runs: Runs,

    /// Newest runs to look at, per test.
    #[arg(long, default_value_t = 1000, value_name = "RUNS", value_parser = at_least_one)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) detection: Detection,

    #[command(flatten)]
    pub(crate) effects: Effects,

    /// List the temporary changes too.
    #[arg(long)]
    pub(crate) temporary: bool,

    /// Changes to list [default: 20 in a table, all as JSON].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) top: Option<usize>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// Put the tests in order by what their newest runs look like.
///
/// By the most significant lasting change, how far runs of the same code lie apart, how many modes they
/// have, the upper quantiles and extremes of their measurements, or a trend.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest rank                             what changed most
  cargo perftest rank --by dispersion             which tests are the noisiest
  cargo perftest rank --by modality               which have several modes
  cargo perftest rank --by p99 --metric wall      which have the heaviest tails
  cargo perftest rank --by trend --improvements   which become faster bit by bit
  cargo perftest rank --by trend --json | jq -r 'select(.effect == \"degradation\") | .benchmark'")]
pub(crate) struct RankArgs {
    #[command(flatten)]
    pub(crate) runs: Runs,

    /// What the tests are ordered by.
    #[arg(long, value_enum, value_name = "MEASURE", default_value_t)]
    pub(crate) by: RankBy,

    /// Newest runs to look at, per test, up to 2000.
    #[arg(long, default_value_t = 200, value_name = "RUNS", value_parser = upto_two_thousand)]
    pub(crate) limit: usize,

    #[command(flatten)]
    pub(crate) effects: Effects,

    /// Tests to list [default: 20 in a table, all as JSON].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub(crate) top: Option<usize>,

    /// List all tests that have a rank.
    #[arg(long, conflicts_with = "top")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// What tests are ordered by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankBy {
    /// Their most significant lasting change.
    #[default]
    Change,
    /// How far runs of one level lie apart.
    Dispersion,
    /// How many modes the runs of one level have.
    Modality,
    /// How far above their run's median 5 % of the measurements lie.
    P95,
    /// The same of 1 %.
    P99,
    /// How far above its run's median the slowest measurement lies.
    Extremes,
    /// How much the newest level rises or falls as a whole.
    Trend,
}

/// Which runs of which tests are read.
#[derive(Debug, clap::Args)]
pub(crate) struct Runs {
    /// The test: its whole name, else its end behind `::`, else a part of it, if only one test has that
    /// [default: all].
    pub(crate) test: Option<String>,

    /// Only this metric, such as wall.
    #[arg(long, value_name = "NAME")]
    pub(crate) metric: Option<String>,

    /// Only testbeds with this in their names.
    #[arg(long, value_name = "NAME")]
    pub(crate) testbed: Option<String>,

    /// Only runs of this branch, nothing uncommitted in them; `*` for every run [default: the default
    /// branch, or every run where it has fewer than 20].
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,

    /// Only runs from then on: a day (2026-11-01), days before now (30d), or a commit.
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,

    /// Only runs up to then: a day (2026-11-30), days before now (7d), or a commit.
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,

    /// Which daily or weekly pattern is taken out of the runs before.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) season: SeasonChoice,
}

impl Runs {
    /// All that count of one test.
    pub(crate) fn of_test(test: &str) -> Self {
        Self {
            test: Some(test.to_owned()),
            metric: None,
            testbed: None,
            branch: None,
            since: None,
            until: None,
            season: SeasonChoice::default(),
        }
    }
}

/// Which effects are told.
#[derive(Debug, clap::Args)]
pub(crate) struct Effects {
    /// Only what became worse.
    #[arg(long)]
    pub(crate) degradations: bool,

    /// Only what became better.
    #[arg(long, conflicts_with = "degradations")]
    pub(crate) improvements: bool,
}
