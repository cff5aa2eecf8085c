//! A run without its measurements, for a place that others read over a network.

use super::environment_v1::put_tags;
use super::line::written;
use super::run_v1::{decode_run, put_revision};
use super::{Fields, JsonLine, SCHEMA, check_version};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Metric, Run};

/// What a course of medians needs of a run: a line like that of the run, whose only measurement is the
/// [center](Run::center).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Name, unit and direction of the metric, as a JSON list.
    pub metric: String,
    /// The line without its end.
    pub line: String,
}

impl RunSummary {
    pub(crate) fn of_line(line: &[u8]) -> Option<Self> {
        let fields = Fields::parse(line).ok()?;
        check_version(&fields).ok()?;
        if fields.need::<String>("kind").ok()? != "run" {
            return None;
        }
        Self::of_run(&decode_run(&fields).ok()?)
    }

    fn of_run(run: &Run) -> Option<Self> {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        line.put("kind", "run");
        line.put("id", run.id.as_str());
        line.put("attempt", run.attempt);
        line.put("benchmark", run.benchmark.as_str());
        line.put("metric", run.metric.name.as_str());
        line.put("unit", run.metric.unit.as_str());
        line.put("better", run.metric.direction.name());
        line.put("testbed", run.testbed.as_str());
        line.put_text("context", &run.context);
        line.put_text("config", &run.config);
        line.put_text("machine_code", &run.code.text);
        line.put("started_ms", run.started_ms);
        line.put_known("corrected_ms", run.corrected_ms);
        put_revision(&mut line, &run.revision);
        line.put("iterations", 1_u64);
        // With all digits: the median of rounded values may have more than they.
        line.put("samples", [run.center()?].as_slice());
        put_tags(&mut line, "distrusted", &run.environment.distrusted);
        line.put_known("formerly", run.formerly.as_ref().map(BenchmarkId::as_str));
        line.put_known("acceptance", run.acceptance.as_deref());
        line.put("counts_for_baseline", run.counts_for_baseline);
        let of_machine = run.has_times_of_machine().then(|| Run::TIMES_OF_MACHINE.to_owned());
        let marks: Vec<String> = run.flags.iter().cloned().chain(of_machine).into_list();
        line.put_list("marks", &marks);
        let line = line.finish_sealed().ok()?.trim_end().to_owned();
        Some(Self { metric: Self::metric_text(&run.metric), line })
    }

    /// Name, unit and direction as a JSON list.
    pub fn metric_text(metric: &Metric) -> String {
        let parts = [metric.name.as_str(), metric.unit.as_str(), metric.direction.name()];
        written(parts.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{check_record, encode_run};
    use perftest_core::model::{Measurement, Tag};

    fn summary(run: &Run) -> Option<RunSummary> {
        RunSummary::of_line(encode_run(run).unwrap().trim_end().as_bytes())
    }

    fn read(line: &str) -> Run {
        decode_run(&Fields::parse(line.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_summary_is_a_record_with_the_same_center_code_and_marks() {
        let mut run = example_run(3);
        run.environment.distrusted = vec![Tag::Steal];
        run.formerly = Some(BenchmarkId::from_recorded("codec::frame::pack"));
        let line = encode_run(&run).unwrap();
        // What is written has fewer digits.
        let run = read(&line);
        let summary = summary(&run).unwrap();
        assert_eq!(summary.metric, r#"["wall","ns","lower"]"#);
        assert_eq!(check_record(summary.line.as_bytes()), Ok(Some(run.id.to_string())));
        assert!(3 * summary.line.len() < line.len(), "{}", summary.line);
        let back = read(&summary.line);
        assert_eq!((back.center(), back.is_fit()), (run.center(), run.is_fit()));
        assert_eq!(back.id, run.id);
        assert_eq!((back.benchmark, back.formerly), (run.benchmark, run.formerly));
        assert_eq!((back.metric, back.testbed), (run.metric, run.testbed));
        assert_eq!((back.config, back.context), (run.config, run.context));
        assert_eq!((back.code.text, back.revision), (run.code.text, run.revision));
        assert_eq!((back.started_ms, back.attempt), (run.started_ms, run.attempt));
        assert_eq!((back.flags, back.acceptance), (run.flags, run.acceptance));
        assert_eq!(back.counts_for_baseline, run.counts_for_baseline);
    }

    #[test]
    fn the_center_keeps_all_its_digits() {
        let values = [100_001.0, 100_002.0].map(Measurement::of_value);
        let (suspects, on_processor_time) = (Vec::new(), Vec::new());
        let run =
            Run { measurements: values.to_vec(), suspects, on_processor_time, ..example_run(0) };
        let center = read(&encode_run(&run).unwrap()).center();
        assert_eq!(read(&summary(&run).unwrap().line).center(), center);
        assert_eq!(center, Some(100_001.5));
    }

    #[test]
    fn what_is_no_run_or_has_no_center_has_no_summary() {
        let empty = Run {
            measurements: Vec::new(),
            suspects: Vec::new(),
            on_processor_time: Vec::new(),
            ..example_run(0)
        };
        assert_eq!(summary(&empty), None);
        for line in ["{\"v\":1,\"kind\":\"tombstone\"}", "garbage", "{\"v\":2,\"kind\":\"run\"}"] {
            assert_eq!(RunSummary::of_line(line.as_bytes()), None, "{line}");
        }
    }
}
