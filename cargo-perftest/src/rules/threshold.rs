//! One `[[threshold]]`: its histories, and its rule.

use super::criterion::{self, COMBINED, KEYS};
use super::{Entries, NamePattern, is_for_test};
use perftest_analysis::thresholds::Rule;
use perftest_core::model::{BenchmarkPattern, Direction, LimitSide, Model};
use perftest_store::{Digest, Series};

const OWN_KEYS: [&str; 8] =
    ["name", "filter", "metric", "branch", "testbed", "open_after", "resolve_after", "fail_on"];
/// Default number of alarms in a row that open an alert: one, as in Bencher.
const OPEN_AFTER: u32 = 1;
/// Default number of values in a row that resolve an alert: fewer can be back by chance.
const RESOLVE_AFTER: u32 = 5;

/// A rule with a name, and the histories it applies to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThresholdRule {
    pub(crate) name: String,
    /// The first line in the file.
    pub(crate) line: usize,
    pub(crate) filter: BenchmarkPattern,
    pub(crate) metric: NamePattern,
    pub(crate) branch: NamePattern,
    pub(crate) testbed: NamePattern,
    pub(crate) rule: Rule,
    /// Alarms in a row that open an alert.
    pub(crate) open_after: u32,
    /// Values in a row inside the limits that resolve an alert.
    pub(crate) resolve_after: u32,
    pub(crate) fail_on: FailOn,
}

/// The alerts that fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Alerts on the side on which the metric is worse.
    #[default]
    Worse,
    /// Alerts on both sides.
    Both,
}

impl ThresholdRule {
    pub(super) fn read(entries: Entries<'_>) -> Result<Self, String> {
        let known = [&OWN_KEYS[..], &KEYS, &COMBINED].concat();
        entries.only(&known, |key| criterion::unknown(key, "a threshold", &known))?;
        let unnamed = "a threshold needs a name for its alerts: name = \"latency\"";
        let name = entries.words("name")?.ok_or_else(|| entries.wrong("name", unnamed))?;
        let metric = entries.pattern("metric")?.unwrap_or_else(|| NamePattern::new("wall"));
        Ok(Self {
            line: entries.line(),
            filter: BenchmarkPattern::new(entries.words("filter")?.unwrap_or_else(|| "*".into())),
            branch: entries.pattern("branch")?.unwrap_or_else(NamePattern::all),
            testbed: entries.pattern("testbed")?.unwrap_or_else(NamePattern::all),
            open_after: entries.count("open_after")?.unwrap_or(OPEN_AFTER),
            resolve_after: entries.count("resolve_after")?.unwrap_or(RESOLVE_AFTER),
            fail_on: fail_on(entries)?,
            rule: criterion::rule(entries, None)?,
            name,
            metric,
        })
    }

    /// Returns whether the threshold applies to a history on a branch.
    pub(crate) fn watches(&self, series: &Series, branch: &str) -> bool {
        is_for_test(&self.filter, series)
            && self.metric.matches(&series.metric.name)
            && self.testbed.matches(&series.testbed)
            && self.branch.matches(branch)
    }

    /// Returns whether an alert on this side fails.
    pub(crate) fn fails(&self, side: LimitSide, direction: Direction) -> bool {
        self.fail_on == FailOn::Both || is_worse(side, direction)
    }

    /// Returns the version of the rule from now on.
    pub(crate) fn model(&self, since_ms: u64) -> Model {
        let rule = self.rule.to_string();
        let version = Digest::of(rule.as_bytes()).hex16();
        Model { threshold: self.name.clone(), version, rule, since_ms }
    }
}

/// Returns whether values on this side are worse.
pub(crate) fn is_worse(side: LimitSide, direction: Direction) -> bool {
    match direction {
        Direction::Lower => side == LimitSide::Upper,
        Direction::Higher => side == LimitSide::Lower,
    }
}

fn fail_on(entries: Entries<'_>) -> Result<FailOn, String> {
    match entries.text("fail_on")? {
        None | Some("worse") => Ok(FailOn::Worse),
        Some("both") => Ok(FailOn::Both),
        Some(_) => {
            let why = "`fail_on` is \"worse\", or \"both\" if an improvement fails too";
            Err(entries.wrong("fail_on", why))
        }
    }
}
