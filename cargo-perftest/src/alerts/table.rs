//! Tables and JSON of alerts.

use super::{AlertStatus, OtherRuns, StatusReason, Watch, WatchResult};
use crate::grouped::grouped;
use crate::reading::notes::some_of;
use crate::report::{
    Table, counted, histories, ratio, series_event, short_commit, suspects_in_words,
};
use crate::series::name_of;
use perftest_analysis::thresholds::ExclusionReason;
use perftest_analysis::verdicts::{NoSuspectReason, RunCode, Suspects};
use perftest_analysis::words;
use perftest_core::model::LimitSide;
use perftest_core::words::quantity;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Lists one row for each threshold and history.
pub(crate) fn alert_table(watched: &[&WatchResult<'_>]) -> Table {
    let in_unit = |it: &WatchResult<'_>, value: Option<f64>| {
        value.map_or_else(|| "-".to_owned(), |value| quantity(value, &it.series.metric.unit))
    };
    Table::of(watched)
        .column("test", |it| it.series.benchmark.clone())
        .column("metric", |it| it.series.metric.name.clone())
        .column("testbed", |it| it.series.testbed.clone())
        .column("branch", |it| it.branch.clone())
        .column("since", |it| since(it))
        .column(" before", |it| in_unit(it, it.alert().map(|alert| alert.baseline)))
        .column(" now", |it| in_unit(it, it.newest.as_ref().map(|run| run.value)))
        .column(" ratio", |it| it.degradation().map_or_else(|| "-".to_owned(), ratio))
        .column("by", |it| by(it))
        .column("state", |it| state_and_season(it))
        .narrowed(&["test", "by"], &["branch", "metric", "testbed", "before", "now", "since", "by"])
}

/// The suspects as a git range, and those of a further step.
fn since(watched: &WatchResult<'_>) -> String {
    let first = watched.suspects.as_ref().map_or_else(|| "-".to_owned(), suspects_in_words);
    match &watched.further {
        Some(further) => format!("{first}, further {}", suspects_in_words(further)),
        None => first,
    }
}

/// The threshold, and its criteria that alarmed.
fn by(watched: &WatchResult<'_>) -> String {
    let name = &watched.threshold.name;
    match watched.alert() {
        Some(alert) if !alert.by.is_empty() => format!("{name}: {}", alert.by.join("; ")),
        _ => format!("{name}: {}", watched.threshold.rule),
    }
}

/// The status, and the pattern that was removed from the values of this row.
fn state_and_season(watched: &WatchResult<'_>) -> String {
    let state = state(watched);
    match &watched.season {
        Some(season) => format!("{state}; without {}", words::season(season)),
        None => state,
    }
}

fn state(watched: &WatchResult<'_>) -> String {
    let again = match watched.alert().map_or(0, |alert| alert.reopened) {
        0 => String::new(),
        1 => ", re-opened once".to_owned(),
        times => format!(", re-opened {times} times"),
    };
    let reason = watched.reason.as_ref().map(ToString::to_string).unwrap_or_default();
    match watched.status {
        AlertStatus::Open => {
            let better = ": better, and fail_on is \"both\"";
            let better = if watched.is_worse() { "" } else { better };
            format!("open{again}{better}{}", returned(watched))
        }
        AlertStatus::Acknowledged => format!("acknowledged: {reason}"),
        AlertStatus::Suppressed => format!("suppressed: {reason}"),
        AlertStatus::Resolved => {
            let since = watched.resolved_since.as_deref().unwrap_or_default();
            format!("resolved since {}{again}", short_commit(since))
        }
        AlertStatus::Unjudged => format!("not judged: {reason}"),
        AlertStatus::Waiting => {
            let (alarms, needed) = (watched.waiting_alarms(), watched.threshold.open_after);
            format!("waiting: {alarms} of {needed} alarms in a row")
        }
        AlertStatus::Improved | AlertStatus::Quiet => watched.status.in_words().to_owned(),
    }
}

/// What an alert waits for whose newest values are back.
fn returned(watched: &WatchResult<'_>) -> String {
    match watched.returned_values() {
        0 => String::new(),
        values => format!(": {values} of {} values back", watched.threshold.resolve_after),
    }
}

/// Lines that count the rows which the table omits: all by their status, then details. None where nothing is watched.
pub(crate) fn folded_lines(watch: &Watch<'_>) -> Vec<String> {
    if watch.watched.is_empty() {
        return Vec::new();
    }
    let of_status = |status| watch.watched.iter().filter(move |it| it.status == status);
    let statuses = grouped(watch.watched.iter().map(|it| (it.status, it)));
    let counts: Vec<String> = statuses
        .iter()
        .map(|(status, of_status)| format!("{} {}", of_status.len(), status.in_words()))
        .collect();
    let mut lines = vec![counts.join(", ")];
    lines.extend(unjudged_lines(of_status(AlertStatus::Unjudged)));
    let needed = of_status(AlertStatus::Waiting).map(|it| it.threshold.open_after);
    for (alarms, count) in count_each(needed) {
        lines.push(format!(
            "waiting: {alarms} alarms in a row open an alert, those of one commit count once ({count})"
        ));
    }
    // Patterns that differ by less than is printed are one.
    let seasons = watch.watched.iter().filter_map(|it| it.season.as_ref());
    for (pattern, count) in count_each(seasons.map(words::season)) {
        lines.push(format!("judged without {pattern} ({count})"));
    }
    for (why, SetAside { runs, of }) in set_aside(watch) {
        let (runs, of) = (counted(runs, "run"), histories(of));
        lines.push(format!("set aside in {of}: {runs} {}", why.in_words()));
    }
    lines
}

