//! The results of rules for runs, and the versions of the rules.

use super::quiet_v1::{decode_quiet, encode_quiet, is_alike};
use super::{Fields, JsonLine, LineError, NotFinite, SCHEMA};
use perftest_core::list::IntoList;
use perftest_core::model::{
    BenchmarkId, Correction, Judgement, LimitSide, Limits, Model, RuleResult, RunId,
};

/// The kind of a corrected run.
const CORRECTION: &str = "correction";
const ALARM: &str = "alarm";
const QUIET: &str = "quiet";
const UNJUDGED: &str = "unjudged";

/// What the lines of a file of judgements have.
#[derive(Debug, Clone)]
pub(crate) enum JudgementRecord {
    /// A line may have several.
    Judgement(Judgement),
    Correction(Correction),
}

impl JudgementRecord {
    /// Returns whether it is of this test on this testbed.
    pub(crate) fn is_of(&self, benchmark: &BenchmarkId, testbed: &str) -> bool {
        let of = match self {
            Self::Judgement(it) => (&it.benchmark, &it.testbed),
            Self::Correction(it) => (&it.benchmark, &it.testbed),
        };
        *of.0 == *benchmark && of.1 == testbed
    }
}

/// Encodes judgements as lines, each with its end.
pub(crate) fn encode_judgements(judgements: &[Judgement]) -> Result<String, NotFinite> {
    let lines = judgements.chunk_by(is_alike).map(|alike| match alike {
        [judgement] => encode_judgement(judgement),
        alike => encode_quiet(alike),
    });
    lines.collect()
}

/// Encodes a judgement as one line with its end.
fn encode_judgement(judgement: &Judgement) -> Result<String, NotFinite> {
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", "judgement");
    line.put("run", judgement.run.as_str());
    line.put("benchmark", judgement.benchmark.as_str());
    line.put("testbed", judgement.testbed.as_str());
    line.put("metric", judgement.metric.as_str());
    line.put("threshold", judgement.threshold.as_str());
    line.put("model", judgement.model.as_str());
    line.put("judged_ms", judgement.judged_ms);
    line.put("value", judgement.value);
    let limits = judgement.limits.unwrap_or_default();
    line.put_known("baseline", limits.baseline);
    line.put_known("lower", limits.lower);
    line.put_known("upper", limits.upper);
    match &judgement.finding {
        RuleResult::Alarm { side, value, baseline, by } => {
            line.put("finding", ALARM);
            line.put("side", side.name());
            line.put("compared_value", *value);
            line.put("compared_with", *baseline);
            let by: Vec<&str> = by.iter().map(String::as_str).into_list();
            line.put_list("criteria", &by);
        }
        RuleResult::Quiet => line.put("finding", QUIET),
        RuleResult::Unjudged(why) => {
            line.put("finding", UNJUDGED);
            line.put("why", why.as_str());
        }
    }
    line.finish_sealed()
}

/// Encodes a correction as one line with its end.
pub(crate) fn encode_correction(correction: &Correction) -> Result<String, NotFinite> {
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", CORRECTION);
    line.put("run", correction.run.as_str());
    line.put("benchmark", correction.benchmark.as_str());
    line.put("testbed", correction.testbed.as_str());
    line.put("metric", correction.metric.as_str());
    line.put("corrected_ms", correction.corrected_ms);
    line.finish_sealed()
}

/// Decodes a line whose version was checked; nothing for an unknown kind.
pub(crate) fn decode_judgements(fields: &Fields<'_>) -> Result<Vec<JudgementRecord>, LineError> {
    match fields.need::<String>("kind")?.as_str() {
        "judgement" => Ok(vec![JudgementRecord::Judgement(decode_judgement(fields)?)]),
        "quiet" => {
            let judgements = decode_quiet(fields)?.into_iter();
            Ok(judgements.map(JudgementRecord::Judgement).into_list())
        }
        CORRECTION => Ok(vec![JudgementRecord::Correction(decode_correction(fields)?)]),
        _ => Ok(Vec::new()),
    }
}

fn decode_correction(fields: &Fields<'_>) -> Result<Correction, LineError> {
    Ok(Correction {
        run: RunId::from_recorded(fields.need::<String>("run")?),
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("benchmark")?),
        testbed: fields.need("testbed")?,
        metric: fields.need("metric")?,
        corrected_ms: fields.need("corrected_ms")?,
    })
}

fn decode_judgement(fields: &Fields<'_>) -> Result<Judgement, LineError> {
    let limits = Limits {
        baseline: fields.get("baseline")?,
        lower: fields.get("lower")?,
        upper: fields.get("upper")?,
    };
    Ok(Judgement {
        run: RunId::from_recorded(fields.need::<String>("run")?),
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("benchmark")?),
        testbed: fields.need("testbed")?,
        metric: fields.need("metric")?,
        threshold: fields.need("threshold")?,
        model: fields.need("model")?,
        value: fields.need("value")?,
        limits: (limits != Limits::default()).then_some(limits),
        finding: decode_finding(fields)?,
        judged_ms: fields.need("judged_ms")?,
    })
}

fn decode_finding(fields: &Fields<'_>) -> Result<RuleResult, LineError> {
    let finding: String = fields.need("finding")?;
    match finding.as_str() {
        ALARM => Ok(RuleResult::Alarm {
            side: decode_side(&fields.need::<String>("side")?)?,
            value: fields.need("compared_value")?,
            baseline: fields.need("compared_with")?,
            by: fields.get_or_default("criteria")?,
        }),
        QUIET => Ok(RuleResult::Quiet),
        UNJUDGED => Ok(RuleResult::Unjudged(fields.get_or_default("why")?)),
        _ => Err(LineError::Damaged(format!("key `finding` is none, but {finding:?}"))),
    }
}

fn decode_side(name: &str) -> Result<LimitSide, LineError> {
    let side =
        [LimitSide::Lower, LimitSide::Upper].iter().copied().find(|side| side.name() == name);
    side.ok_or_else(|| LineError::Damaged(format!("key `side` is no side, but {name:?}")))
}

/// Encodes a model as one line with its end.
pub(crate) fn encode_model(model: &Model) -> Result<String, NotFinite> {
    let mut line = JsonLine::new();
    line.put("v", SCHEMA);
    line.put("kind", "model");
    line.put("threshold", model.threshold.as_str());
    line.put("model", model.version.as_str());
    line.put("rule", model.rule.as_str());
    line.put("since_ms", model.since_ms);
    line.finish_sealed()
}

/// Decodes the model of a line whose version was checked; `None` for an unknown kind.
pub(crate) fn decode_model(fields: &Fields<'_>) -> Result<Option<Model>, LineError> {
    if !fields.is_text("kind", "model")? {
        return Ok(None);
    }
    Ok(Some(Model {
        threshold: fields.need("threshold")?,
        version: fields.need("model")?,
        rule: fields.need("rule")?,
        since_ms: fields.need("since_ms")?,
    }))
}
