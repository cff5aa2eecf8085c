//! Decisions of people about the history: acceptances and their revocation.

use super::{Fields, Line, LineError, NotFinite, SCHEMA};
use perftest_core::model::{Acceptance, BenchmarkId};

/// One line of the events file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    Accept(Acceptance),
    /// Takes back the entry with the id `of`.
    Tombstone {
        of: String,
        at_ms: u64,
    },
}

impl Event {
    /// The event as one line, its end included.
    pub(crate) fn encode(&self) -> Result<String, NotFinite> {
        let mut line = Line::new();
        line.put("v", SCHEMA);
        match self {
            Self::Accept(acceptance) => {
                line.put("k", "accept");
                line.put("id", acceptance.id.as_str());
                line.put("bench", acceptance.benchmark.as_str());
                line.put_text("testbed", &acceptance.testbed);
                line.put("max_ratio", acceptance.max_ratio);
                line.put("reason", acceptance.reason.as_str());
                line.put("t", acceptance.given_ms);
                line.put_known("until", acceptance.until_ms);
            }
            Self::Tombstone { of, at_ms } => {
                line.put("k", "tombstone");
                line.put("of", of.as_str());
                line.put("t", *at_ms);
            }
        }
        line.finish()
    }

    /// The event of a line whose version was checked; `None` for a kind this version does not
    /// know.
    pub(crate) fn decode(fields: &Fields<'_>) -> Result<Option<Self>, LineError> {
        match fields.need::<String>("k")?.as_str() {
            "accept" => Ok(Some(Self::Accept(Acceptance {
                id: fields.need("id")?,
                benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
                testbed: fields.get_or_default("testbed")?,
                max_ratio: fields.need("max_ratio")?,
                reason: fields.get_or_default("reason")?,
                given_ms: fields.need("t")?,
                until_ms: fields.get("until")?,
            }))),
            "tombstone" => {
                Ok(Some(Self::Tombstone { of: fields.need("of")?, at_ms: fields.need("t")? }))
            }
            _ => Ok(None),
        }
    }

    /// What stands after these events, in their order.
    pub(crate) fn standing(events: Vec<Self>) -> Vec<Acceptance> {
        let mut standing: Vec<Acceptance> = Vec::new();
        for event in events {
            match event {
                Self::Accept(acceptance) => {
                    standing.retain(|entry| entry.id != acceptance.id);
                    standing.push(acceptance);
                }
                Self::Tombstone { of, .. } => standing.retain(|entry| entry.id != of),
            }
        }
        standing
    }
}
