//! The evidence of a verdict as flat keys: those of [`fields_of_evidence`].

use super::{Fields, JsonLine, LineError};
use perftest_core::fields::{FieldValue, fields_of_evidence};
use perftest_core::list::IntoList;
use perftest_core::model::{
    Covariate, Evidence, ExplanatoryMetric, InstructionCounter, Instructions, Interval, LevelStart,
    MetricChange, PairedResult, Reason, Tolerance,
};
use perftest_core::rounding::rounded;

/// Significant digits of the numbers in a list.
const DIGITS: usize = 6;

pub(super) fn put_evidence(line: &mut JsonLine, evidence: &Evidence) {
    for (key, value) in fields_of_evidence(evidence) {
        match value {
            FieldValue::Number(number) => line.put(key, number),
            FieldValue::Count(count) => line.put(key, count),
            FieldValue::Flag(is_set) => line.put(key, is_set),
            FieldValue::Text(text) => line.put(key, text),
            FieldValue::Texts(texts) => line.put(key, texts.as_slice()),
            FieldValue::Numbers(numbers) => {
                let short = |it: Option<f64>| it.map(|number| rounded(number, DIGITS));
                let numbers: Vec<Option<f64>> = numbers.into_iter().map(short).into_list();
                line.put(key, numbers.as_slice());
            }
            FieldValue::Notes(notes) => line.put(key, notes.as_slice()),
        }
    }
}

/// `None` without a verdict: the run is a fresh process of a confirmation.
pub(super) fn evidence_of(fields: &Fields<'_>) -> Result<Option<Evidence>, LineError> {
    let Some(name) = fields.text("verdict")? else {
        return Ok(None);
    };
    let reason = Reason::from_name(&name)
        .ok_or_else(|| LineError::Damaged(format!("there is no verdict `{name}`")))?;
    let tolerance = Tolerance::new(fields.need("tolerance")?)
        .map_err(|error| LineError::Damaged(error.to_string()))?;
    Ok(Some(Evidence {
        reason,
        degradation: interval_of(fields, ["ratio", "ratio_lower", "ratio_upper"])?,
        now: interval_of(fields, ["value", "value_lower", "value_upper"])?,
        before: interval_of(fields, ["baseline_value", "baseline_lower", "baseline_upper"])?,
        baseline_runs: fields.get_or_default("baseline_runs")?,
        baseline_commits: fields.get_or_default("baseline_commits")?,
        baseline_commit: fields.get_or_default("baseline_commit")?,
        commits_before_base: fields.get("commits_before_base")?,
        baseline_is_provisional: fields.get_or_default("baseline_is_provisional")?,
        level_began: level_began_of(fields)?,
        baseline_needed: fields.get_or_default("baseline_needed")?,
        tolerance,
        limit: fields.get("limit")?,
        limit_is_open: fields.get_or_default("limit_is_open")?,
        accepted_ratio: fields.get("accepted_ratio")?,
        smallest_detectable: fields.get("smallest_detectable")?,
        false_alarm_rate: fields.get("false_alarm_rate")?,
        noise: fields.get("noise")?,
        needed_measurements: fields.get("needed_measurements")?,
        needed_budget_s: fields.get("needed_budget_s")?,
        measurements: fields.get_or_default("measurements")?,
        suspects: fields.get_or_default("disturbed")?,
        processes: fields.get_or_default("processes")?,
        slow_processes: fields.get_or_default("slow_processes")?,
        paired_result: paired_result_of(fields)?,
        explanatory_metrics: explanatory_metrics_of(fields)?,
        normalised_by: normalised_by_of(fields)?,
        notes: fields.get_or_default("notes")?,
    }))
}

/// Returns `None` also for a covariate of a newer version.
fn normalised_by_of(fields: &Fields<'_>) -> Result<Option<Covariate>, LineError> {
    let name = fields.text("normalised_by")?;
    Ok(name.and_then(|name| Covariate::from_name(&name)))
}

fn level_began_of(fields: &Fields<'_>) -> Result<Option<LevelStart>, LineError> {
    let Some(ratio) = fields.get("level_ratio")? else {
        return Ok(None);
    };
    Ok(Some(LevelStart {
        commit_before: fields.get_or_default("level_commit_before")?,
        commit: fields.get_or_default("level_commit")?,
        ratio,
    }))
}

fn paired_result_of(fields: &Fields<'_>) -> Result<Option<PairedResult>, LineError> {
    let Some(now) = fields.get("last_good_value")? else {
        return Ok(None);
    };
    Ok(Some(PairedResult {
        commit: fields.get_or_default("last_good_commit")?,
        dirty: fields.get_or_default("last_good_dirty")?,
        now,
        ratio: fields.need("last_good_ratio")?,
        machine_ratio: fields.need("last_good_machine_ratio")?,
        pairs: fields.get_or_default("pairs")?,
        instructions: instructions_of(fields)?,
        changes: changes_of(fields)?,
    }))
}

fn changes_of(fields: &Fields<'_>) -> Result<Vec<MetricChange>, LineError> {
    let names: Vec<String> = fields.get_or_default("changes")?;
    let numbers = |key: &str| fields.need_list::<f64>(key, names.len());
    let (before, now) = (numbers("changes_before")?, numbers("changes_now")?);
    let center = numbers("changes_by")?;
    let (lower, upper) = (numbers("changes_by_lower")?, numbers("changes_by_upper")?);
    let change = |(index, name): (usize, &String)| MetricChange {
        name: name.clone(),
        before: before[index],
        now: now[index],
        change: Interval { estimate: center[index], lower: lower[index], upper: upper[index] },
    };
    Ok(names.iter().enumerate().map(change).into_list())
}

/// Returns `None` also for a counter of a newer version.
fn instructions_of(fields: &Fields<'_>) -> Result<Option<Instructions>, LineError> {
    let counter = fields.text("instructions_by")?;
    let Some(counter) = counter.and_then(|name| InstructionCounter::from_name(&name)) else {
        return Ok(None);
    };
    Ok(Some(Instructions {
        before: fields.need("last_good_instructions")?,
        now: fields.need("instructions")?,
        counter,
        variation: fields.get_or_default("instructions_variation")?,
    }))
}

fn explanatory_metrics_of(fields: &Fields<'_>) -> Result<Vec<ExplanatoryMetric>, LineError> {
    let names: Vec<String> = fields.get_or_default("explanatory")?;
    let now: Vec<f64> = fields.need_list("explanatory_values", names.len())?;
    let before: Option<Vec<Option<f64>>> = fields.list("explanatory_baselines", names.len())?;
    let before = before.unwrap_or_else(|| vec![None; names.len()]);
    let all = names.into_iter().zip(now).zip(before);
    Ok(all.map(|((name, now), before)| ExplanatoryMetric { name, now, before }).into_list())
}

fn interval_of(fields: &Fields<'_>, keys: [&str; 3]) -> Result<Option<Interval>, LineError> {
    let Some(estimate) = fields.get(keys[0])? else {
        return Ok(None);
    };
    let lower = fields.get(keys[1])?.unwrap_or(f64::NEG_INFINITY);
    let upper = fields.get(keys[2])?.unwrap_or(f64::INFINITY);
    Ok(Some(Interval { estimate, lower, upper }))
}
