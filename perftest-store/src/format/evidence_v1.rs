//! What a verdict rests on, as flat keys.
//!
//! An interval is three keys; a bound that is infinite is left out.

use super::line::rounded;
use super::{Fields, JsonLine, LineError};
use perftest_core::model::{
    Evidence, ExplanatoryMetric, InstructionCounter, Instructions, Interval, LevelStart,
    PairedResult, Reason, Tolerance,
};

/// Keys of estimate, lower and upper bound.
type IntervalKeys = [&'static str; 3];

const DEGRADATION: IntervalKeys = ["ratio", "lo", "hi"];
const NOW: IntervalKeys = ["now", "now_lo", "now_hi"];
const BEFORE: IntervalKeys = ["bmed", "blo", "bhi"];

pub(super) fn put_evidence(line: &mut JsonLine, evidence: &Evidence) {
    // An older reader knows the improvement and not what it waits for, the red and not its cause, and no
    // better word than unclear for what cannot be measured.
    match evidence.reason {
        Reason::Unaccepted => {
            line.put("verdict", Reason::Improved.name());
            line.put("unaccepted", true);
        }
        Reason::OverLimit => {
            line.put("verdict", Reason::Red.name());
            line.put("over_ceiling", true);
        }
        Reason::NotMeasurable => {
            line.put("verdict", Reason::Unclear.name());
            line.put("not_measurable", true);
        }
        reason => line.put("verdict", reason.name()),
    }
    put_interval(line, DEGRADATION, evidence.degradation);
    put_interval(line, NOW, evidence.now);
    put_interval(line, BEFORE, evidence.before);
    line.put("bln", evidence.baseline_runs);
    line.put("blc", evidence.baseline_commits);
    line.put_text("bcommit", &evidence.baseline_commit);
    line.put_known("bdist", evidence.commits_before_base);
    if evidence.baseline_is_provisional {
        line.put("bprov", true);
    }
    if let Some(began) = &evidence.level_began {
        line.put("lratio", began.ratio);
        line.put_text("lbefore", &began.commit_before);
        line.put_text("lcommit", &began.commit);
    }
    line.put("need", evidence.baseline_needed);
    line.put("tol", evidence.tolerance.share());
    line.put_known("ceiling", evidence.limit);
    if evidence.limit_is_open {
        line.put("ceiling_open", true);
    }
    line.put_known("acc", evidence.accepted_ratio);
    line.put_known("sees", evidence.smallest_detectable);
    line.put_known("fred", evidence.false_red_rate);
    line.put_known("rnoise", evidence.noise);
    line.put_known("nneed", evidence.needed_measurements);
    line.put_known("sneed", evidence.needed_budget_s);
    line.put("n", evidence.measurements);
    line.put("nsus", evidence.suspects);
    line.put("procs", evidence.processes);
    line.put("slow", evidence.slow_processes);
    if evidence.same_own_code {
        line.put("same_own", true);
    }
    if let Some(paired_result) = &evidence.paired_result {
        line.put("wnow", paired_result.now);
        line.put("wratio", paired_result.ratio);
        line.put("wmachine", paired_result.machine_ratio);
        line.put("wpairs", paired_result.pairs);
        line.put_text("wcommit", &paired_result.commit);
        put_instructions(line, paired_result.instructions);
    }
    put_explanatory_metrics(line, &evidence.explanatory_metrics);
    line.put_text("norm", &evidence.normalised_by);
    line.put_text("note", &evidence.note);
}

/// `None` without a verdict: the run is a fresh process of a confirmation.
pub(super) fn evidence_of(fields: &Fields<'_>) -> Result<Option<Evidence>, LineError> {
    let Some(name) = fields.get::<String>("verdict")? else {
        return Ok(None);
    };
    let reason = Reason::from_name(&name)
        .ok_or_else(|| LineError::Damaged(format!("there is no verdict `{name}`")))?;
    let reason = match reason {
        Reason::Improved if fields.get_or_default("unaccepted")? => Reason::Unaccepted,
        Reason::Red if fields.get_or_default("over_ceiling")? => Reason::OverLimit,
        Reason::Unclear if fields.get_or_default("not_measurable")? => Reason::NotMeasurable,
        reason => reason,
    };
    let tolerance = Tolerance::new(fields.need("tol")?)
        .map_err(|error| LineError::Damaged(error.to_string()))?;
    Ok(Some(Evidence {
        reason,
        degradation: interval_of(fields, DEGRADATION)?,
        now: interval_of(fields, NOW)?,
        before: interval_of(fields, BEFORE)?,
        baseline_runs: fields.get_or_default("bln")?,
        baseline_commits: fields.get_or_default("blc")?,
        baseline_commit: fields.get_or_default("bcommit")?,
        commits_before_base: fields.get("bdist")?,
        baseline_is_provisional: fields.get_or_default("bprov")?,
        level_began: level_began_of(fields)?,
        baseline_needed: fields.get_or_default("need")?,
        tolerance,
        limit: fields.get("ceiling")?,
        limit_is_open: fields.get_or_default("ceiling_open")?,
        accepted_ratio: fields.get("acc")?,
        smallest_detectable: fields.get("sees")?,
        false_red_rate: fields.get("fred")?,
        noise: fields.get("rnoise")?,
        needed_measurements: fields.get("nneed")?,
        needed_budget_s: fields.get("sneed")?,
        measurements: fields.get_or_default("n")?,
        suspects: fields.get_or_default("nsus")?,
        processes: fields.get_or_default("procs")?,
        slow_processes: fields.get_or_default("slow")?,
        same_own_code: fields.get_or_default("same_own")?,
        paired_result: paired_result_of(fields)?,
        explanatory_metrics: explanatory_metrics_of(fields)?,
        normalised_by: fields.get_or_default("norm")?,
        note: fields.get_or_default("note")?,
    }))
}

fn level_began_of(fields: &Fields<'_>) -> Result<Option<LevelStart>, LineError> {
    let Some(ratio) = fields.get("lratio")? else {
        return Ok(None);
    };
    Ok(Some(LevelStart {
        commit_before: fields.get_or_default("lbefore")?,
        commit: fields.get_or_default("lcommit")?,
        ratio,
    }))
}

fn paired_result_of(fields: &Fields<'_>) -> Result<Option<PairedResult>, LineError> {
    let Some(now) = fields.get("wnow")? else {
        return Ok(None);
    };
    Ok(Some(PairedResult {
        commit: fields.get_or_default("wcommit")?,
        now,
        ratio: fields.need("wratio")?,
        machine_ratio: fields.need("wmachine")?,
        pairs: fields.get_or_default("wpairs")?,
        instructions: instructions_of(fields)?,
    }))
}

fn put_instructions(line: &mut JsonLine, instructions: Option<Instructions>) {
    let Some(Instructions { before, now, counter, variation }) = instructions else {
        return;
    };
    line.put("winstr", before);
    line.put("instr", now);
    line.put("instr_vary", variation);
    line.put("instr_by", counter.name());
}

/// `None` also where the counter is one that only a newer writer knows.
fn instructions_of(fields: &Fields<'_>) -> Result<Option<Instructions>, LineError> {
    let counter = fields.get::<String>("instr_by")?;
    let Some(counter) = counter.and_then(|name| InstructionCounter::from_name(&name)) else {
        return Ok(None);
    };
    Ok(Some(Instructions {
        before: fields.need("winstr")?,
        now: fields.need("instr")?,
        counter,
        variation: fields.get_or_default("instr_vary")?,
    }))
}

/// Names, values now and before; the latter left out while none is known.
fn put_explanatory_metrics(line: &mut JsonLine, explanatory_metrics: &[ExplanatoryMetric]) {
    let names: Vec<&str> = explanatory_metrics.iter().map(|it| it.name.as_str()).collect();
    let now: Vec<f64> = explanatory_metrics.iter().map(|it| rounded(it.now, 6)).collect();
    let before = explanatory_metrics.iter().map(|it| it.before.map(|value| rounded(value, 6)));
    let before: Vec<Option<f64>> = before.collect();
    line.put_list("also", &names);
    line.put_list("also_now", &now);
    if before.iter().any(Option::is_some) {
        line.put("also_bef", before.as_slice());
    }
}

fn explanatory_metrics_of(fields: &Fields<'_>) -> Result<Vec<ExplanatoryMetric>, LineError> {
    let names: Vec<String> = fields.get_or_default("also")?;
    let now: Vec<f64> = fields.get_or_default("also_now")?;
    let before: Option<Vec<Option<f64>>> = fields.get("also_bef")?;
    let before = before.unwrap_or_else(|| vec![None; names.len()]);
    if now.len() != names.len() || before.len() != names.len() {
        let why = format!("{} names in `also`, but not as many values beside them", names.len());
        return Err(LineError::Damaged(why));
    }
    let all = names.into_iter().zip(now).zip(before);
    Ok(all.map(|((name, now), before)| ExplanatoryMetric { name, now, before }).collect())
}

fn put_interval(line: &mut JsonLine, keys: IntervalKeys, interval: Option<Interval>) {
    let Some(Interval { estimate, lower, upper }) = interval else {
        return;
    };
    line.put(keys[0], estimate);
    line.put_known(keys[1], (lower != f64::NEG_INFINITY).then_some(lower));
    line.put_known(keys[2], (upper != f64::INFINITY).then_some(upper));
}

fn interval_of(fields: &Fields<'_>, keys: IntervalKeys) -> Result<Option<Interval>, LineError> {
    let Some(estimate) = fields.get(keys[0])? else {
        return Ok(None);
    };
    let lower = fields.get(keys[1])?.unwrap_or(f64::NEG_INFINITY);
    let upper = fields.get(keys[2])?.unwrap_or(f64::INFINITY);
    Ok(Some(Interval { estimate, lower, upper }))
}
