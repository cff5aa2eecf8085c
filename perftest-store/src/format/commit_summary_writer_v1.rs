//! Writes the older runs of a commit as one line.

use super::environment_v1::put_tags;
use super::run_v1::put_revision;
use super::{JsonLine, NotFinite, SCHEMA, SUMMARY};
use perftest_core::list::IntoList;
use perftest_core::model::Run;
use perftest_core::order::sort_by;
use perftest_core::rounding::rounded;

/// Significant digits of a decile, as many as a run has.
const DIGITS: usize = 6;

/// Encodes runs of one history, one configuration and one commit as one line with its end. They are oldest
/// first, and all of them are points of the history or none is; `None` without a measurement.
///
/// The same runs give the same line.
pub(crate) fn encode_summary(runs: &[Run]) -> Option<Result<String, NotFinite>> {
    let newest = runs.last()?;
    let values = runs.iter().flat_map(|run| run.measurements.iter().map(|it| it.value));
    let mut values: Vec<f64> = values.into_list();
    sort_by(&mut values, &f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let decile = |tenth: usize| rounded(values[(tenth * last + 5) / 10], DIGITS);
    let deciles: Vec<f64> = (0..=10).map(decile).into_list();
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", SUMMARY);
    line.put("id", newest.id.as_str());
    line.put("benchmark", newest.benchmark.as_str());
    line.put("metric", newest.metric.name.as_str());
    line.put("unit", newest.metric.unit.as_str());
    line.put("better", newest.metric.direction.name());
    line.put("testbed", newest.testbed.as_str());
    line.put_text("config", &newest.config);
    if newest.attempt > 1 {
        line.put("attempt", newest.attempt);
    }
    line.put("first_ms", runs[0].started_ms);
    line.put("started_ms", newest.started_ms);
    put_revision(&mut line, &newest.revision);
    line.put("runs", runs.len() as u64);
    line.put("measurements", values.len() as u64);
    line.put("deciles", deciles.as_slice());
    line.put_list("ids", &runs.iter().map(|run| run.id.as_str()).into_list());
    put_tags(&mut line, "distrusted", &newest.environment.distrusted);
    let marks = newest.flags.iter().map(String::as_str).filter(|it| Run::marks_fresh_process(it));
    line.put_list("marks", &marks.into_list());
    line.put("counts_for_baseline", false);
    Some(line.finish_sealed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{Fields, decode_summary};
    use perftest_core::model::Measurement;

    fn run(ordinal: u64, values: &[f64]) -> Run {
        let measurements = values.iter().map(|value| Measurement::of_value(*value)).collect();
        Run { measurements, ..example_run(ordinal) }
    }

    #[test]
    fn a_summary_has_the_deciles_of_all_measurements_and_counts_for_nothing() {
        let runs = [
            run(1, &[10.0, 30.0, 0.0]),
            run(2, &[20.0, 100.0, 50.0, 40.0, 60.0, 80.0, 70.0, 90.0]),
        ];
        let line = encode_summary(&runs).unwrap().unwrap();
        let read = decode_summary(&Fields::parse(line.as_bytes()).unwrap()).unwrap();
        let deciles: Vec<f64> = read.measurements.iter().map(|it| it.value).collect();
        let expected: Vec<f64> = (0..=10).map(|tenth| 10.0 * f64::from(tenth)).collect();
        assert_eq!((deciles, read.center()), (expected, Some(50.0)));
        assert_eq!((&read.id, &read.revision.commit), (&runs[1].id, &runs[1].revision.commit));
        assert!(!read.counts_for_baseline && read.is_summary() && read.evidence.is_none());
        assert!(line.contains("\"runs\":2,\"measurements\":11,"), "{line}");
    }

    #[test]
    fn runs_without_a_measurement_have_no_summary() {
        assert!(encode_summary(&[run(1, &[])]).is_none());
        assert!(encode_summary(&[]).is_none());
    }
}
