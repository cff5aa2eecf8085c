//! Tables and JSON of alerts.

use super::{AlertStatus, OtherRuns, Watch, WatchResult};
use crate::reading::notes::some_of;
use crate::report::{Table, counted, ratio, short_commit, suspects_in_words};
use crate::series::in_words;
use perftest_analysis::thresholds::{Alert, ExclusionReason};
use perftest_analysis::verdicts::{NoSuspectReason, RunCode, Suspects};
use perftest_core::model::LimitSide;
use perftest_core::words::quantity;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Lists one row for each threshold and history.
pub(crate) fn alert_table(watched: &[&WatchResult<'_>]) -> Table {
    let table = Table::new(&[
        "test", "metric", "testbed", "branch", "since", " before", " now", " ratio", "by", "state",
    ]);
    let left_out = ["branch", "metric", "testbed", "before", "now", "since", "by"];
    let mut table = table.narrowed(&["test", "by"], &left_out);
    watched.iter().for_each(|it| table.push(row(it)));
    table
}

fn row(watched: &WatchResult<'_>) -> [String; 10] {
    let unit = &watched.series.metric.unit;
    let alert = watched.alert();
    let of_alert = |text: &dyn Fn(&Alert) -> String| alert.map_or_else(|| "-".to_owned(), text);
    [
        watched.series.benchmark.to_string(),
        watched.series.metric.name.clone(),
        watched.series.testbed.clone(),
        watched.branch.clone(),
        since(watched),
        of_alert(&|alert| quantity(alert.baseline, unit)),
        watched.newest.as_ref().map_or_else(|| "-".to_owned(), |run| quantity(run.value, unit)),
        watched.degradation().map_or_else(|| "-".to_owned(), ratio),
        by(watched),
        state_and_season(watched),
    ]
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
        Some(season) => format!("{state}; without {season}"),
        None => state,
    }
}

fn state(watched: &WatchResult<'_>) -> String {
    let again = match watched.alert().map_or(0, |alert| alert.reopened) {
        0 => String::new(),
        1 => ", re-opened once".to_owned(),
        times => format!(", re-opened {times} times"),
    };
    match &watched.status {
        AlertStatus::Open if watched.is_worse() => format!("open{again}"),
        AlertStatus::Open => format!("open{again}: better, and fail_on is \"both\""),
        AlertStatus::Acknowledged(reason) => format!("acknowledged: {reason}"),
        AlertStatus::Suppressed(reason) => format!("suppressed: {reason}"),
        AlertStatus::Resolved => {
            let since = watched.resolved_since.as_deref().unwrap_or_default();
            format!("resolved since {}{again}", short_commit(since))
        }
        AlertStatus::Unjudged(why) => format!("not judged: {why}"),
        AlertStatus::Waiting { alarms, needed } => {
            format!("waiting: {alarms} of {needed} alarms in a row")
        }
        AlertStatus::Improved | AlertStatus::Quiet => watched.status.name().to_owned(),
    }
}

/// Lines that count the rows which the table omits: all by their status, then details. None where nothing is watched.
pub(crate) fn folded_lines(watch: &Watch<'_>) -> Vec<String> {
    if watch.watched.is_empty() {
        return Vec::new();
    }
    let counts: Vec<String> = statuses(watch)
        .into_iter()
        .map(|(name, count)| {
            format!("{count} {}", if name == "unjudged" { "not judged" } else { name })
        })
        .collect();
    let mut lines = vec![counts.join(", ")];
    let mut unjudged = BTreeMap::<&str, (usize, BTreeSet<String>)>::new();
    for watched in &watch.watched {
        if let AlertStatus::Unjudged(why) = &watched.status {
            let (count, tests) = unjudged.entry(why).or_default();
            *count += 1;
            tests.insert(in_words(&watched.series.benchmark, &watched.series.metric));
        }
    }
    for (why, (count, tests)) in unjudged {
        let named = some_of(tests.into_iter().collect()).join("; ");
        lines.push(format!("not judged: {why} ({count}: {named})"));
    }
    for (alarms, count) in waiting(watch) {
        lines.push(format!("waiting: {alarms} alarms in a row open an alert ({count})"));
    }
    for (pattern, count) in seasons(watch) {
        lines.push(format!("judged without {pattern} ({count})"));
    }
    for (why, count) in set_aside(watch) {
        lines.push(format!("set aside: {} {}", counted(count, "run"), why.in_words()));
    }
    lines
}

/// Counts the alarms in a row that each open alert needs, and its histories under a threshold.
fn waiting(watch: &Watch<'_>) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    for watched in &watch.watched {
        if let AlertStatus::Waiting { needed, .. } = watched.status {
            *counts.entry(needed).or_insert(0) += 1;
        }
    }
    counts
}

/// Counts the removed patterns, and their histories under a threshold.
fn seasons(watch: &Watch<'_>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let seasons = watch.watched.iter().filter_map(|it| it.season.as_ref());
    seasons.for_each(|season| *counts.entry(season.clone()).or_insert(0) += 1);
    counts
}

/// Runs that are set aside; several thresholds may list the same ones.
fn set_aside(watch: &Watch<'_>) -> BTreeMap<ExclusionReason, usize> {
    let (mut seen, mut counts) = (HashSet::new(), BTreeMap::new());
    for watched in &watch.watched {
        if seen.insert((&watched.series, &watched.branch)) {
            for (why, count) in &watched.set_aside {
                *counts.entry(*why).or_insert(0) += count;
            }
        }
    }
    counts
}

/// Counts each status, in their order.
fn statuses(watch: &Watch<'_>) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for watched in &watch.watched {
        let name = watched.status.name();
        match counts.last_mut().filter(|(last, _)| *last == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
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
    json!({
        "event": "alert",
        "v": 1,
        "benchmark": watched.series.benchmark.as_str(),
        "testbed": watched.series.testbed,
        "metric": watched.series.metric.name,
        "unit": watched.series.metric.unit,
        "better": watched.series.metric.direction.name(),
        "branch": watched.branch,
        "threshold": watched.threshold.name,
        "rule": watched.threshold.rule.to_string(),
        "state": watched.status.name(),
        "reason": watched.status.reason(),
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
        "resolved_since": watched.resolved_since,
        "lower": limits.and_then(|it| it.lower),
        "upper": limits.and_then(|it| it.upper),
        "runs": watched.runs,
        "left_open_in": left_open_in.map(|it| &it.unit),
        "left_open_better": left_open_in.map(|it| it.direction.name()),
        "left_open_configuration": left_open == Some(&OtherRuns::Configuration),
        "season": watched.season,
        "too_short_for_season": watched.is_too_short_for_season,
        "set_aside": watched.set_aside.values().sum::<usize>(),
        "judged_before": watched.judged_before,
    })
}

/// All of them with their numbers.
pub(crate) fn check_as_json(watch: &Watch<'_>, branch: &str) -> Value {
    let count = |name: &str| watch.watched.iter().filter(|it| it.status.name() == name).count();
    json!({
        "event": "check",
        "v": 1,
        "branch": branch,
        "watched": watch.watched.len(),
        "open": count("open"),
        "acknowledged": count("acknowledged"),
        "suppressed": count("suppressed"),
        "waiting": count("waiting"),
        "improved": count("improved"),
        "resolved": count("resolved"),
        "quiet": count("quiet"),
        "unjudged": count("unjudged"),
        "not_kept": watch.not_kept,
    })
}
