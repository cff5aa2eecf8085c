//! The command lines of the commands about a series of numbers.

use super::numbers::{DisplayOptions, Numbers, number};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use perftest_analysis::thresholds::{Compat, ThresholdTest};
use serde_json::{Value, json};

/// Find where a series of numbers changed, with the oldest number first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Settings of the detectors, with their defaults:
  settled   none
  levels    none
  ed-pelt   min_distance=20
  rqq-pelt  min_distance=20
  jetpack   width=5 threshold=25
  skia      kind=cohen threshold=4 radius=7 min_deviation=0.001
            kinds: original, const, absolute, percent, percent_median, cohen, mannwhitneyu, stepiness;
            each but cohen needs its own threshold, such as 50 for original, 0.2 for percent, 0.8 for
            stepiness, and for mannwhitneyu the largest probability, such as 0.001

Examples:
  cargo perftest stats changepoints history.txt --unit ns
  cargo perftest stats changepoints runs.csv --column wall_ns --detector ed-pelt --set min_distance=5
  cargo perftest stats changepoints history.txt --detector skia --set kind=percent --set threshold=0.2
  cargo perftest stats changepoints nightly.csv --column wall_ns --times started --season weekly

Exit codes:
  0  the answer is printed, with changes or without
  2  the numbers or the options cannot be used")]
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

/// Options of the detector.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Detection {
    /// The detector of changes.
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) detector: ChangeDetector,

    /// A setting of the detector.
    #[arg(long = "set", value_name = "NAME=NUMBER", value_parser = setting)]
    pub(crate) settings: Vec<(String, Value)>,
}

/// Options of a daily or weekly pattern.
#[derive(Debug, clap::Args)]
pub(crate) struct Seasonal {
    /// Column of the times, named as --column is: dates such as 2026-01-31T08:30Z, or seconds, milli-,
    /// micro- or nanoseconds since 1970.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) times: Option<String>,

    /// Daily or weekly pattern to remove before changes are searched.
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) season: SeasonChoice,
}

/// The patterns to remove from a history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeasonChoice {
    /// Significant patterns, if times are known.
    #[default]
    Auto,
    /// The daily pattern, significant or not.
    Daily,
    /// The weekly pattern, significant or not.
    Weekly,
    /// No pattern.
    Off,
}

/// A detector of change points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChangeDetector {
    /// Our own: lasting levels, and temporary changes listed apart.
    Levels,
    /// Our own; old changes stay when further values arrive.
    #[default]
    Settled,
    /// ED-PELT: changes of level, spread or shape.
    EdPelt,
    /// Like ED-PELT, by overlaps of quantiles.
    RqqPelt,
    /// The step fit of Android's Jetpack.
    Jetpack,
    /// The step fits of Skia Perf.
    Skia,
}

/// Check the last number against limits from the numbers before it: Bencher's thresholds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats threshold history.txt --test t_test --upper 0.99
  cargo perftest stats threshold history.txt --test percentage --upper 0.1 --lower 0.1 --unit ns
  cargo perftest stats threshold history.txt --test iqr --upper 1.5 --new 13100,12800

Exit codes:
  0  the answer is printed, within the limits or beyond them
  2  the numbers or the options cannot be used")]
pub(crate) struct ThresholdQuestion {
    #[command(flatten)]
    pub(crate) numbers: Numbers,

    /// The test that sets the limits.
    #[arg(long, value_name = "NAME", value_parser = threshold_tests())]
    pub(crate) test: ThresholdTest,

    /// Upper boundary, in the unit of the test.
    #[arg(long, value_name = "BOUNDARY", value_parser = any_number, allow_negative_numbers = true)]
    pub(crate) upper: Option<f64>,

    /// Lower boundary, in the unit of the test.
    #[arg(long, value_name = "BOUNDARY", value_parser = any_number, allow_negative_numbers = true)]
    pub(crate) lower: Option<f64>,

    /// Check these numbers against limits from all numbers read [default: the last one against
    /// those before].
    #[arg(long, value_name = "NUMBER,..", value_delimiter = ',', value_parser = any_number)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) new: Vec<f64>,

    /// With fewer numbers there are no limits.
    #[arg(long, value_name = "COUNT")]
    pub(crate) min_sample_size: Option<u32>,

    /// Use this many of the newest numbers.
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_sample_size: Option<u32>,

    /// Release of Bencher whose formulas are used [default: those since 0.6.3].
    #[arg(long, value_name = "RELEASE", value_parser = compat)]
    pub(crate) compat: Option<Compat>,

    #[command(flatten)]
    pub(crate) shown: DisplayOptions,
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

/// Parses `NAME=NUMBER`, or `kind=WORD`; a number without a point is a whole one.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, number) = text.split_once('=').ok_or("give a name and a number, such as width=7")?;
    if name.trim() == "kind" {
        return Ok(("kind".into(), number.trim().into()));
    }
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
        assert_eq!(setting("kind=percent"), Ok(("kind".into(), json!("percent"))));
        for text in ["width", "width=", "width=wide", "width=NaN"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }
}
