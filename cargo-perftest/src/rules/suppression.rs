//! One `[[suppress]]`: its alerts are computed and shown, and fail nothing.

use super::{Entries, NamePattern, is_for_test};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use perftest_core::model::BenchmarkPattern;
use perftest_store::Series;

const KEYS: [&str; 7] = ["filter", "threshold", "metric", "branch", "testbed", "reason", "until"];

/// The alerts that fail nothing, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Suppression {
    /// The first line in the file.
    pub(crate) line: usize,
    pub(crate) filter: BenchmarkPattern,
    /// Limits the suppression to the threshold of this name.
    pub(crate) threshold: Option<String>,
    metric: NamePattern,
    pub(crate) branch: NamePattern,
    testbed: NamePattern,
    pub(crate) reason: String,
    /// The end, in milliseconds since the Unix epoch.
    pub(crate) until_ms: Option<u64>,
}

impl Suppression {
    pub(super) fn read(entries: Entries<'_>) -> Result<Self, String> {
        entries.only(&KEYS, |unknown| {
            format!("unknown key `{unknown}` of suppress; the keys are {}", KEYS.join(", "))
        })?;
        let no_filter = "it needs a filter: the whole name of a test, or its beginning and *, such as \
                         filter = \"codec::frame::*\"";
        let filter = entries.words("filter")?.ok_or_else(|| entries.wrong("filter", no_filter))?;
        let no_reason = "it needs a reason for later readers: reason = \"waits for ..\"";
        let reason = entries.words("reason")?.ok_or_else(|| entries.wrong("reason", no_reason))?;
        let pattern = |key| Ok::<_, String>(entries.pattern(key)?.unwrap_or_else(NamePattern::all));
        Ok(Self {
            line: entries.line(),
            filter: BenchmarkPattern::new(filter),
            threshold: entries.words("threshold")?,
            metric: pattern("metric")?,
            branch: pattern("branch")?,
            testbed: pattern("testbed")?,
            reason,
            until_ms: until_ms(entries)?,
        })
    }

    /// Returns whether the end has passed.
    pub(crate) fn is_over(&self, now_ms: u64) -> bool {
        self.until_ms.is_some_and(|until_ms| until_ms <= now_ms)
    }

    /// Returns whether this covers the alerts of a threshold on a history, whether it has ended or
    /// not.
    pub(crate) fn covers(&self, series: &Series, branch: &str, threshold: &str) -> bool {
        is_for_test(&self.filter, series)
            && self.threshold.as_ref().is_none_or(|name| name == threshold)
            && self.metric.matches(&series.metric.name)
            && self.branch.matches(branch)
            && self.testbed.matches(&series.testbed)
    }
}

/// Reads the end of the last day, in UTC.
fn until_ms(entries: Entries<'_>) -> Result<Option<u64>, String> {
    entries.read("until", "the last day, in UTC: until = \"2027-01-31\"", |value| {
        let text = value.as_str().filter(|text| text.len() == 10)?;
        let next = text.parse::<Date>().ok()?.tomorrow().ok()?;
        u64::try_from(next.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond()).ok()
    })
}
