//! Notes on unexpected effects in the answer of `cargo perftest check`.

use super::check_answer::CheckAnswer;
use crate::alerts::{OtherRuns, Scope, Watch, WatchResult};
use crate::branches::branch_name;
use crate::reading::idle_tests;
use crate::report::{counted, end_of, histories};
use crate::rules::{RulesFile, Suppression};
use crate::series::apart;

pub(super) fn notes(answer: &CheckAnswer<'_>, now_ms: u64) -> Vec<String> {
    let CheckAnswer { args, watch, rules, scope } = *answer;
    let mut notes: Vec<String> = left_open(watch).collect();
    if args.test.is_none() && args.metric.is_none() && args.testbed.is_none() {
        notes.extend(idle_rules(watch, rules, scope));
        if args.threshold.is_none() {
            notes.extend(idle_suppressions(answer, now_ms));
        }
    }
    notes.extend(rules.thresholds.iter().filter_map(|it| earlier(watch, &it.name)));
    notes.extend(over(rules, now_ms));
    notes.extend(uncommitted(watch));
    notes.extend(doubtful_alerts(watch));
    if args.all {
        notes.extend(idle_entries(watch));
    }
    notes.extend(watch.not_kept.iter().map(|why| format!("nothing was kept: {why}")));
    notes
}

/// Finds filters that match nothing, which would never have an effect.
fn idle_rules(watch: &Watch<'_>, rules: &RulesFile, scope: &Scope) -> Vec<String> {
    let branch = branch_name(scope.branch.as_str());
    let watches = |name: &str| watch.watched.iter().any(|it| it.threshold.name == name);
    let idle = rules.thresholds.iter().filter(|it| !watches(&it.name));
    let others: Vec<&str> = watch.branches.iter().map(|name| branch_name(name)).collect();
    let elsewhere =
        match watch.watched.is_empty() && !others.is_empty() && !others.contains(&branch) {
            true => format!("; runs are recorded on {}: see --branch", others.join(", ")),
            false => String::new(),
        };
    let notes = idle.map(|it| {
        let place = RulesFile::place(it.line);
        format!("{place}: threshold `{}` watches no run on branch {branch}{elsewhere}", it.name)
    });
    notes.collect()
}

/// Finds suppressions that are not over and cover nothing: a renamed or moved test may have left them.
fn idle_suppressions(answer: &CheckAnswer<'_>, now_ms: u64) -> impl Iterator<Item = String> {
    let CheckAnswer { watch, rules, scope, .. } = *answer;
    let branch = scope.branch.as_str();
    let covers = |it: &Suppression, of: &WatchResult<'_>| {
        it.covers(&of.series, &of.branch, &of.threshold.name)
    };
    // Without any watched run all are idle, and the notes on the thresholds say why.
    let is_idle = move |it: &&Suppression| {
        !watch.watched.is_empty()
            && !it.is_over(now_ms)
            && it.branch.matches(branch)
            && !watch.watched.iter().any(|of| covers(it, of))
    };
    rules.suppressions.iter().filter(is_idle).map(move |it| {
        let (place, filter, branch) = (RulesFile::place(it.line), &it.filter, branch_name(branch));
        format!("{place}: the suppression of {filter} covers no watched run on branch {branch}")
    })
}

/// An unresolved alert does not end when the values change their unit or their configuration.
fn left_open(watch: &Watch<'_>) -> impl Iterator<Item = String> {
    watch.watched.iter().filter_map(|it| {
        let (became, before) = match it.left_open()? {
            OtherRuns::Metric(then) => {
                let [then, now] = apart([then, &it.series.metric]);
                (format!("those {now}"), then)
            }
            OtherRuns::Configuration => {
                ("those of another configuration".to_owned(), "before".to_owned())
            }
        };
        Some(format!(
            "an alert of `{}` on {} of {} was open when the values became {became}: the runs {before} are \
             another history, which leaves the alert unresolved; --acknowledge ends this note",
            it.threshold.name, it.series.metric.name, it.series.benchmark
        ))
    })
}

/// Notes thresholds that changed: a person who tunes a rule expects its new result.
fn earlier(watch: &Watch<'_>, threshold: &str) -> Option<String> {
    let count = count(watch, &|it| it.threshold.name == threshold && it.is_by_earlier_rule)?;
    Some(format!(
        "`{threshold}` was changed since it judged the newest runs of {}; its earlier \
         results stay; --reevaluate applies the present rule",
        histories(count)
    ))
}

fn over(rules: &RulesFile, now_ms: u64) -> Vec<String> {
    let notes = |it: &Suppression| {
        let (place, filter) = (RulesFile::place(it.line), &it.filter);
        let until = it.until_ms.map_or_else(String::new, end_of);
        format!("{place}: the suppression of {filter} ended with {until}")
    };
    rules.suppressions.iter().filter(|it| it.is_over(now_ms)).map(notes).collect()
}

/// Notes tests with uncommitted runs only: they never get a baseline.
fn uncommitted(watch: &Watch<'_>) -> Option<String> {
    let count = count(watch, &|it| it.is_uncommitted)?;
    Some(format!(
        "{count} have only runs of uncommitted code: such runs do not count for later ones; \
         commit, then run the tests"
    ))
}

/// Notes open alerts that may be none, or that nothing ends.
fn doubtful_alerts(watch: &Watch<'_>) -> Vec<String> {
    let newest = |it: &WatchResult<'_>| it.newest.as_ref().map(|run| run.code.started_ms);
    let runs = watch.watched.iter().filter_map(|it| Some((&it.series.benchmark, newest(it)?)));
    let idle = idle_tests(runs);
    let is_by_newest = |it: &WatchResult<'_>| match (&it.opened_by, &it.newest) {
        (Some(opened_by), Some(newest)) => opened_by.run == newest.run,
        _ => false,
    };
    let count = |is_such: &dyn Fn(&WatchResult<'_>) -> bool| {
        count(watch, &|it| it.is_open() && is_such(it))
    };
    let counts = [
        // A single far run of a busy machine looks like a change.
        (
            count(&|it| it.threshold.open_after == 1 && is_by_newest(it)),
            "on the newest run alone: run the tests again, or write `open_after = 2`, with which a single far run \
             opens none",
        ),
        // An alert does not end while its test does not run.
        (
            count(&|it| idle.contains(&&it.series.benchmark)),
            "of tests without a run in the last 30 days of this history: where a test was deleted, acknowledge \
             its alert with --acknowledge",
        ),
        // The first weekends of a history look like changes.
        (
            count(&|it| it.is_too_short_for_season),
            "on histories of less than three weeks: load that repeats every week is recognised \
             after three, and may open alerts until then",
        ),
    ];
    let known = counts.into_iter().filter_map(|(count, words)| Some((count?, words)));
    known.map(|(count, words)| format!("{} {words}", counted(count, "open alert"))).collect()
}

/// The number of such results; `None` without any.
fn count(watch: &Watch<'_>, is_such: &dyn Fn(&WatchResult<'_>) -> bool) -> Option<usize> {
    Some(watch.watched.iter().filter(|it| is_such(it)).count()).filter(|count| *count > 0)
}

fn idle_entries(watch: &Watch<'_>) -> Vec<String> {
    let notes = watch.idle.iter().map(|it| {
        let what = format!("{} of {}", it.threshold, it.benchmark);
        format!("{} acknowledges no live alert ({what}): check --revoke {0} takes it back", it.id)
    });
    notes.collect()
}
