//! A run with no more than a course of medians needs.

use super::environment_v1::tags_of;
use super::measurements_v1::{measurements_of, values_of};
use super::run_v1::run_with_identity;
use super::{Fields, LineError};
use perftest_core::list::IntoList;
use perftest_core::model::{Measurement, Note, Reason, Run};

/// Decodes a run as its [`RunSummary`](super::RunSummary) has it: with the [center](Run::center) as the only
/// measurement. Reports over all histories decode a fraction of each line so.
pub(crate) fn decode_run_center(fields: &Fields<'_>) -> Result<Run, LineError> {
    let mut run = run_with_identity(fields)?;
    run.measurements = if run.on_processor_time.is_empty() {
        values_of(fields)?.into_iter().map(Measurement::of_value).into_list()
    } else {
        measurements_of(fields)?
    };
    run.environment.distrusted = tags_of(fields, "distrusted")?;
    let center = run.center().map(Measurement::of_value);
    run.measurements = center.into_iter().into_list();
    run.suspects.clear();
    run.apart.clear();
    run.on_processor_time.clear();
    if has_times_of_machine(&run, fields)? {
        run.flags.push(Run::TIMES_OF_MACHINE.to_owned());
    }
    Ok(run)
}

fn has_times_of_machine(run: &Run, fields: &Fields<'_>) -> Result<bool, LineError> {
    let verdict = fields.text("verdict")?;
    let Some(reason) = verdict.as_deref().and_then(Reason::from_name) else { return Ok(false) };
    let notes: Vec<Note> = fields.get_or_default("notes")?;
    Ok(run.leaves_times_to_machine(reason, &notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{RunSummary, decode_run, encode_run};
    use perftest_core::model::Evidence;

    fn fields(line: &str) -> Fields<'_> {
        Fields::parse(line.trim_end().as_bytes()).unwrap()
    }

    fn decoded(line: &str) -> Run {
        decode_run_center(&fields(line)).unwrap()
    }

    #[test]
    fn a_line_gives_the_run_that_its_summary_gives() {
        let run = Run { corrected_ms: Some(7), ..example_run(3) };
        assert!(!run.suspects.is_empty() && !run.on_processor_time.is_empty());
        let undisturbed =
            Run { suspects: Vec::new(), on_processor_time: Vec::new(), ..run.clone() };
        let evidence = run.evidence.clone().map(|it| Evidence {
            reason: Reason::Green,
            notes: vec![Note::NotCountedDisturbed],
            ..it
        });
        let of_machine = Run { evidence, ..run.clone() };
        for run in [run, undisturbed, of_machine] {
            let line = encode_run(&run).unwrap();
            let summary = RunSummary::of_line(line.trim_end().as_bytes()).unwrap();
            let from_line = decoded(&line);
            assert_eq!(from_line, decoded(&summary.line));
            assert_eq!(from_line.has_times_of_machine(), run.has_times_of_machine());
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
