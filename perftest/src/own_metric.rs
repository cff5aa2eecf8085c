//! Custom metrics of a test.

use perftest_core::model::{Goal, Metric, ProcessValue, SeriesKind, Tolerance};

/// A number for [`Bencher::metric`](crate::Bencher::metric).
pub trait MetricValue {
    /// Returns the number.
    fn value(self) -> f64;
}

macro_rules! metric_values {
    ($($number:ty),*) => {$(
        impl MetricValue for $number {
            fn value(self) -> f64 {
                self as f64
            }
        }
    )*};
}

metric_values!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

/// The value of a custom metric for a whole run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OwnMetric {
    pub value: ProcessValue,
    /// The tolerance; `None` for a metric that only explains.
    pub tolerance: Option<Tolerance>,
}

impl OwnMetric {
    /// # Errors
    /// Why the metric is invalid, given the ones before.
    pub(crate) fn new(
        name: &str,
        value: f64,
        goal: &Goal,
        others: &[Self],
    ) -> Result<Self, String> {
        if name.trim().is_empty() || name.contains(|it: char| it == '/' || breaks_line(it)) {
            return Err(format!(
                "{name:?} is no name of a metric: take some text without `/` and control characters"
            ));
        }
        if SeriesKind::built_in(name).is_some() {
            return Err(format!("`{name}` is a built-in metric: give yours another name"));
        }
        if others.iter().any(|other| other.value.metric.name == name) {
            return Err(format!("the metric `{name}` is given twice: a run has one value of it"));
        }
        if !(value.is_finite() && value >= 0.0) {
            return Err(format!(
                "the metric `{name}` is {value}: a value has to be a finite number, not below zero"
            ));
        }
        if goal.unit_name().contains(breaks_line) {
            return Err(format!(
                "{:?} is no unit of the metric `{name}`: take some text in one line, without control \
                 characters",
                goal.unit_name()
            ));
        }
        let tolerance = goal.tolerance().map_err(|text| {
            format!(
                "the metric `{name}` has a tolerance of `{text}`: write a percentage above 0 and at \
                 most 900, such as \"1%\""
            )
        })?;
        let (unit, direction) = (goal.unit_name().to_owned(), goal.direction());
        let metric = Metric { name: name.to_owned(), unit, direction };
        Ok(Self { value: ProcessValue { metric, value }, tolerance })
    }
}

/// Control characters, and the two that separate lines and paragraphs.
pub(crate) fn breaks_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Direction::Lower;

    #[test]
    fn what_would_break_its_line_is_no_name_and_no_unit() {
        let given = |name: &str, unit: &'static str| {
            OwnMetric::new(name, 1.0, &Goal::from(Lower).unit(unit), &[])
        };
        assert_eq!(given("bytes out", "kB/s").map(|it| it.tolerance), Ok(None));
        for broken in ["a\nb", "a\tb", "a\u{2028}b", "\u{1b}[31m"] {
            let refused = given("size", broken).expect_err("it is no unit");
            assert!(refused.contains("is no unit of the metric `size`"), "{refused}");
            assert!(!refused.contains(broken), "{refused:?}");
            let refused = given(broken, "").expect_err("it is no name");
            assert!(refused.contains("is no name of a metric"), "{refused}");
        }
    }
}
