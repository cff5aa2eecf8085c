//! Formats the shape of a sample in one line: its modes and outliers.

use crate::stats::{ModeValues, mode_values};
use perftest_core::model::Sample;
use perftest_core::stats::modes;

/// The level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeDetail {
    /// The range of each mode, outliers among it, and only the outer modes of more than two.
    Ranges,
    /// Ranges and outliers; counts up to two modes, the location of a single one.
    Fitting,
    /// Ranges, locations, counts and outliers of the outer modes.
    OuterModes,
    /// The same of all modes.
    AllModes,
}

/// Formats the shape of `sample`; `number` formats a value.
///
/// `[7 | 10 | 13]_50` are 50 values from 7 to 13, densest at 10, `[7; 13]_50` without the
/// location; `{0, 2}` and `{19..21}_3` are two and three outliers; `<3 modes>` are left out.
/// Outliers are those of the double median absolute deviation inside each mode, and those between
/// two modes are listed once. Groups of one or two values have no count.
///
/// The shape does not account for chance: below 30 values a single mode may only mean that others
/// were not seen. Apply [`jittered`](crate::stats::jittered) to ties of a coarse clock first.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::words::{ShapeDetail, shape};
/// let hump = (0..21).map(|i| 100.0 + f64::from(i % 7) + f64::from(i % 3));
/// let sample = Sample::new(hump.chain([150.0]).collect()).unwrap();
/// let line = shape(&sample, ShapeDetail::Ranges, |value| format!("{value:.0}"));
/// assert_eq!(line, "[100; 150]");
/// ```
pub fn shape(sample: &Sample, detail: ShapeDetail, number: impl Fn(f64) -> String) -> String {
    shape_of(&mode_values(sample, &modes(sample)), detail, number)
}

/// Formats the shape of a sample with known modes; `number` formats a value.
///
/// ```
/// use perftest_core::model::Sample;
/// use perftest_analysis::stats::{jittered, mode_values};
/// use perftest_core::stats::modes;
/// use perftest_analysis::words::{ShapeDetail, shape_of};
/// let ticks = Sample::new(vec![1.0, 2.0, 2.0, 2.0, 3.0]).unwrap();
/// let parts = mode_values(&ticks, &modes(&jittered(&ticks, 1.0)));
/// let line = shape_of(&parts, ShapeDetail::Ranges, |value| value.to_string());
/// assert_eq!(line, "[1; 3]");
/// ```
pub fn shape_of(
    parts: &[ModeValues<'_>],
    detail: ShapeDetail,
    number: impl Fn(f64) -> String,
) -> String {
    let words = ShapeFormat { shown: ShownParts::of(detail, parts.len()), number };
    let mut pieces = Vec::new();
    match parts {
        [first, middle @ .., last] if words.shown.only_outer && !middle.is_empty() => {
            pieces.extend(words.outliers(first.below));
            pieces.push(words.mode(first));
            pieces.push(left_out(middle.len()));
            pieces.push(words.mode(last));
            pieces.extend(words.outliers(last.above));
        }
        parts => {
            let mut between: &[f64] = &[];
            for part in parts {
                pieces.extend(words.outliers(&[between, part.below].concat()));
                pieces.push(words.mode(part));
                between = part.above;
            }
            pieces.extend(words.outliers(between));
        }
    }
    pieces.join(" + ")
}

fn left_out(modes: usize) -> String {
    format!("<{modes} mode{}>", if modes == 1 { "" } else { "s" })
}

struct ShownParts {
    counts: bool,
    locations: bool,
    outliers: bool,
    only_outer: bool,
}

impl ShownParts {
    fn of(detail: ShapeDetail, modes: usize) -> Self {
        let (counts, locations) = match detail {
            ShapeDetail::Ranges => (false, false),
            ShapeDetail::Fitting => (modes <= 2, modes == 1),
            ShapeDetail::OuterModes | ShapeDetail::AllModes => (true, true),
        };
        let outliers = detail != ShapeDetail::Ranges;
        Self { counts, locations, outliers, only_outer: detail != ShapeDetail::AllModes }
    }
}

struct ShapeFormat<Number> {
    shown: ShownParts,
    number: Number,
}

impl<Number: Fn(f64) -> String> ShapeFormat<Number> {
    fn mode(&self, part: &ModeValues<'_>) -> String {
        let number = &self.number;
        let values = match self.shown.outliers {
            true => part.inside,
            false => &[part.below, part.inside, part.above].concat(),
        };
        match values {
            [only] => format!("[{}]", number(*only)),
            [first, last] => format!("[{}, {}]", number(*first), number(*last)),
            [first, .., last] => {
                let (first, last) = (number(*first), number(*last));
                let range = if self.shown.locations {
                    format!("[{first} | {} | {last}]", number(part.mode.location))
                } else {
                    format!("[{first}; {last}]")
                };
                range + &self.count(values.len())
            }
            // The median of a mode is never outside its own fences.
            [] => format!("[{}]", number(part.mode.location)),
        }
    }

    fn outliers(&self, values: &[f64]) -> Option<String> {
        let number = &self.number;
        match values {
            _ if !self.shown.outliers => None,
            [] => None,
            [only] => Some(format!("{{{}}}", number(*only))),
            [first, last] => Some(format!("{{{}, {}}}", number(*first), number(*last))),
            [first, .., last] => {
                let range = format!("{{{}..{}}}", number(*first), number(*last));
                Some(range + &self.count(values.len()))
            }
        }
    }

    fn count(&self, values: usize) -> String {
        if self.shown.counts { format!("_{values}") } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_text(values: Vec<f64>, detail: ShapeDetail) -> String {
        shape(&Sample::new(values).unwrap(), detail, |value| format!("{value:.1}"))
    }

    #[test]
    fn few_values_are_reported_as_they_are() {
        assert_eq!(shape_text(vec![5.0], ShapeDetail::Fitting), "[5.0]");
        assert_eq!(shape_text(vec![5.0, 7.0], ShapeDetail::AllModes), "[5.0, 7.0]");
    }

    #[test]
    fn values_that_agree_are_a_mode_of_no_width() {
        assert_eq!(shape_text(vec![5.0; 4], ShapeDetail::Fitting), "[5.0 | 5.0 | 5.0]_4");
        assert_eq!(shape_text(vec![5.0; 4], ShapeDetail::Ranges), "[5.0; 5.0]");
    }
}
