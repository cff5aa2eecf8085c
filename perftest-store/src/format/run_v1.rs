//! A run as one line, and back.

use super::environment_v1::{environment_of, put_environment};
use super::evidence_v1::{evidence_of, put_evidence};
use super::measurements_v1::{measurements_of, put_measurements};
use super::{Fields, JsonLine, LineError, NotFinite, SCHEMA};
use perftest_core::model::{BenchmarkId, CodeState, Direction, Metric, Revision, Run, RunId};

/// The run as one line, its end included.
pub(crate) fn encode_run(run: &Run) -> Result<String, NotFinite> {
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("k", "obs");
    put_identity(&mut line, run);
    put_code(&mut line, run);
    put_measurements(&mut line, run);
    put_environment(&mut line, &run.environment);
    if let Some(evidence) = &run.evidence {
        put_evidence(&mut line, evidence);
    }
    line.put_text("bl", &run.baseline);
    line.put_text("rule", &run.rule);
    line.put("teach", run.counts_for_baseline);
    line.put("wall", run.spent_ns);
    line.put("budget", run.budget_ns);
    line.put_list("flags", &run.flags);
    line.finish_sealed()
}

fn put_identity(line: &mut JsonLine, run: &Run) {
    line.put("id", run.id.as_str());
    line.put_text("sess", &run.session);
    line.put("attempt", run.attempt);
    line.put_text("project", &run.project);
    line.put("bench", run.benchmark.as_str());
    line.put("metric", run.metric.name.as_str());
    line.put("unit", run.metric.unit.as_str());
    line.put("better", run.metric.direction.name());
    line.put("testbed", run.testbed.as_str());
    line.put_text("ctx", &run.context);
    line.put_text("cfg", &run.config);
}

fn put_code(line: &mut JsonLine, run: &Run) {
    line.put_text("exe", &run.code.executable);
    line.put_text("text", &run.code.text);
    line.put_text("own", &run.own_code);
    line.put("t", run.started_ms);
    line.put_text("commit", &run.revision.commit);
    line.put_text("parent", &run.revision.parent);
    line.put_text("base", &run.revision.base);
    line.put_text("branch", &run.revision.branch);
    line.put("ord", run.revision.order);
    line.put("dirty", run.revision.dirty);
    line.put_text("ci", &run.ci);
}

/// The run of a line whose version was checked.
pub(crate) fn decode_run(fields: &Fields<'_>) -> Result<Run, LineError> {
    Ok(Run {
        id: RunId::from_recorded(fields.need::<String>("id")?),
        session: fields.get_or_default("sess")?,
        attempt: fields.get("attempt")?.unwrap_or(1),
        project: fields.get_or_default("project")?,
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
        metric: decode_metric(fields)?,
        testbed: fields.need("testbed")?,
        context: fields.get_or_default("ctx")?,
        config: fields.get_or_default("cfg")?,
        code: CodeState {
            executable: fields.get_or_default("exe")?,
            text: fields.get_or_default("text")?,
        },
        own_code: fields.get_or_default("own")?,
        started_ms: fields.need("t")?,
        revision: revision_of(fields)?,
        ci: fields.get_or_default("ci")?,
        warm_up: fields.get_or_default("warm")?,
        measurements: measurements_of(fields)?,
        suspects: fields.get_or_default("sus")?,
        on_processor_time: fields.get_or_default("oncpu")?,
        environment: environment_of(fields)?,
        evidence: evidence_of(fields)?,
        rule: fields.get_or_default("rule")?,
        baseline: fields.get_or_default("bl")?,
        counts_for_baseline: fields.get_or_default("teach")?,
        spent_ns: fields.get_or_default("wall")?,
        budget_ns: fields.get_or_default("budget")?,
        flags: fields.get_or_default("flags")?,
    })
}

