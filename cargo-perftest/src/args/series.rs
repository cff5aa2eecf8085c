//! The command line of the commands about numbers in their order.

use super::numbers::{DisplayOptions, Numbers, number};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use perftest_analysis::thresholds::{Compat, ThresholdTest};
use serde_json::{Value, json};

/// Find where the numbers changed, in their order: the oldest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Settings of the detectors, with their defaults:
  settled   none
  levels    none
  ed-pelt   min_distance=20
  rqq-pelt  min_distance=20
  jetpack   width=5 threshold=25
  skia      kind=cohen threshold=4 radius=7 min_deviation=0.001
            kinds: original, const, absolute, percent, percent_median, cohen, mannwhitneyu, stepiness

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

/// When the numbers were measured, and which pattern is taken out.
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
    /// The step fits of Skia Perf.
    Skia,
}

/// Judge the last number by limits that those before it set: Bencher's thresholds.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest stats threshold history.txt --test t_test --upper 0.99
  cargo perftest stats threshold history.txt --test percentage --upper 0.1 --lower 0.1 --unit ns
  cargo perftest stats threshold history.txt --test iqr --upper 1.5 --new 13100,12800

Exit codes:
  0  the answer is printed, within the limits or beyond them
  2  the numbers or the options cannot be used")]
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

    /// Take so many of the newest numbers.
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_sample_size: Option<u32>,

    /// The release whose formulas are used [default: those since 0.6.3].
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

/// `NAME=NUMBER`, or `kind=WORD`; a number without a point is a whole one.
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
