//! Decisions about the history: acceptances, acknowledged alerts, changes of testbeds, and what takes them back.

use super::day::Day;
use super::fields::FromJson;
use super::{Fields, JsonLine, LineError, NotFinite, SCHEMA};
use crate::{TestbedChange, TestbedDecision};
use perftest_core::list::IntoList;
use perftest_core::model::{Acceptance, Acknowledgement, BenchmarkId, BenchmarkPattern, RunId};
use perftest_core::rounding::rounded;

/// Significant digits of a value, as many as a run has.
const DIGITS: usize = 6;

/// One line of the events file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventLine {
    Accept(Acceptance),
    Acknowledge(Acknowledgement),
    Testbed(TestbedDecision),
    /// Takes back the entry with the id `of`.
    Tombstone {
        of: String,
        at_ms: u64,
    },
}

impl EventLine {
    /// Encodes the event as one line with its end.
    pub(crate) fn encode(&self) -> Result<String, NotFinite> {
        self.line(put_end_ms).finish_sealed()
    }

    /// Encodes the event as a line of a file that people review and edit: an acceptance ends on a
    /// day, and there is no checksum.
    #[inline]
    pub(crate) fn encode_for_review(&self) -> Result<String, NotFinite> {
        self.line(put_last_day).finish()
    }

    fn line(&self, put_end: fn(&mut JsonLine, u64)) -> JsonLine {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        match self {
            Self::Accept(acceptance) => {
                put_acceptance(&mut line, acceptance);
                if let Some(until_ms) = acceptance.until_ms {
                    put_end(&mut line, until_ms);
                }
            }
            Self::Acknowledge(acknowledgement) => put_acknowledgement(&mut line, acknowledgement),
            Self::Testbed(decision) => put_decision(&mut line, decision),
            Self::Tombstone { of, at_ms } => {
                line.put("kind", "tombstone");
                line.put("of", of.as_str());
                line.put("given_ms", *at_ms);
            }
        }
        line
    }

    /// Decodes the event of a line whose version was checked; `None` for a kind that this version
    /// does not know.
    pub(crate) fn decode(fields: &Fields<'_>) -> Result<Option<Self>, LineError> {
        match fields.need::<String>("kind")?.as_str() {
            "accept" => decode_acceptance(fields).map(|it| Some(Self::Accept(it))),
            "acknowledge" => decode_acknowledgement(fields).map(|it| Some(Self::Acknowledge(it))),
            "testbed" => Ok(decode_decision(fields)?.map(Self::Testbed)),
            "tombstone" => Ok(Some(Self::Tombstone {
                of: fields.need("of")?,
                at_ms: fields.need("given_ms")?,
            })),
            _ => Ok(None),
        }
    }

    /// Returns the acceptances that no event revokes, in their order.
    pub(crate) fn standing(events: &[Self]) -> Vec<Acceptance> {
        let mut standing: Vec<Acceptance> = Vec::new();
        for event in events {
            match event {
                Self::Accept(acceptance) => {
                    standing.retain(|entry| entry.id != acceptance.id);
                    standing.push(acceptance.clone());
                }
                Self::Acknowledge(_) | Self::Testbed(_) | Self::Tombstone { .. } => {}
            }
        }
        let revoked = Self::revoked(events);
        standing.retain(|entry| !revoked.contains(&entry.id.as_str()));
        standing
    }

    /// Returns the acknowledged alerts that no event revokes, in their order.
    #[inline]
    pub(crate) fn standing_acknowledgements(events: &[Self]) -> Vec<Acknowledgement> {
        let revoked = Self::revoked(events);
        let acknowledged = |event: &Self| match event {
            Self::Acknowledge(it) if !revoked.contains(&it.id.as_str()) => Some(it.clone()),
            _ => None,
        };
        events.iter().filter_map(acknowledged).into_list()
    }

    /// Returns the decisions about testbeds that no event revokes, in their order.
    pub(crate) fn standing_decisions(events: &[Self]) -> Vec<TestbedDecision> {
        let revoked = Self::revoked(events);
        let decision = |event: &Self| match event {
            Self::Testbed(decision) if !revoked.contains(&decision.id.as_str()) => {
                Some(decision.clone())
            }
            _ => None,
        };
        events.iter().filter_map(decision).into_list()
    }

    /// Returns the ids that events revoke, wherever these are: a store of several machines may have such an event
    /// before the decision.
    fn revoked(events: &[Self]) -> Vec<&str> {
        let tombstones = events.iter().filter_map(|event| match event {
            Self::Tombstone { of, .. } => Some(of.as_str()),
            _ => None,
        });
        tombstones.into_list()
    }
}

fn put_end_ms(line: &mut JsonLine, until_ms: u64) {
    line.put("until", until_ms);
}

