//! One `[[threshold]]`: which histories it watches, and by which rule.

use super::criterion::{self, COMBINED, KEYS};
use super::{Entries, NamePattern};
use perftest_analysis::thresholds::Rule;
use perftest_core::model::{BenchmarkPattern, Direction, LimitSide, Model};
use perftest_store::{Digest, Series};

const OWN_KEYS: [&str; 8] =
    ["name", "filter", "metric", "branch", "testbed", "open_after", "resolve_after", "fail_on"];
/// So many alarms in a row open an alert where the rule has no number: each one, as Bencher's do.
const OPEN_AFTER: u32 = 1;
/// So many values in a row resolve an alert where nobody says how many: fewer are back by chance.
const RESOLVE_AFTER: u32 = 5;

/// A rule with a name, and what it speaks of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ThresholdRule {
    pub(crate) name: String,
    /// The line of the file it begins in.
    pub(crate) line: usize,
    pub(crate) filter: BenchmarkPattern,
    pub(crate) metric: NamePattern,
    pub(crate) branch: NamePattern,
    pub(crate) testbed: NamePattern,
    pub(crate) rule: Rule,
    /// So many alarms in a row open an alert.
    pub(crate) open_after: u32,
    /// So many values in a row that are back resolve an alert.
    pub(crate) resolve_after: u32,
    pub(crate) fail_on: FailOn,
}

/// Which alerts fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Those on the side on which the metric is worse.
    #[default]
    Worse,
    /// An improvement, too.
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

    /// Whether it watches a history, seen on a branch.
    pub(crate) fn watches(&self, series: &Series, branch: &str) -> bool {
        self.filter.matches(&series.benchmark)
            && self.metric.matches(&series.metric.name)
            && self.testbed.matches(&series.testbed)
            && self.branch.matches(branch)
    }

    /// Whether an alert on this side fails.
    pub(crate) fn fails(&self, side: LimitSide, direction: Direction) -> bool {
        self.fail_on == FailOn::Both || is_worse(side, direction)
    }

    /// The version of its rule, as it judges from now on.
    pub(crate) fn model(&self, since_ms: u64) -> Model {
        let rule = self.rule.to_string();
        let version = Digest::of(rule.as_bytes()).hex16();
        Model { threshold: self.name.clone(), version, rule, since_ms }
    }
}

/// Whether values on this side are worse.
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
            let why = "`fail_on` is \"worse\", or \"both\" where an improvement shall fail too";
            Err(entries.wrong("fail_on", why))
        }
    }
}
