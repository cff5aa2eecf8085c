//! The command line of `cargo perftest stats`.

use super::numbers::{
    DisplayOptions, Misrate, Numbers, SeveralNumbers, Ticks, positive, probability, threshold,
};
use super::series::{Changepoints, ThresholdQuestion};
use clap::{Subcommand, ValueEnum};

/// Describe and compare numbers of any origin, such as the results of other benchmarks.
///
/// Numbers come from files or from a pipe: one a line, a column of a CSV table, or JSON.
/// Nothing is measured or recorded, and no history is read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Input: numbers, one a line (`#` begins a remark); CSV with --column NAME or its number from 1; a JSON
array of numbers, or with --column a key of JSON objects. All in one unit, which --unit names.

Examples:
  cargo perftest stats summary times.txt --unit ns
  cargo perftest stats compare before.txt after.txt
  cargo perftest stats compare runs.csv --column old_ns --column new_ns
  jq .durations result.json | cargo perftest stats summary --probabilities 0.5,0.99
  cargo perftest stats changepoints history.txt
  cargo perftest stats compare old.txt new.txt    what `go test -bench` or `cargo bench` printed

Exit codes:
  0  the answer is printed
  2  the numbers or the options cannot be used")]
pub(crate) struct Stats {
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// The commands of `stats`.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    Summary(Summary),
    Compare(Compare),
    Changepoints(Changepoints),
    Threshold(ThresholdQuestion),
}

/// Show the bulk of the numbers, their modes with shares, outliers and quantiles.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats summary times.txt --unit ns
  cargo perftest stats summary times.txt --probabilities 0.5,0.95,0.99
  cargo perftest stats summary times.txt --outliers             each with its place
  cargo perftest stats summary times.txt --resolution 1000      a clock that ticks in microseconds
  cargo perftest stats summary times.txt --sensitivity 0.7      finds more modes
  cargo perftest stats summary runs.csv --column wall_ns --json | jq .modes

Exit codes:
  0  the answer is printed
  2  the numbers or the options cannot be used")]
pub(crate) struct Summary {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// Show these quantiles. Each is a measured value.
    #[arg(long, value_name = "P,..", value_delimiter = ',', value_parser = probability)]
    pub(crate) probabilities: Vec<f64>,

    /// List the outliers with their places.
    #[arg(long)]
    pub(crate) outliers: bool,

    #[command(flatten)]
    pub(crate) ticks: Ticks,

    /// Lower finds fewer modes, higher finds more.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.5, value_parser = positive)]
    pub(crate) sensitivity: f64,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// Compare inputs with the first one: larger or not, by how much, and where.
///
/// Two inputs are compared mode by mode if they have several, with a plot of the ratio of their
/// quantiles. More inputs give a table: each is compared with the first one. Two outputs of a
/// harness are compared benchmark by benchmark.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Input: as of `cargo perftest stats`; or two files of what `go test -bench . -count 10` or `cargo bench`
printed, with several runs of each benchmark one after the other.

Examples:
  cargo perftest stats compare before.txt after.txt --unit ns
  cargo perftest stats compare before.txt after.txt --probabilities 0.5,0.9
  cargo perftest stats compare before.txt after.txt --threshold 2% --misrate 0.01
  cargo perftest stats compare reference.txt one.txt another.txt
  cargo perftest stats compare before.txt after.txt --rule clickhouse-2026
  cargo perftest stats compare runs.csv --column old --column new --json | jq -r .answer

Exit codes:
  0  the answer is printed, whatever it is
  2  the numbers or the options cannot be used")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) numbers: SeveralNumbers,

    /// Compare these quantiles too: their shift, ratio and effect size.
    #[arg(long, value_name = "P,..", value_delimiter = ',', value_parser = probability)]
    pub(crate) probabilities: Vec<f64>,

    /// Rule that decides.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) rule: CompareRule,

    #[command(flatten)]
    pub(crate) ticks: Ticks,

    /// Largest difference that counts as none: a share (5%, 0.05) or a ratio (1.05); 0 for any.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = threshold)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) threshold: f64,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// The rule that decides whether two inputs differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareRule {
    /// The bounds of the ratio against the threshold.
    #[default]
    Bounds,
    /// ClickHouse's rule with floors of 5% and 10%; ignores --threshold and --misrate.
    #[value(name = "clickhouse-2021")]
    ClickHouse2021,
    /// ClickHouse's rule with floors of 10% and 20%.
    #[value(name = "clickhouse-2025")]
    ClickHouse2025,
    /// ClickHouse's rule with floors of 15% and 25%.
    #[value(name = "clickhouse-2026")]
    ClickHouse2026,
}