/// One line for each reason, with the tests, in the order of the lines.
fn unjudged_lines<'a>(unjudged: impl Iterator<Item = &'a WatchResult<'a>>) -> Vec<String> {
    let with_reasons = unjudged.filter_map(|it| Some((it.reason.as_ref()?, it)));
    let of_reasons = grouped::<&StatusReason, _>(with_reasons).into_iter();
    let mut lines: Vec<String> = of_reasons
        .map(|(why, watched)| {
            let tests: BTreeSet<String> = watched.iter().map(|it| name_of(&it.series)).collect();
            let named = some_of(tests.into_iter().collect()).join("; ");
            format!("not judged: {why} ({}: {named})", watched.len())
        })
        .collect();
    lines.sort_unstable();
    lines
}

fn count_each<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_insert(0) += 1);
    counts
}

/// Runs that are set aside for one reason.
#[derive(Default)]
struct SetAside {
    runs: usize,
    /// Number of histories that they are of.
    of: usize,
}

/// Runs that are set aside; several thresholds may list the same ones.
fn set_aside(watch: &Watch<'_>) -> BTreeMap<ExclusionReason, SetAside> {
    let (mut seen, mut counts) = (HashSet::new(), BTreeMap::<_, SetAside>::new());
    for watched in &watch.watched {
        if seen.insert((&watched.series, &watched.branch)) {
            for (why, count) in &watched.set_aside {
                let counted = counts.entry(*why).or_default();
                (counted.runs, counted.of) = (counted.runs + count, counted.of + 1);
            }
        }
    }
    counts
}

/// The status of one threshold on one history.
pub(crate) fn alert_as_json(watched: &WatchResult<'_>) -> Value {
    let alert = watched.alert();
    let (suspects, further) = (watched.suspects.as_ref(), watched.further.as_ref());
    let after = |it: &Suspects| it.after.as_ref().map(RunCode::label);
    let opened = watched.opened_by.as_ref();
    let left_open = watched.left_open();
    let left_open_in = match left_open {
        Some(OtherRuns::Metric(metric)) => Some(metric),
        Some(OtherRuns::Configuration) | None => None,
    };
    let limits = watched.newest_judged.as_ref().and_then(|it| it.limits);
    let fields = json!({
        "unit": watched.series.metric.unit,
        "better": watched.series.metric.direction.name(),
        "branch": watched.branch,
        "threshold": watched.threshold.name,
        "rule": watched.threshold.rule.to_string(),
        "state": watched.status.name(),
        "reason": watched.reason.as_ref().map(ToString::to_string),
        "acknowledgement": watched.acknowledged_by,
        "worse": alert.map(|_| watched.is_worse()),
        "side": alert.map(|it| LimitSide::name(it.side)),
        "before": alert.map(|it| it.baseline),
        "opened_by_value": alert.map(|it| it.opened_by),
        "opened_by_run": opened.map(|it| it.run.as_str()),
        "opened_ms": opened.map(|it| it.code.started_ms),
        "now": watched.newest.as_ref().map(|it| it.value),
        "ratio": watched.degradation(),
        "after_commit": suspects.and_then(after),
        "upto_commit": suspects.map(|it| it.upto.label()),
        "places": suspects.map(|it| it.places),
        "may_be_code": suspects.map(|it| it.acquittal.is_none()),
        "not_the_code": suspects.and_then(|it| it.acquittal).map(NoSuspectReason::in_words),
        "further_after_commit": further.and_then(after),
        "further_upto_commit": further.map(|it| it.upto.label()),
        "by": alert.map(|it| &it.by),
        "reopened": alert.map(|it| it.reopened),
        "returned": alert.map(|_| watched.returned_values()),
        "resolve_after": watched.threshold.resolve_after,
        "resolved_since": watched.resolved_since,
        "lower": limits.and_then(|it| it.lower),
        "upper": limits.and_then(|it| it.upper),
        "runs": watched.runs,
        "left_open_in": left_open_in.map(|it| &it.unit),
        "left_open_better": left_open_in.map(|it| it.direction.name()),
        "left_open_configuration": left_open == Some(&OtherRuns::Configuration),
        "season": watched.season.as_ref().map(words::season),
        "too_short_for_season": watched.is_too_short_for_season,
        "set_aside": watched.set_aside.values().sum::<usize>(),
        "judged_before": watched.judged_before,
    });
    series_event("alert", &watched.series, fields)
}

/// All of them with their numbers.
pub(crate) fn check_as_json(watch: &Watch<'_>, branch: &str) -> Value {
    let count = |status| watch.watched.iter().filter(|it| it.status == status).count();
    json!({
        "event": "check",
        "v": 1,
        "branch": branch,
        "watched": watch.watched.len(),
        "open": count(AlertStatus::Open),
        "acknowledged": count(AlertStatus::Acknowledged),
        "suppressed": count(AlertStatus::Suppressed),
        "waiting": count(AlertStatus::Waiting),
        "improved": count(AlertStatus::Improved),
        "resolved": count(AlertStatus::Resolved),
        "quiet": count(AlertStatus::Quiet),
        "unjudged": count(AlertStatus::Unjudged),
        "not_kept": watch.not_kept,
    })
}
