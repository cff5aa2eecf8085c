//! Options that the commands of `cargo perftest stats` share.

use super::OutputOptions;
use perftest_core::model::Tolerance;
use std::path::PathBuf;

/// One input of numbers.
#[derive(Debug, clap::Args)]
pub(crate) struct Numbers {
    /// A file of numbers; `-` reads the pipe [default: -].
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Column of a CSV table, by its name or its number from 1, or key of JSON objects.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
}

/// Two or more inputs.
#[derive(Debug, clap::Args)]
pub(crate) struct SeveralNumbers {
    /// The numbers before, or the reference; then the numbers to compare with them. `-` reads the pipe
    /// [default of the others: further columns of the same file].
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Column of each input, by its name or its number from 1, or key of JSON objects; given once for
    /// all files, or once for each input.
    #[arg(long = "column", value_name = "COLUMN")]
    pub(crate) columns: Vec<String>,
}

/// The resolution of the clock.
#[derive(Debug, clap::Args)]
pub(crate) struct Ticks {
    /// Smallest step of the clock: ties are spread over it before modes are searched; 0 keeps ties
    /// [default: the smallest distance of two values, if most values tie].
    #[arg(long, value_name = "DISTANCE", value_parser = resolution)]
    pub(crate) resolution: Option<f64>,
}

/// The certainty of bounds.
#[derive(Debug, clap::Args)]
pub(crate) struct Misrate {
    /// Largest probability that bounds miss.
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.001, value_parser = misrate)]
    pub(crate) misrate: f64,
}

/// The form of numbers and of the answer.
#[derive(Debug, clap::Args)]
pub(crate) struct DisplayOptions {
    /// Unit of the numbers; `ns` is printed in us, ms or s as suitable.
    #[arg(long, value_name = "UNIT", default_value = "")]
    pub(crate) unit: String,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

pub(super) fn number(
    text: &str,
    is_allowed: impl Fn(f64) -> bool,
    allowed: &str,
) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|it: &f64| it.is_finite() && is_allowed(*it));
    number.ok_or_else(|| format!("give {allowed}"))
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    number(text, |it| it > 0.0, "a number above 0")
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    number(text, |it| (0.0..=1.0).contains(&it), "probabilities from 0 to 1, such as 0.5,0.99")
}

fn resolution(text: &str) -> Result<f64, String> {
    number(text, |it| it >= 0.0, "a distance in the unit of the numbers, or 0")
}

fn misrate(text: &str) -> Result<f64, String> {
    number(text, |it| it > 0.0 && it < 1.0, "a probability above 0 and below 1, such as 0.001")
}

/// Parses a tolerance; here it may also be 0.
pub(super) fn threshold(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let bare = text.trim_end_matches('%').trim_end();
    if bare.parse() == Ok(0.0) {
        return Ok(0.0);
    }
    // A number with an exponent cannot be a percentage without its sign.
    let number = bare.contains(['e', 'E']).then(|| bare.parse::<f64>().ok()).flatten();
    let share = match number {
        Some(percent) if text.ends_with('%') => Tolerance::new(percent / 100.0),
        Some(number) => Tolerance::of_number(number),
        None => text.parse(),
    };
    let share = share.map(Tolerance::share);
    share.map_err(|_| "give a share such as 5% or 0.05, or the ratio 1.05, or 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_refused_with_what_is_allowed() {
        assert_eq!(
            [" 5% ", "0.05", "25%", "0.25", "1.25", "0", " 0% ", "0.0"].map(threshold),
            [0.05, 0.05, 0.25, 0.25, 0.25, 0.0, 0.0, 0.0].map(Ok)
        );
        assert_eq!(["1e-3", "1e-1%", "1.1e0"].map(threshold), [0.001, 0.001, 0.1].map(Ok));
        assert!(
            ["5", "-5%", "1e3", "-1e-3", "e", "1.0", "1000%"]
                .iter()
                .all(|text| threshold(text).is_err())
        );
        assert_eq!((probability("1"), resolution("0")), (Ok(1.0), Ok(0.0)));
        for text in ["", "x", "NaN", "inf", "-1"] {
            let refused = [positive, probability, resolution, misrate, threshold];
            assert!(refused.iter().all(|parse| parse(text).is_err()), "{text}");
        }
        assert!(misrate("1").is_err() && positive("0").is_err());
    }
}
