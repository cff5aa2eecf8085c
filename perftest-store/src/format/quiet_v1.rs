//! Runs that a rule found quiet. Nearly all are, so runs that were judged together share a line:
//! that takes a tenth of the space, and of the time to read.

use super::{Fields, JsonLine, LineError, NotFinite, SCHEMA};
use perftest_core::list::IntoList;
use perftest_core::model::{BenchmarkId, Judgement, Limits, RuleResult, RunId};
use perftest_core::rounding::rounded;

/// Significant digits of a value, as many as a run has.
const DIGITS: usize = 6;

/// Returns whether two judgements may share one line.
pub(super) fn is_alike(one: &Judgement, other: &Judgement) -> bool {
    let is_quiet = |it: &Judgement| it.finding == RuleResult::Quiet;
    is_quiet(one)
        && is_quiet(other)
        && one.judged_ms == other.judged_ms
        && one.model == other.model
        && one.threshold == other.threshold
        && one.metric == other.metric
        && one.benchmark == other.benchmark
        && one.testbed == other.testbed
}

/// Encodes judgements that are alike as one line with its end.
pub(super) fn encode_quiet(alike: &[Judgement]) -> Result<String, NotFinite> {
    let first = &alike[0];
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", "quiet");
    line.put("benchmark", first.benchmark.as_str());
    line.put("testbed", first.testbed.as_str());
    line.put("metric", first.metric.as_str());
    line.put("threshold", first.threshold.as_str());
    line.put("model", first.model.as_str());
    line.put("judged_ms", first.judged_ms);
    let runs: Vec<&str> = alike.iter().map(|it| it.run.as_str()).into_list();
    line.put_list("runs", &runs);
    let values: Vec<f64> = alike.iter().map(|it| rounded(it.value, DIGITS)).into_list();
    line.put_list("values", &values);
    line.put_list("baselines", &limits_of(alike, |it| it.baseline));
    line.put_list("lowers", &limits_of(alike, |it| it.lower));
    line.put_list("uppers", &limits_of(alike, |it| it.upper));
    line.finish_sealed()
}

/// Lists one limit of each judgement, or nothing if no judgement has it.
fn limits_of(alike: &[Judgement], of: fn(&Limits) -> Option<f64>) -> Vec<Option<f64>> {
    let limit = |it: &Judgement| it.limits.as_ref().and_then(of);
    let limits: Vec<Option<f64>> =
        alike.iter().map(|it| limit(it).map(|value| rounded(value, DIGITS))).into_list();
    if limits.iter().all(Option::is_none) { Vec::new() } else { limits }
}

/// Decodes the judgements of a line of this kind.
pub(super) fn decode_quiet(fields: &Fields<'_>) -> Result<Vec<Judgement>, LineError> {
    let runs: Vec<String> = fields.need("runs")?;
    // An omitted list has no values.
    let list = |key: &str| -> Result<Vec<Option<f64>>, LineError> {
        Ok(fields.list(key, runs.len())?.unwrap_or_else(|| vec![None; runs.len()]))
    };
    let (values, baselines) = (list("values")?, list("baselines")?);
    let (lowers, uppers) = (list("lowers")?, list("uppers")?);
    let like = Judgement {
        run: RunId::from_recorded(""),
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("benchmark")?),
        testbed: fields.need("testbed")?,
        metric: fields.need("metric")?,
        threshold: fields.need("threshold")?,
        model: fields.need("model")?,
        value: 0.0,
        limits: None,
        finding: RuleResult::Quiet,
        judged_ms: fields.need("judged_ms")?,
    };
    let judgement = |(index, run): (usize, String)| {
        let limits =
            Limits { baseline: baselines[index], lower: lowers[index], upper: uppers[index] };
        let value = values[index];
        let value = value.ok_or_else(|| LineError::Damaged("key `values` lacks one".to_owned()))?;
        Ok(Judgement {
            run: RunId::from_recorded(run),
            value,
            limits: (limits != Limits::default()).then_some(limits),
            ..like.clone()
        })
    };
    runs.into_iter().enumerate().map(judgement).into_list_of_ok()
}
