//! The command line of the questions about numbers in their order.

use super::numbers::{DisplayOptions, Numbers, not_negative, number, positive};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use perftest_analysis::detect::StepKind;
use perftest_analysis::thresholds::{Compat, ThresholdTest};
use serde_json::{Value, json};

/// Where the numbers changed, in their order: the oldest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Settings, and what they are where they are not given:
  settled     none
  levels      none
  ed-pelt     min_distance=20
  rqq-pelt    min_distance=20
  jetpack     width=5 threshold=25
  chromeperf  max_window=50 min_segment=6 min_absolute_change=0 min_relative_change=0.01
              min_steppiness=0.5 multiple_of_std_dev=2.5
  e-divisive  pvalue=0.05 permutations=100 seed=2
  otava       window_len=50 max_pvalue=0.001 min_magnitude=0
  perfherder  min_back=12 max_back=24 fore=12 t_threshold=7

Examples:
  cargo perftest stats changepoints history.txt --unit ns
  cargo perftest stats changepoints runs.csv --column wall_ns --detector ed-pelt --set min_distance=5
  cargo perftest stats changepoints history.txt --detector otava --json | jq .changes
  cargo perftest stats changepoints nightly.csv --column wall_ns --times started --season weekly")]
pub(crate) struct Changepoints {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    #[command(flatten)]
    pub(crate) seasonal: Seasonal,

    #[command(flatten)]
    pub(crate) detection: Detection,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// How changes are found.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Detection {
    /// How changes are found.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) detector: ChangeDetector,

    /// A setting of the detector.
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = setting)]
    pub(crate) settings: Vec<(String, Value)>,
}

/// When the numbers were measured, and what that is good for.
#[derive(Debug, clap::Args)]
pub(crate) struct Seasonal {
    /// Column of the times, named as --column is: dates such as 2026-01-31T08:30Z, or seconds, milli-,
    /// micro- or nanoseconds since 1970.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) times: Option<String>,

    /// Which daily or weekly pattern is taken out before changes are sought.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) season: SeasonChoice,
}

/// Which patterns are taken out of a history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeasonChoice {
    /// Those that are significant, where times are known.
    #[default]
    Auto,
    /// That of a day, significant or not.
    Daily,
    /// That of a week, significant or not.
    Weekly,
    /// None.
    Off,
}

/// A detector of change points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangeDetector {
    /// Our own: levels that last, and temporary ones apart from them.
    Levels,
    /// The same; old changes stay where they are when further values come.
    #[default]
    Settled,
    /// ED-PELT: changes of level, spread or shape.
    EdPelt,
    /// The same by overlaps of quantiles.
    RqqPelt,
    /// The step fit of Android's Jetpack.
    Jetpack,
    /// The step of Chromium's dashboard, asked at every point.
    Chromeperf,
    /// E-divisive as MongoDB runs it.
    EDivisive,
    /// E-divisive in windows, as Apache Otava runs it.
    Otava,
    /// Mozilla's t, asked at every point.
    Perfherder,
}

/// Whether the numbers have a step in their middle, or where they have steps: Skia's step fits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats step trace.txt --threshold 4                 in the middle, by Cohen's d
  cargo perftest stats step history.txt --threshold 4 --radius 7    wherever, with the suspects
  cargo perftest stats step history.txt --kind mannwhitneyu --threshold 0.01 --radius 7")]
pub(crate) struct Step {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// How a step is measured.
    #[arg(long, value_name = "NAME", default_value = "cohen", value_parser = step_kinds())]
    pub(crate) kind: String,

    /// What a step has to reach, in the measure of its kind; with mannwhitneyu a probability that it has
    /// to stay below.
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    pub(crate) threshold: f64,

    /// Look at every number, with so many before and after it.
    #[arg(long, value_name = "COUNT")]
    pub(crate) radius: Option<usize>,

    /// Smaller deviations count as this one.
    #[arg(long, value_name = "NUMBER", default_value_t = 0.001, value_parser = not_negative)]
    pub(crate) min_deviation: f64,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

/// Whether the last number is beyond limits that those before it set: Bencher's thresholds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats threshold history.txt --test t_test --upper 0.99
  cargo perftest stats threshold history.txt --test percentage --upper 0.1 --lower 0.1 --unit ns
  cargo perftest stats threshold history.txt --test iqr --upper 1.5 --new 13100,12800")]
pub(crate) struct Threshold {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// What limits are made of.
    #[arg(long, value_name = "NAME", value_parser = threshold_tests())]
    pub(crate) test: ThresholdTest,

    /// How far up a number may be, in the measure of the test.
    #[arg(long, value_name = "BOUNDARY", value_parser = any_number, allow_negative_numbers = true)]
    pub(crate) upper: Option<f64>,

    /// How far down a number may be, in the measure of the test.
    #[arg(long, value_name = "BOUNDARY", value_parser = any_number, allow_negative_numbers = true)]
    pub(crate) lower: Option<f64>,

    /// Judge these numbers by all that were read [default: the last one by those before].
    #[arg(long, value_name = "NUMBER,..", value_delimiter = ',', value_parser = any_number)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) new: Vec<f64>,

    /// Fewer numbers set no limits.
    #[arg(long, value_name = "COUNT")]
    pub(crate) min_sample_size: Option<u32>,

    /// So many of the newest numbers set them.
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_sample_size: Option<u32>,

    /// The release whose formulas are used [default: those since 0.6.3].
    #[arg(long, value_name = "RELEASE", value_parser = compat)]
    pub(crate) compat: Option<Compat>,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
}

fn step_kinds() -> PossibleValuesParser {
    StepKind::ALL.map(|(name, _)| name).into()
}

fn threshold_tests() -> impl TypedValueParser<Value = ThresholdTest> {
    PossibleValuesParser::from(ThresholdTest::ALL.map(ThresholdTest::name))
        .try_map(|name| ThresholdTest::from_name(&name).ok_or("there is no such test"))
}

fn compat(text: &str) -> Result<Compat, String> {
    Compat::from_name(text).ok_or_else(|| "give 0.6.2, or leave it out for the newer ones".into())
}

fn any_number(text: &str) -> Result<f64, String> {
    number(text, |_| true, "a number")
}

/// `NAME=NUMBER`; a number without a point is a whole one.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, number) = text.split_once('=').ok_or("give a name and a number, such as width=7")?;
    let value = match number.trim().parse::<u64>() {
        Ok(whole) => json!(whole),
        Err(_) => json!(any_number(number)?),
    };
    Ok((name.trim().to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_name_and_a_number() {
        assert_eq!(setting("width=7"), Ok(("width".into(), json!(7))));
        assert_eq!(setting(" t_threshold = 6.5 "), Ok(("t_threshold".into(), json!(6.5))));
        for text in ["width", "width=", "width=wide", "width=NaN"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }
}
