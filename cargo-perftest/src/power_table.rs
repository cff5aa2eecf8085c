//! Table and JSON of what tests can detect.

use crate::replay::{ReplayCounts, ReplayResult};
use crate::report::{Table, extend, interval_as_json, rate, series_event};
use crate::series::name_of;
use crate::test_power::TestPower;
use perftest_core::judge::Power;
use perftest_core::words::{format_detectable, rare};
use serde_json::{Value, json};

/// A test, or all together, and the results of replays at each slowdown.
type PowerRow<'a> = (Option<&'a TestPower>, &'a [ReplayCounts]);

/// Lists a row for each test, and one for all. Adds the results of replays if there were any.
pub(crate) fn power_table(guards: &[TestPower]) -> Table {
    let together = together(guards);
    let rows = guards.iter().map(|guard| (Some(guard), guard.replayed()));
    let runs: usize = guards.iter().map(|guard| guard.runs).sum();
    let mut table = Table::of(rows.chain([(None, together.as_slice())]))
        .column("test", |(it, _)| it.map_or("all together".into(), |it| name_of(&it.series)))
        .column("testbed", |(it, _)| it.map_or_else(String::new, |it| it.series.testbed.clone()))
        .column(" runs", |(it, _)| it.map_or(runs, |it| it.runs))
        .column(" noise", |row| of_power(row, |it| format!("{:.1}%", 100.0 * it.noise)))
        .column(" detects", |row| of_power(row, |it| format_detectable(it.smallest_detectable)))
        .column(" tolerance", |row| of_power(row, |it| it.tolerance.to_string()))
        .column(" false alarms", |row| of_power(row, |it| rare(it.false_alarm_rate)));
    if guards.iter().any(|guard| guard.figures.is_some()) {
        table = table.optional("red, replayed", |(_, at)| Some(rate(at.first()?.red_rate())));
        for (index, slowdown) in TestPower::SLOWDOWNS.iter().enumerate().skip(1) {
            table = table.optional(&format!(" x{slowdown:.2}"), |(_, at)| {
                Some(format!("{}%", at.get(index)?.red_percent()?))
            });
        }
        table = table.optional(" measurements", |(_, at)| {
            Some(format!("{:.0}", at.first()?.effort()?.median))
        });
    }
    let of_all = || format!("{} of {} detect twice their tolerance", sharp(guards), guards.len());
    let advice = |it: &TestPower| it.helped_by().unwrap_or_else(|| "nothing is missing".to_owned());
    let left_out = [
        "testbed",
        "runs",
        "measurements",
        "x1.05",
        "x1.50",
        "x1.10",
        "x1.20",
        "false alarms",
        "red, replayed",
        "tolerance",
        "noise",
    ];
    table
        .column("what would help", |(it, _)| it.map_or_else(of_all, advice))
        .narrowed(&["test", "what would help"], &left_out)
}

/// A cell about the power of a test; empty for all together.
fn of_power((guard, _): &PowerRow<'_>, text: fn(&Power) -> String) -> String {
    let power = guard.map(|guard| guard.power.as_ref());
    power.map_or_else(String::new, |power| power.map_or_else(|| "-".to_owned(), text))
}

/// Adds up the decisions of all replayed tests, for each slowdown.
fn together(guards: &[TestPower]) -> Vec<ReplayCounts> {
    let replayed = || guards.iter().filter(|guard| !guard.replayed().is_empty());
    let at = |index: usize| {
        let mut together = ReplayCounts::default();
        replayed().for_each(|guard| together.add(&guard.replayed()[index]));
        together
    };
    if replayed().next().is_none() {
        return Vec::new();
    }
    (0..TestPower::SLOWDOWNS.len()).map(at).collect()
}

fn sharp(guards: &[TestPower]) -> usize {
    guards.iter().filter(|guard| guard.detects_twice_its_tolerance()).count()
}

/// One object for each test, and one for all; empty without tests.
pub(crate) fn power_as_json(guards: &[TestPower]) -> Vec<Value> {
    let all = (!guards.is_empty()).then(|| of_all_as_json(guards));
    guards.iter().map(as_json).chain(all).collect()
}

fn as_json(guard: &TestPower) -> Value {
    let power = guard.power.as_ref();
    let mut value = series_event("power", &guard.series, replayed_as_json(guard.replayed()));
    let known = json!({
        "runs": guard.runs,
        "runs_needed": guard.needed,
        "noise": power.map(|it| it.noise),
        "smallest_detectable": power.map(|it| it.smallest_detectable),
        "tolerance": power.map(|it| it.tolerance.share()),
        "false_alarm_rate": power.map(|it| it.false_alarm_rate),
        "detects_twice_its_tolerance": power.map(|it| it.detects_twice_its_tolerance()),
        "replay_runs": guard.replayable,
        "replay_runs_needed": ReplayResult::fewest_runs(),
        "helped_by": guard.helped_by(),
    });
    extend(&mut value, known);
    value
}

fn of_all_as_json(guards: &[TestPower]) -> Value {
    let mut value = replayed_as_json(&together(guards));
    let known = json!({
        "event": "power_together",
        "v": 1,
        "tests": guards.len(),
        "tests_with_baseline": guards.iter().filter(|guard| guard.power.is_some()).count(),
        "tests_that_detect_twice_their_tolerance": sharp(guards),
    });
    extend(&mut value, known);
    value
}

/// The results of the replays; `null` without a replay.
fn replayed_as_json(figures: &[ReplayCounts]) -> Value {
    let unchanged = figures.first();
    let effort = unchanged.and_then(ReplayCounts::effort);
    let slowed = TestPower::SLOWDOWNS.iter().zip(figures).skip(1);
    let found: Vec<Value> = slowed
        .map(|(slowdown, it)| json!({ "slowdown": slowdown, "rate": interval_as_json(it.red_rate()) }))
        .collect();
    json!({
        "decisions": unchanged.map(ReplayCounts::decisions),
        "red_rate": unchanged.map(|it| interval_as_json(it.red_rate())),
        "found": (!found.is_empty()).then_some(found),
        "measurements": effort.map(|it| json!({ "median": it.median, "p90": it.p90, "max": it.max })),
    })
}
