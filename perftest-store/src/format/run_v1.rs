//! A run as one line.

use super::environment_v1::{environment_of, put_environment};
use super::evidence_v1::{evidence_of, put_evidence};
use super::measurements_v1::{measurements_of, put_measurements};
use super::{Fields, JsonLine, LineError, NotFinite, SCHEMA};
use perftest_core::list::IntoList;
use perftest_core::model::{
    BenchmarkId, Direction, Metric, ProgramCode, Revision, Run, RunId, SourcePlace,
};

/// Encodes the run as one line with its end.
pub(crate) fn encode_run(run: &Run) -> Result<String, NotFinite> {
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", "run");
    put_identity(&mut line, run);
    put_code(&mut line, run);
    put_measurements(&mut line, run);
    put_environment(&mut line, &run.environment);
    if let Some(evidence) = &run.evidence {
        put_evidence(&mut line, evidence);
    }
    line.put_text("baseline_hash", &run.baseline);
    line.put_text("rule", &run.rule);
    line.put_known("max_measurements", run.max_measurements);
    put_curve(&mut line, &run.curve);
    line.put_known("formerly", run.formerly.as_ref().map(BenchmarkId::as_str));
    line.put_known("acceptance", run.acceptance.as_deref());
    line.put("counts_for_baseline", run.counts_for_baseline);
    line.put("spent_ns", run.spent_ns);
    line.put("budget_ns", run.budget_ns);
    line.put_list("marks", &run.flags);
    line.finish_sealed()
}

/// Writes two lists of the same length.
fn put_curve(line: &mut JsonLine, curve: &[(u32, f64)]) {
    let (measurements, ratios): (Vec<u32>, Vec<f64>) = curve.iter().copied().unzip();
    line.put_list("curve_measurements", &measurements);
    line.put_list("curve_ratios", &ratios);
}

fn curve_of(fields: &Fields<'_>) -> Result<Vec<(u32, f64)>, LineError> {
    let measurements: Vec<u32> = fields.get_or_default("curve_measurements")?;
    let ratios: Vec<f64> = fields.need_list("curve_ratios", measurements.len())?;
    Ok(measurements.into_iter().zip(ratios).into_list())
}

fn put_identity(line: &mut JsonLine, run: &Run) {
    line.put("id", run.id.as_str());
    line.put_text("session", &run.session);
    line.put("attempt", run.attempt);
    line.put_text("project", &run.project);
    line.put("benchmark", run.benchmark.as_str());
    line.put("metric", run.metric.name.as_str());
    line.put("unit", run.metric.unit.as_str());
    line.put("better", run.metric.direction.name());
    line.put("testbed", run.testbed.as_str());
    line.put_text("context", &run.context);
    line.put_text("config", &run.config);
    if let Some(SourcePlace { file, line: number }) = &run.source {
        line.put_text("file", file);
        line.put("line", *number);
    }
}

fn put_code(line: &mut JsonLine, run: &Run) {
    line.put_text("executable", &run.code.executable);
    line.put_text("machine_code", &run.code.text);
    put_programs(line, &run.code.programs);
    line.put("started_ms", run.started_ms);
    line.put_known("corrected_ms", run.corrected_ms);
    put_revision(line, &run.revision);
    line.put_text("ci", &run.ci);
}

/// Writes two lists of the same length.
fn put_programs(line: &mut JsonLine, programs: &[ProgramCode]) {
    let list = |of: fn(&ProgramCode) -> &String| programs.iter().map(of).cloned().into_list();
    line.put_list("programs", &list(|program| &program.file));
    line.put_list("program_executables", &list(|program| &program.executable));
}

fn programs_of(fields: &Fields<'_>) -> Result<Vec<ProgramCode>, LineError> {
    let files: Vec<String> = fields.get_or_default("programs")?;
    let executables: Vec<String> = fields.need_list("program_executables", files.len())?;
    let programs = files.into_iter().zip(executables);
    Ok(programs.map(|(file, executable)| ProgramCode { file, executable }).into_list())
}