fn put_last_day(line: &mut JsonLine, until_ms: u64) {
    match Day::ending_at(until_ms) {
        Some(last_day) => line.put("until", last_day.to_string()),
        None => put_end_ms(line, until_ms),
    }
}

/// Writes everything except the end.
fn put_acceptance(line: &mut JsonLine, acceptance: &Acceptance) {
    line.put("kind", "accept");
    line.put("id", acceptance.id.as_str());
    line.put("benchmark", acceptance.benchmark.as_str());
    line.put_text("testbed", &acceptance.testbed);
    line.put("max_ratio", acceptance.max_ratio);
    line.put("reason", acceptance.reason.as_str());
    line.put("given_ms", acceptance.given_ms);
}

fn decode_acceptance(fields: &Fields<'_>) -> Result<Acceptance, LineError> {
    let max_ratio: f64 = fields.need("max_ratio")?;
    if max_ratio <= 1.0 {
        let why = format!("key `max_ratio` should be above 1, but is {max_ratio}");
        return Err(LineError::Damaged(why));
    }
    Ok(Acceptance {
        id: fields.need("id")?,
        benchmark: BenchmarkPattern::new(fields.need::<String>("benchmark")?),
        testbed: fields.get_or_default("testbed")?,
        max_ratio,
        reason: fields.get_or_default("reason")?,
        given_ms: fields.need("given_ms")?,
        until_ms: fields.get::<Expiry>("until")?.map(|end| end.0),
    })
}

fn put_acknowledgement(line: &mut JsonLine, acknowledgement: &Acknowledgement) {
    line.put("kind", "acknowledge");
    line.put("id", acknowledgement.id.as_str());
    line.put("benchmark", acknowledgement.benchmark.as_str());
    line.put("threshold", acknowledgement.threshold.as_str());
    line.put("metric", acknowledgement.metric.as_str());
    line.put("testbed", acknowledgement.testbed.as_str());
    line.put_text("branch", &acknowledgement.branch);
    line.put_text("commit", &acknowledgement.opened_at);
    line.put("run", acknowledgement.opened_by.as_str());
    line.put("after", acknowledgement.given_after.as_str());
    line.put("value", rounded(acknowledgement.value, DIGITS));
    line.put("reason", acknowledgement.reason.as_str());
    line.put_text("by", &acknowledgement.by);
    line.put("given_ms", acknowledgement.given_ms);
}

fn decode_acknowledgement(fields: &Fields<'_>) -> Result<Acknowledgement, LineError> {
    Ok(Acknowledgement {
        id: fields.need("id")?,
        benchmark: BenchmarkId::from_recorded(fields.need::<String>("benchmark")?),
        threshold: fields.need("threshold")?,
        metric: fields.need("metric")?,
        testbed: fields.need("testbed")?,
        branch: fields.get_or_default("branch")?,
        opened_at: fields.get_or_default("commit")?,
        opened_by: RunId::from_recorded(fields.need::<String>("run")?),
        given_after: RunId::from_recorded(fields.need::<String>("after")?),
        value: fields.need("value")?,
        reason: fields.get_or_default("reason")?,
        by: fields.get_or_default("by")?,
        given_ms: fields.need("given_ms")?,
    })
}

fn put_decision(line: &mut JsonLine, decision: &TestbedDecision) {
    line.put("kind", "testbed");
    line.put("id", decision.id.as_str());
    line.put("testbed", decision.testbed.as_str());
    match &decision.change {
        TestbedChange::ReadAs(name) => line.put("read_as", name.as_str()),
        TestbedChange::Retired => line.put("retired", true),
    }
    line.put("given_ms", decision.given_ms);
}

/// Decodes a decision about a testbed; `None` for a change that this version does not know.
fn decode_decision(fields: &Fields<'_>) -> Result<Option<TestbedDecision>, LineError> {
    let change = match fields.get("read_as")? {
        Some(name) => TestbedChange::ReadAs(name),
        None if fields.get_or_default("retired")? => TestbedChange::Retired,
        None => return Ok(None),
    };
    Ok(Some(TestbedDecision {
        id: fields.need("id")?,
        testbed: fields.need("testbed")?,
        change,
        given_ms: fields.need("given_ms")?,
    }))
}

/// Milliseconds since the Unix epoch, or the last day.
struct Expiry(u64);

impl FromJson for Expiry {
    const EXPECTED: &'static str = "a day such as \"2027-01-31\", or milliseconds";

    fn from_json(raw: &str) -> Option<Self> {
        let day = || Some(Day::parse(&String::from_json(raw)?)?.end_ms());
        u64::from_json(raw).or_else(day).map(Self)
    }
}
