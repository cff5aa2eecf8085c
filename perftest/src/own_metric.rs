//! Numbers of the author's own.

use perftest_core::model::{Aspect, Goal, Metric, ProcessValue, Tolerance};

/// What [`Bencher::metric`](crate::Bencher::metric) takes: any number.
pub trait MetricValue {
    /// The number.
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

/// A number of the author's own for a whole run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OwnMetric {
    pub value: ProcessValue,
    /// What it is judged by; `None` where it only explains.
    pub tolerance: Option<Tolerance>,
}

impl OwnMetric {
    /// # Errors
    /// Why it cannot be one, beside those given before.
    pub(crate) fn new(
        name: &str,
        value: f64,
        goal: &Goal,
        others: &[Self],
    ) -> Result<Self, String> {
        if name.trim().is_empty() || name.contains(|it: char| it == '/' || it.is_control()) {
            return Err(format!(
                "{name:?} is no name of a metric: take some text without `/` and control characters"
            ));
        }
        if Aspect::built_in(name).is_some() {
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