pub(super) fn put_revision(line: &mut JsonLine, revision: &Revision) {
    line.put_text("commit", &revision.commit);
    line.put_text("parent", &revision.parent);
    line.put_text("base", &revision.base);
    line.put_text("branch", &revision.branch);
    line.put("commit_time_s", revision.order);
    line.put("dirty", revision.dirty);
}

/// Decodes the run of a line whose version was checked.
pub(crate) fn decode_run(fields: &Fields<'_>) -> Result<Run, LineError> {
    let mut run = run_with_identity(fields)?;
    fields.fill("session", &mut run.session)?;
    fields.fill("project", &mut run.project)?;
    run.source = source_of(fields)?;
    fields.fill("executable", &mut run.code.executable)?;
    run.code.programs = programs_of(fields)?;
    fields.fill("ci", &mut run.ci)?;
    fields.fill("warm_up", &mut run.warm_up)?;
    run.measurements = measurements_of(fields)?;
    run.environment = environment_of(fields)?;
    run.evidence = evidence_of(fields)?;
    fields.fill("rule", &mut run.rule)?;
    fields.fill("max_measurements", &mut run.max_measurements)?;
    run.curve = curve_of(fields)?;
    fields.fill("baseline_hash", &mut run.baseline)?;
    fields.fill("spent_ns", &mut run.spent_ns)?;
    fields.fill("budget_ns", &mut run.budget_ns)?;
    Ok(run)
}

/// Decodes what a course of medians needs, without the measurements. Field by field: where the compiler builds a whole
/// run in one expression, each key that may be damaged drops all fields before it, which is ten times the code.
pub(super) fn run_with_identity(fields: &Fields<'_>) -> Result<Run, LineError> {
    let id = RunId::from_recorded(fields.need::<String>("id")?);
    let benchmark = BenchmarkId::from_recorded(fields.need::<String>("benchmark")?);
    let mut run = Run::blank(id, benchmark, decode_metric(fields)?);
    fields.fill("attempt", &mut run.attempt)?;
    run.testbed = fields.need("testbed")?;
    fields.fill("context", &mut run.context)?;
    fields.fill("config", &mut run.config)?;
    fields.fill("machine_code", &mut run.code.text)?;
    run.started_ms = fields.need("started_ms")?;
    fields.fill("corrected_ms", &mut run.corrected_ms)?;
    run.revision = revision_of(fields)?;
    fields.fill("disturbed_samples", &mut run.suspects)?;
    fields.fill("apart_samples", &mut run.apart)?;
    fields.fill("on_processor_time_samples", &mut run.on_processor_time)?;
    fields.fill("counts_for_baseline", &mut run.counts_for_baseline)?;
    run.formerly = fields.get::<String>("formerly")?.map(BenchmarkId::from_recorded);
    fields.fill("acceptance", &mut run.acceptance)?;
    fields.fill("marks", &mut run.flags)?;
    Ok(run)
}

/// Decodes the place of the test, which older records do not have.
fn source_of(fields: &Fields<'_>) -> Result<Option<SourcePlace>, LineError> {
    let file: Option<String> = fields.get("file")?;
    let line: Option<u32> = fields.get("line")?;
    Ok(file.zip(line).map(|(file, line)| SourcePlace { file, line }))
}

/// Decodes the metric of a line.
pub(crate) fn decode_metric(fields: &Fields<'_>) -> Result<Metric, LineError> {
    let better: String = fields.need("better")?;
    let direction = Direction::from_name(&better).ok_or_else(|| {
        LineError::Damaged(format!("key `better` should be lower or higher, but is `{better}`"))
    })?;
    Ok(Metric { name: fields.need("metric")?, unit: fields.need("unit")?, direction })
}

