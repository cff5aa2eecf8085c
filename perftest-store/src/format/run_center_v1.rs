//! A run with no more than a course of medians needs.

use super::environment_v1::tags_of;
use super::measurements_v1::{measurements_of, values_of};
use super::run_v1::{decode_metric, revision_of};
use super::{Fields, LineError};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, CodeState, Environment, Measurement, Run, RunId};

/// Decodes a run as its [`RunSummary`](super::RunSummary) has it: with the [center](Run::center) as the only
/// measurement. Reports over all histories decode a fraction of each line so.
pub(crate) fn decode_run_center(fields: &Fields<'_>) -> Result<Run, LineError> {
    let id = RunId::from_recorded(fields.need::<String>("id")?);
    let benchmark = BenchmarkId::from_recorded(fields.need::<String>("benchmark")?);
    let on_processor_time: Vec<u32> = fields.get_or_default("on_processor_time_samples")?;
    let measurements = match on_processor_time.is_empty() {
        true => values_of(fields)?.into_iter().map(Measurement::of_value).into_list(),
        false => measurements_of(fields)?,
    };
    let mut run = Run {
        attempt: fields.get("attempt")?.unwrap_or(1),
        testbed: fields.need("testbed")?,
        context: fields.get_or_default("context")?,
        config: fields.get_or_default("config")?,
        code: CodeState { text: fields.get_or_default("machine_code")?, ..CodeState::default() },
        started_ms: fields.need("started_ms")?,
        revision: revision_of(fields)?,
        measurements,
        suspects: fields.get_or_default("disturbed_samples")?,
        on_processor_time,
        environment: Environment {
            distrusted: tags_of(fields, "distrusted")?,
            ..Environment::default()
        },
        counts_for_baseline: fields.get_or_default("counts_for_baseline")?,
        formerly: fields.get::<String>("formerly")?.map(BenchmarkId::from_recorded),
        acceptance: fields.get("acceptance")?,
        flags: fields.get_or_default("marks")?,
        ..Run::blank(id, benchmark, decode_metric(fields)?)
    };
    let center = run.center().map(Measurement::of_value);
    run.measurements = center.into_iter().into_list();
    run.suspects.clear();
    run.on_processor_time.clear();
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{RunSummary, decode_run, encode_run};

    fn fields(line: &str) -> Fields<'_> {
        Fields::parse(line.trim_end().as_bytes()).unwrap()
    }

    fn decoded(line: &str) -> Run {
        decode_run_center(&fields(line)).unwrap()
    }

    #[test]
    fn a_line_gives_the_run_that_its_summary_gives() {
        let run = example_run(3);
        assert!(!run.suspects.is_empty() && !run.on_processor_time.is_empty());
        let undisturbed =
            Run { suspects: Vec::new(), on_processor_time: Vec::new(), ..run.clone() };
        for run in [run, undisturbed] {
            let line = encode_run(&run).unwrap();
            let summary = RunSummary::of_line(line.trim_end().as_bytes()).unwrap();
            let from_line = decoded(&line);
            assert_eq!(from_line, decoded(&summary.line));
            assert_eq!(from_line.center(), decode_run(&fields(&line)).unwrap().center());
        }
    }

    #[test]
    fn a_run_without_a_measurement_has_no_center() {
        let run = Run { measurements: Vec::new(), ..example_run(3) };
        let line = encode_run(&run).unwrap();
        assert_eq!(decoded(&line).measurements, []);
    }
}