/// What the run of a line measured.
pub(crate) fn decode_metric(fields: &Fields<'_>) -> Result<Metric, LineError> {
    let better: String = fields.need("better")?;
    let direction = Direction::from_name(&better).ok_or_else(|| {
        LineError::Damaged(format!("key `better` should be lower or higher, but is `{better}`"))
    })?;
    Ok(Metric { name: fields.need("metric")?, unit: fields.need("unit")?, direction })
}

fn revision_of(fields: &Fields<'_>) -> Result<Revision, LineError> {
    Ok(Revision {
        commit: fields.get_or_default("commit")?,
        parent: fields.get_or_default("parent")?,
        base: fields.get_or_default("base")?,
        branch: fields.get_or_default("branch")?,
        order: fields.get_or_default("ord")?,
        dirty: fields.get_or_default("dirty")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{check_sum, check_version};
    use perftest_core::model::{Interval, LevelStart, Measurement, Reason, Tag};

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
    fn a_run_that_knows_next_to_nothing_reads_back_as_it_was() {
        let mut run = example_run(0);
        run.environment = environment_of(&Fields::parse(b"{}").unwrap()).unwrap();
        run.evidence = None;
        run.revision = Revision::default();
        run.code = CodeState::default();
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
    fn an_unaccepted_improvement_survives_and_is_an_improvement_to_older_readers() {
        let mut run = example_run(0);
        run.evidence.as_mut().unwrap().reason = Reason::Unaccepted;
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        assert!(line.contains(r#""verdict":"improved","unaccepted":true,"#), "{line}");
    }

    #[test]
    fn where_the_baseline_comes_from_survives() {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.baseline_is_provisional, evidence.needed_budget_s) = (true, Some(18.0));
        let (commit_before, commit) = ("a1".to_owned(), "b2".to_owned());
        evidence.level_began = Some(LevelStart { commit_before, commit, ratio: 0.5 });
        assert_eq!(read(&encode_run(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn what_cannot_be_measured_survives_and_is_unclear_to_older_readers() {
        let mut run = example_run(0);
        run.evidence.as_mut().unwrap().reason = Reason::NotMeasurable;
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        assert!(line.contains(r#""verdict":"unclear","not_measurable":true,"#), "{line}");
    }

    #[test]
    fn a_line_is_flat_and_its_keys_stand_in_the_documented_order() {
        let line = encode_run(&example_run(1)).unwrap();
        assert!(line.starts_with("{\"v\":107,\"k\":\"obs\",\"id\":\""));
        let at = |key: &str| line.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("{key}"));
        let keys = ["id", "bench", "cfg", "t", "commit", "iters", "samples", "verdict", "flags"];
        assert!(keys.is_sorted_by_key(|key| at(key)));
        assert_eq!(line.matches('{').count(), 1);
        assert_eq!(line.matches('\n').count(), 1);
    }

    #[test]
    fn a_run_is_written_byte_for_byte_as_the_format_says() {
        let line = encode_run(&example_run(0)).unwrap();
        assert_eq!(line, include_str!("../../tests/fixtures/run_107.jsonl"));
    }

    #[test]
    fn a_record_without_a_checksum_is_read() {
        let old = include_str!("../../tests/fixtures/run_106.jsonl");
        assert_eq!(check_sum(old.trim_end().as_bytes()), Ok(()));
        assert_eq!(read(old).unwrap(), example_run(0));
    }

    #[test]
    fn a_record_without_what_was_measured_beside_wall_time_is_read() {
        let old = read(include_str!("../../tests/fixtures/run_105.jsonl")).unwrap();
        let mut new = example_run(0);
        new.evidence.as_mut().unwrap().explanatory_metrics.clear();
        assert_eq!(old, new);
    }

    #[test]
    fn a_record_without_a_limit_is_read() {
        let old = read(include_str!("../../tests/fixtures/run_104.jsonl")).unwrap();
        let mut new = example_run(0);
        let evidence = new.evidence.as_mut().unwrap();
        evidence.explanatory_metrics.clear();
        evidence.limit = None;
        assert_eq!(old, new);
    }

    #[test]
    fn an_exceeded_limit_survives_and_is_a_red_to_older_readers() {
        let mut run = example_run(0);
        run.evidence.as_mut().unwrap().reason = Reason::OverLimit;
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        assert!(line.contains(r#""verdict":"red","over_ceiling":true,"#), "{line}");
    }

    #[test]
    fn a_limit_that_was_left_open_is_so_when_it_is_read() {
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.reason, evidence.limit_is_open) = (Reason::Unclear, true);
        let line = encode_run(&run).unwrap();
        assert_eq!(read(&line).unwrap(), run);
        assert!(line.contains(r#""ceiling":50000,"ceiling_open":true,"#), "{line}");
    }

    #[test]
    fn a_record_of_a_witness_without_instructions_is_read() {
        let old = read(include_str!("../../tests/fixtures/run_103.jsonl")).unwrap();
        let mut new = example_run(0);
        let evidence = new.evidence.as_mut().unwrap();
        evidence.explanatory_metrics.clear();
        evidence.limit = None;
        evidence.paired_result.as_mut().unwrap().instructions = None;
        assert_eq!(old, new);
    }

    #[test]
    fn instructions_by_a_counter_of_the_future_are_left_out() {
        let line = encode_run(&example_run(0)).unwrap();
        let newer = read(&line.replace("\"valgrind\"", "\"abacus\"")).unwrap();
        let paired_result = newer.evidence.unwrap().paired_result.unwrap();
        assert_eq!((paired_result.instructions, paired_result.pairs), (None, 3));
    }

    #[test]
    fn a_record_of_the_first_format_is_read_and_knows_less() {
        let old = read(include_str!("../../tests/fixtures/run_100.jsonl")).unwrap();
        let mut new = example_run(0);
        for measurement in &mut new.measurements {
            let Measurement { iterations, wall_ns, value, .. } = *measurement;
            *measurement = Measurement { iterations, wall_ns, ..Measurement::of_value(value) };
        }
        assert_eq!(old.measurements, new.measurements);
        assert_eq!(old.environment.tags, [Tag::Parallel, Tag::Steal, Tag::Throttled]);
        assert_eq!(old.environment.distrusted, [Tag::Throttled]);
        assert_eq!(old.environment.rise(|state| &state.busy_ms), Some(40));
        assert_eq!(old.environment.after.temperature_milli_c.get(), Some(63_001));
        assert_eq!(old.environment.after.power.governor.value(), None);
        let like_new = Run {
            measurements: new.measurements.clone(),
            environment: new.environment.clone(),
            on_processor_time: new.on_processor_time.clone(),
            own_code: new.own_code.clone(),
            evidence: new.evidence.clone(),
            ..old
        };
        assert_eq!(like_new, new);
    }

    #[test]
    fn an_unknown_key_and_an_unknown_tag_are_ignored() {
        let run = example_run(0);
        let line = encode_run(&run).unwrap();
        let newer = line.replacen("{\"v\":107", "{\"new\":{\"a\":[1]},\"v\":108", 1);
        let newer = newer.replacen("\"noisy\":[", "\"noisy\":[\"moonlight\",", 1);
        assert!(newer.contains("moonlight"));
        assert_eq!(read(&newer).unwrap(), run);
    }

    #[test]
    fn damage_is_reported_by_its_key() {
        let line = encode_run(&example_run(0)).unwrap();
        assert_eq!(error(&line.replace("\"t\":", "\"tt\":")), "key `t` is missing");
        assert_eq!(
            error(&line.replace("\"verdict\":\"green\"", "\"verdict\":\"blue\"")),
            "there is no verdict `blue`"
        );
        assert_eq!(error("{\"v\":7}"), "format 7 never existed");
        assert_eq!(read("{\"v\":200}"), Err(LineError::Future(2)));
    }
}