pub(super) fn revision_of(fields: &Fields<'_>) -> Result<Revision, LineError> {
    let mut revision = Revision::default();
    fields.fill("commit", &mut revision.commit)?;
    fields.fill("parent", &mut revision.parent)?;
    fields.fill("base", &mut revision.base)?;
    fields.fill("branch", &mut revision.branch)?;
    fields.fill("commit_time_s", &mut revision.order)?;
    fields.fill("dirty", &mut revision.dirty)?;
    Ok(revision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::check_version;
    use perftest_core::model::{CodeState, Interval, LevelStart, MetricChange, Reason};

    fn read(line: &str) -> Result<Run, LineError> {
        let fields = Fields::parse(line.as_bytes())?;
        check_version(&fields)?;
        decode_run(&fields)
    }

    fn error(line: &str) -> String {
        match read(line) {
            Err(LineError::Damaged(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_full_run_reads_back_as_it_was() {
        let run = example_run(3);
        assert_eq!(read(&encode_run(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn which_samples_were_of_threads_apart_is_kept_and_may_be_missing() {
        let run = Run { suspects: vec![2, 3], apart: vec![3], ..example_run(3) };
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        let before = line.replacen("\"apart_samples\":[3],", "", 1);
        assert_ne!(before, line);
        assert_eq!(read(&before).unwrap(), Run { apart: Vec::new(), ..run });
    }

    #[test]
    fn a_run_that_knows_next_to_nothing_reads_back_as_it_was() {
        let mut run = example_run(0);
        run.environment = environment_of(&Fields::parse(b"{}").unwrap()).unwrap();
        run.evidence = None;
        run.revision = Revision::default();
        run.code = CodeState::default();
        run.source = None;
        run.suspects.clear();
        run.flags.clear();
        run.measurements.clear();
        assert_eq!(read(&encode_run(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn an_infinite_bound_survives() {
        let mut run = example_run(0);
        let bounds = Interval { estimate: 1.2, lower: 0.9, upper: f64::INFINITY };
        run.evidence.as_mut().unwrap().degradation = Some(bounds);
        assert_eq!(read(&encode_run(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn every_verdict_survives_under_its_own_name() {
        let mut run = example_run(0);
        for reason in Reason::ALL {
            run.evidence.as_mut().unwrap().reason = reason;
            let line = encode_run(&run).unwrap();
            assert_eq!(read(&line).unwrap(), run);
            assert!(line.contains(&format!("\"verdict\":\"{}\",", reason.name())), "{line}");
        }
    }

    #[test]
    fn what_the_author_asked_for_and_when_it_was_corrected_survives() {
        let formerly = Some(BenchmarkId::from_recorded("codec::frame::pack"));
        let curve = vec![(9, 2.0), (30, 1.1)];
        let acceptance = Some("01KDVDNR000000000000000000".to_owned());
        let asked = Run { formerly, acceptance, curve, ..example_run(0) };
        let run = Run { max_measurements: Some(60), corrected_ms: Some(7), ..asked };
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        let why = "key `curve_ratios` should be a list of length 1, but has length 2";
        assert_eq!(error(&line.replace("[9,30]", "[9]")), why);
    }

    #[test]
    fn each_program_has_its_executable() {
        let line = encode_run(&example_run(0)).unwrap();
        let why = "key `program_executables` should be a list of length 2, but has length 1";
        assert_eq!(error(&line.replace(r#"["encoder"]"#, r#"["encoder","decoder"]"#)), why);
    }

    #[test]
    fn where_the_baseline_comes_from_survives() {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.baseline_is_provisional, evidence.needed_budget_s) = (true, Some(18.0));
        let (commit_before, commit) = ("a1".to_owned(), "b2".to_owned());
        evidence.level_began = Some(LevelStart { commit_before, commit, ratio: 0.5 });
        evidence.paired_result.as_mut().unwrap().dirty = true;
        assert_eq!(read(&encode_run(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn a_line_is_flat_and_its_keys_stand_in_the_documented_order() {
        let line = encode_run(&example_run(1)).unwrap();
        assert!(line.starts_with("{\"v\":1,\"kind\":\"run\",\"id\":\""));
        let at = |key: &str| line.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key}"));
        let keys = [
            "id",
            "benchmark",
            "config",
            "started_ms",
            "commit",
            "iterations",
            "samples",
            "verdict",
            "counts_for_baseline",
            "marks",
            "sum",
        ];
        assert!(keys.is_sorted_by_key(|key| at(key)));
        assert_eq!(line.matches('{').count(), 1);
        assert_eq!(line.matches('\n').count(), 1);
    }

    #[test]
    fn a_run_is_written_byte_for_byte_as_the_format_demands() {
        let line = encode_run(&example_run(0)).unwrap();
        assert_eq!(line, include_str!("../../tests/fixtures/run_1.jsonl"));
    }

    #[test]
    fn no_key_stands_twice_in_a_line() {
        let mut run = example_run(0);
        run.evidence.as_mut().unwrap().limit_is_open = true;
        let line = encode_run(&run).unwrap();
        let object: serde_json::Map<_, _> = serde_json::from_str(&line).unwrap();
        // Texts of the example contain no colon after a quote.
        assert_eq!(line.matches("\":").count(), object.len(), "{line}");
    }

    #[test]
    fn a_limit_that_was_left_open_is_so_when_it_is_read() {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.reason, evidence.limit_is_open) = (Reason::Unclear, true);
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        assert!(line.contains(r#""limit":50000,"limit_is_open":true,"#), "{line}");
    }

    #[test]
    fn changes_of_other_metrics_read_back_and_need_their_numbers() {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        let change = Interval { estimate: 1.0, lower: 0.5, upper: 1.5 };
        let change = MetricChange { name: "allocs".into(), before: 12.0, now: 13.0, change };
        evidence.paired_result.as_mut().unwrap().changes = vec![change];
        let line = encode_run(&run).unwrap();
        assert!(line.contains(r#""changes_by_lower":[0.5],"changes_by_upper":[1.5],"#), "{line}");
        assert_eq!(read(&line).unwrap(), run);
        let lacking = line.replace(r#""changes_now":[13],"#, "");
        assert!(lacking != line && read(&lacking).is_err());
    }

    #[test]
    fn instructions_by_a_counter_of_the_future_are_left_out() {
        let line = encode_run(&example_run(0)).unwrap();
        let newer = read(&line.replace("\"valgrind\"", "\"abacus\"")).unwrap();
        let paired_result = newer.evidence.unwrap().paired_result.unwrap();
        assert_eq!((paired_result.instructions, paired_result.pairs), (None, 3));
    }

    #[test]
    fn an_unknown_key_tag_and_note_are_ignored() {
        let run = example_run(0);
        let line = encode_run(&run).unwrap();
        let newer = line.replacen("{\"v\":1", "{\"new\":{\"a\":[1]},\"v\":1", 1);
        let newer = newer.replacen("\"tags\":[", "\"tags\":[\"moonlight\",", 1);
        let newer = newer.replacen("\"notes\":[", "\"notes\":[[\"moonlight\",1],", 1);
        assert_eq!(newer.matches("moonlight").count(), 2);
        assert_eq!(read(&newer).unwrap(), run);
    }

    #[test]
    fn damage_names_its_key() {
        let line = encode_run(&example_run(0)).unwrap();
        let without_start = line.replace("\"started_ms\":", "\"began\":");
        assert_eq!(error(&without_start), "key `started_ms` is missing");
        assert_eq!(
            error(&line.replace("\"verdict\":\"green\"", "\"verdict\":\"blue\"")),
            "there is no verdict `blue`"
        );
        for other in [0, 2, 107] {
            let line = format!("{{\"v\":{other}}}");
            assert_eq!(read(&line), Err(LineError::OtherVersion(other)));
        }
    }
}
