//! The command line of `cargo perftest stats`.

use super::bench::Bench;
use super::numbers::{
    DisplayOptions, Misrate, Numbers, SeveralNumbers, Ticks, TwoNumbers, positive, precision,
    probability, threshold,
};
use super::series::{Changepoints, Step, Threshold};
use clap::{Subcommand, ValueEnum};
use perftest_core::stats::EqualPeaks;
use std::path::PathBuf;

/// Describe and compare numbers of any origin: the results of other benchmarks too.
///
/// Numbers come from files or from what is piped in: one a line, a column of a CSV table, or JSON.
/// Nothing is measured, recorded or judged against a history.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Input: numbers, one a line (`#` begins a remark); CSV with --column NAME or its number from 1; a JSON
array of numbers, or with --column a key of JSON objects. All in one unit, which --unit names.

Examples:
  cargo perftest stats summary times.txt --unit ns
  cargo perftest stats compare before.txt after.txt
  cargo perftest stats compare runs.csv --column old_ns --column new_ns
  jq .durations result.json | cargo perftest stats quantiles --probabilities 0.5,0.99
  cargo perftest stats changepoints history.txt
  cargo perftest stats bench old.txt new.txt      what `go test -bench` or `cargo bench` printed
  cargo perftest stats batch < cases.jsonl")]
pub(crate) struct Stats {
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// What is asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    Summary(Summary),
    Modes(Modes),
    Outliers(Outliers),
    Quantiles(Quantiles),
    Shift(Functions),
    Ratio(Functions),
    Effect(Effect),
    Bounds(Bounds),
    Compare(Compare),
    Changepoints(Changepoints),
    Step(Step),
    Threshold(Threshold),
    Bench(Bench),
    Batch(Batch),
}

