//! The table of all tests.

use super::{Section, column, digits, indexed};
use crate::report::ShownVerdict;
use perftest_core::model::{BenchmarkId, Interval, Metric};
use serde_json::{Value, json};

/// A history in one row.
#[derive(Debug, Clone)]
pub(crate) struct OverviewRow {
    pub(crate) benchmark: BenchmarkId,
    /// The name as it is shown: one line.
    pub(crate) testbed: String,
    pub(crate) metric: Metric,
    pub(crate) section: Section,
    /// The last verdict.
    pub(crate) verdict: Option<ShownVerdict>,
    /// The value of the newest run that has one, over all processes of its decision.
    pub(crate) now: Option<f64>,
    /// Its degradation against the baseline; `None` where that is no ratio.
    pub(crate) ratio: Option<Interval>,
    /// The baseline's value where there is no ratio to it: `from 0 bytes`.
    pub(crate) from: Option<String>,
    /// The smallest detectable slowdown, as a share.
    pub(crate) detects: Option<f64>,
    /// The values of the newest runs, oldest first.
    pub(crate) course: Vec<f64>,
    pub(crate) runs: usize,
    /// Start of the newest run.
    pub(crate) newest_ms: Option<u64>,
    /// Commit of the newest run, as people read it; empty where it is not known.
    pub(crate) commit: String,
    /// Time that the newest run took.
    pub(crate) spent_ns: u64,
    /// The newest lasting change: its ratio and when.
    pub(crate) change: Option<(f64, u64)>,
    /// Alarms of alert rules on the newest run.
    pub(crate) alarms: usize,
}

/// Largest number of runs in the course of a row.
pub(crate) const COURSE: usize = 40;
/// Number of steps of a course.
const LEVELS: f64 = 35.0;

/// All rows as columns.
pub(super) fn overview_as_json<'a>(rows: impl Iterator<Item = &'a OverviewRow> + Clone) -> Value {
    let of = |value: fn(&OverviewRow) -> Value| column(rows.clone().map(value));
    let (testbeds, testbed) = indexed(rows.clone().map(|row| row.testbed.clone()));
    let (commits, commit) = indexed(rows.clone().map(|row| row.commit.clone()));
    let (metrics, metric) =
        indexed(rows.clone().map(|row| metric_as_json(&row.metric).to_string()));
    let metrics: Vec<Value> =
        metrics.iter().filter_map(|text| serde_json::from_str(text).ok()).collect();
    json!({
        "count": rows.clone().count(),
        "testbeds": testbeds,
        "metrics": metrics,
        "commits": commits,
        "name": of(|row| row.benchmark.to_string().into()),
        "id": of(|row| {
            let is_shown = row.benchmark.as_str() == row.benchmark.to_string();
            if is_shown { Value::Null } else { row.benchmark.as_str().into() }
        }),
        "testbed": testbed,
        "metric": metric,
        "commit": commit,
        "section": of(|row| row.section.name().into()),
        "verdict": of(|row| row.verdict.map_or(Value::Null, |it| it.to_string().into())),
        "now": of(|row| row.now.map_or(Value::Null, |it| digits(it, 6))),
        "ratio": of(|row| row.ratio.map_or(Value::Null, |it| digits(it.estimate, 5))),
        "ratio_lower": of(|row| row.ratio.map_or(Value::Null, |it| digits(it.lower, 5))),
        "ratio_upper": of(|row| row.ratio.map_or(Value::Null, |it| digits(it.upper, 5))),
        "from": of(|row| row.from.clone().into()),
        "detects": of(|row| row.detects.map_or(Value::Null, |it| digits(it, 3))),
        "course": of(|row| course(&row.course).into()),
        "runs": of(|row| row.runs.into()),
        "newest_s": of(|row| row.newest_ms.map_or(Value::Null, |it| (it / 1000).into())),
        "spent_ms": of(|row| (row.spent_ns / 1_000_000).into()),
        "change": of(|row| row.change.map_or(Value::Null, |(ratio, _)| digits(ratio, 4))),
        "change_s": of(|row| row.change.map_or(Value::Null, |(_, at_ms)| (at_ms / 1000).into())),
        "alarms": of(|row| row.alarms.into()),
    })
}

fn metric_as_json(metric: &Metric) -> Value {
    let [name, unit] = [&metric.name, &metric.unit].map(|it| perftest_core::words::one_line(it));
    json!({ "name": name, "unit": unit, "better": metric.direction.name() })
}

/// A value as a digit of base 36: the least is `0`, the largest `z`.
fn course(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let range = values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    let level =
        |value: &f64| if range > 0.0 { (value - least) / range * LEVELS } else { LEVELS / 2.0 };
    values.iter().filter_map(|value| char::from_digit(level(value).round() as u32, 36)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_goes_from_the_least_to_the_largest_value() {
        assert_eq!(course(&[1.0, 3.0, 2.0]), "0zi");
        assert_eq!(course(&[5.0, 5.0]), "ii");
        assert_eq!(course(&[]), "");
        assert_eq!(course(&[f64::MIN, f64::MAX]).len(), 2);
    }
}