/// Answer many cases: a JSON object a line in, a JSON object a line out, in order.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each line has the keys op (an operation), name, input and params:
  {\"op\": \"pragmastat_ratio\", \"name\": \"a\", \"input\": {\"x\": [2, 4], \"y\": [1, 2]}, \"params\": {}}
and is answered, under its name, with its result or with what is wrong with it:
  {\"name\": \"a\", \"result\": {\"output\": 2.0}}
  {\"name\": null, \"error\": \"no JSON object: ..\"}

Examples:
  cargo perftest stats batch < cases.jsonl > answers.jsonl")]
pub(crate) struct Batch {
    /// Where the series are that cases name by series_ref: NAME.json with an array `values`.
    #[arg(long, value_name = "DIR", default_value = "tests/series")]
    pub(crate) series: PathBuf,
}

/// What the numbers look like: the bulk, the modes with their shares, the outliers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats summary times.txt --unit ns
  cargo perftest stats summary runs.csv --column wall_ns --json | jq .modes")]
pub(crate) struct Summary {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    #[command(flatten)]
    pub(crate) ticks: Ticks,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// Which modes the numbers have, where they part, and how many values are in each.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats modes times.txt
  cargo perftest stats modes times.txt --resolution 1000      a clock that ticks in microseconds
  cargo perftest stats modes times.txt --sensitivity 0.7      divides more readily")]
pub(crate) struct Modes {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    #[command(flatten)]
    pub(crate) ticks: Ticks,

    /// A pond between two peaks with a smaller share of ground than this parts two modes.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = positive)]
    pub(crate) sensitivity: f64,

    /// Share of the values in one bin of the density.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = precision)]
    pub(crate) precision: f64,

    /// What two peaks of exactly the same height are.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) equal_peaks: Peaks,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// What two peaks of exactly the same height are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peaks {
    /// Compared as all others are.
    #[default]
    Compared,
    /// One mode, as in the published code.
    Published,
}

impl From<Peaks> for EqualPeaks {
    fn from(peaks: Peaks) -> Self {
        match peaks {
            Peaks::Compared => Self::Compared,
            Peaks::Published => Self::Published,
        }
    }
}

/// Which numbers lie outside of fences, and where in the input they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats outliers times.txt
  cargo perftest stats outliers times.txt --per-mode          those between two modes too
  cargo perftest stats outliers times.txt --detector tukey --k 3 --estimator hf7")]
pub(crate) struct Outliers {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// What the fences are made of.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) detector: Detector,

    /// The quantiles that the fences are made of.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) estimator: FenceEstimator,

    /// Distances between the bulk and a fence [default: 1.5 with tukey, else 3].
    #[arg(long, value_name = "COUNT", value_parser = positive)]
    pub(crate) k: Option<f64>,

    /// Look inside each mode.
    #[arg(long)]
    pub(crate) per_mode: bool,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// What the fences of outliers are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Detector {
    /// 1.5 distances of the quartiles from the quartiles.
    Tukey,
    /// 3 median absolute deviations from the median.
    Mad,
    /// The same with a deviation for each side.
    #[default]
    DoubleMad,
}

/// The quantiles that fences are made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FenceEstimator {
    /// Interpolated between two values (Hyndman-Fan type 7).
    Hf7,
    /// Harrell-Davis.
    #[default]
    Hd,
}

/// The numbers below which given shares of them lie.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats quantiles times.txt --probabilities 0.5,0.95,0.99
  cargo perftest stats quantiles times.txt --estimator hd --level 0.999     with intervals
  cargo perftest stats quantiles history.txt --half-life 10                 the newest, last, counts most
  cargo perftest stats quantiles runs.csv --column ns --weights iterations")]
pub(crate) struct Quantiles {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// Which quantiles.
    #[arg(long, value_name = "P,..", value_delimiter = ',', value_parser = probability)]
    #[arg(default_value = "0.05,0.25,0.5,0.75,0.95,0.99")]
    pub(crate) probabilities: Vec<f64>,

    /// How they are estimated.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) estimator: QuantileEstimator,

    /// Let the weight of a value halve with so many values after it.
    #[arg(long, value_name = "VALUES", value_parser = positive)]
    pub(crate) half_life: Option<f64>,

    /// Column of the weights of the numbers, each from 0 up; with --column.
    #[arg(long, value_name = "COLUMN", conflicts_with = "half_life")]
    pub(crate) weights: Option<String>,

    /// Share of the intervals that hold their quantile; with the estimator hd.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = probability)]
    pub(crate) level: f64,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// An estimator of quantiles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QuantileEstimator {
    /// Trimmed Harrell-Davis: precise, and no far value moves it.
    #[default]
    ThdSqrt,
    /// Harrell-Davis, with intervals.
    Hd,
    /// Hyndman-Fan type 1.
    Hf1,
    /// Hyndman-Fan type 2.
    Hf2,
    /// Hyndman-Fan type 3.
    Hf3,
    /// Hyndman-Fan type 4.
    Hf4,
    /// Hyndman-Fan type 5.
    Hf5,
    /// Hyndman-Fan type 6.
    Hf6,
    /// Hyndman-Fan type 7: that of R, NumPy and Excel.
    Hf7,
    /// Hyndman-Fan type 8.
    Hf8,
    /// Hyndman-Fan type 9.
    Hf9,
}

/// How far two inputs are apart, quantile by quantile, and between which bounds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats shift before.txt after.txt --unit ns
  cargo perftest stats ratio before.txt after.txt
  cargo perftest stats ratio runs.csv --column old --column new --estimator hd --json")]
pub(crate) struct Functions {
    #[command(flatten)]
    pub(crate) numbers: TwoNumbers,

    /// The quantiles that are compared.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) estimator: FunctionEstimator,

    /// Which quantiles are listed.
    #[arg(long, value_name = "P,..", value_delimiter = ',', value_parser = probability)]
    #[arg(default_value = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1")]
    pub(crate) probabilities: Vec<f64>,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// The quantiles of shift and ratio functions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FunctionEstimator {
    /// Trimmed Harrell-Davis.
    #[default]
    ThdSqrt,
    /// Harrell-Davis.
    Hd,
    /// Interpolated between two values (Hyndman-Fan type 7).
    Hf7,
}

/// How large a difference is in units of the spread.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats effect before.txt after.txt
  cargo perftest stats effect before.txt after.txt --probabilities 0.5")]
pub(crate) struct Effect {
    #[command(flatten)]
    pub(crate) numbers: TwoNumbers,

    /// At which quantiles.
    #[arg(long, value_name = "P,..", value_delimiter = ',', value_parser = probability)]
    #[arg(default_value = "0.2,0.3,0.4,0.5,0.6,0.7,0.8")]
    pub(crate) probabilities: Vec<f64>,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// Estimates with bounds that hold without assumptions about the distribution.
///
/// Of one input its median, center and spread; of two their shift, ratio and disparity, of the second
/// from the first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats bounds times.txt --unit ns
  cargo perftest stats bounds before.txt after.txt --misrate 0.01
  cargo perftest stats bounds before.txt after.txt --step published    as Pragmastat has them")]
pub(crate) struct Bounds {
    /// One file, or two to be compared; `-` is what is piped in [default: that].
    #[arg(num_args = 0..=2, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Column of each input: its name, or its number from 1; of one file, two columns.
    #[arg(long = "column", value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    /// The conservative bounds never miss more often than the misrate; the published ones are a step
    /// narrower, and drawn by lot for spread and disparity.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) step: BoundsStep,

    /// Seed of what is drawn by lot.
    #[arg(long, value_name = "TEXT", default_value = "perftest")]
    pub(crate) seed: String,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// Which step bounds take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BoundsStep {
    /// Never more often wrong than asked.
    #[default]
    Conservative,
    /// As Pragmastat has them.
    Published,
}

/// Whether inputs are larger than the first one by more than matters, and by how much.
///
/// Of two, mode by mode where there are several, with a picture of the shift function. Of more, a table: each
/// beside the first one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats compare before.txt after.txt --unit ns
  cargo perftest stats compare before.txt after.txt --threshold 2% --misrate 0.01
  cargo perftest stats compare reference.txt one.txt another.txt
  cargo perftest stats compare before.txt after.txt --rule clickhouse-2026
  cargo perftest stats compare runs.csv --column old --column new --json | jq -r .answer")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) numbers: SeveralNumbers,

    /// What decides.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) rule: CompareRule,

    #[command(flatten)]
    pub(crate) ticks: Ticks,

    /// Largest difference that does not matter: a share (5%, 0.05) or a ratio (1.05); 0 for none.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = threshold)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) threshold: f64,

    #[command(flatten)]
    pub(crate) bounded: Misrate,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// What decides whether two inputs differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareRule {
    /// The bounds of the ratio, beyond the threshold.
    #[default]
    Bounds,
    /// ClickHouse's, with floors of 5% and 10%; --threshold and --misrate do not count.
    #[value(name = "clickhouse-2021")]
    ClickHouse2021,
    /// The same with floors of 10% and 20%.
    #[value(name = "clickhouse-2025")]
    ClickHouse2025,
    /// The same with floors of 15% and 25%.
    #[value(name = "clickhouse-2026")]
    ClickHouse2026,
}
