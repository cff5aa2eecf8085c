//! Table and JSON of what tests can detect.

use crate::replay::{ReplayCounts, ReplayResult};
use crate::report::{Table, extend, interval_as_json, rate};
use crate::series::in_words;
use crate::test_power::TestPower;
use perftest_core::judge::Power;
use perftest_core::words::{format_detectable, rare};
use serde_json::{Value, json};

/// Lists a row for each test, and one for all. Adds the results of replays if there were any.
pub(crate) fn power_table(guards: &[TestPower]) -> Table {
    let is_replayed = guards.iter().any(|guard| guard.figures.is_some());
    let computed =
        ["test", "testbed", " runs", " noise", " detects", " tolerance", " false alarms"];
    let replayed = ["red, replayed", " x1.05", " x1.10", " x1.20", " x1.50", " measurements"];
    let mut headings = computed.to_vec();
    headings.extend(replayed.iter().filter(|_| is_replayed));
    headings.push("what would help");
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
    let mut table = Table::new(&headings).narrowed(&["test", "what would help"], &left_out);
    let rows = guards.iter().map(row).chain([row_of_all(guards)]);
    for ([computed @ .., help], replayed) in rows {
        let replayed = replayed.into_iter().filter(|_| is_replayed);
        table.push_row(computed.into_iter().chain(replayed).chain([help]).collect());
    }
    table
}

/// Computed cells with advice, and cells of the replays.
type Cells = ([String; 8], [String; 6]);

fn row(guard: &TestPower) -> Cells {
    let power =
        |text: fn(&Power) -> String| guard.power.as_ref().map_or_else(|| "-".to_owned(), text);
    let computed = [
        in_words(&guard.series.benchmark, &guard.series.metric),
        guard.series.testbed.clone(),
        guard.runs.to_string(),
        power(|it| format!("{:.1}%", 100.0 * it.noise)),
        power(|it| format_detectable(it.smallest_detectable)),
        power(|it| it.tolerance.to_string()),
        power(|it| rare(it.false_alarm_rate)),
        guard.helped_by().unwrap_or_else(|| "nothing is missing".to_owned()),
    ];
    (computed, replayed_cells(guard.replayed()))
}

fn row_of_all(guards: &[TestPower]) -> Cells {
    let nothing = String::new;
    let computed = [
        "all together".to_owned(),
        nothing(),
        guards.iter().map(|guard| guard.runs).sum::<usize>().to_string(),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
        format!("{} of {} detect twice their tolerance", sharp(guards), guards.len()),
    ];
    (computed, replayed_cells(&together(guards)))
}

/// The rate of reds on unchanged code, the detection rates, and the measurements of a typical
/// decision on unchanged code.
fn replayed_cells(figures: &[ReplayCounts]) -> [String; 6] {
    let cell = |index: usize, text: fn(&ReplayCounts) -> String| {
        figures.get(index).map_or_else(|| "-".to_owned(), text)
    };
    let found = |it: &ReplayCounts| {
        it.red_percent().map_or_else(|| "-".to_owned(), |percent| format!("{percent}%"))
    };
    let measurements = |it: &ReplayCounts| {
        it.effort().map_or_else(|| "-".to_owned(), |it| format!("{:.0}", it.median))
    };
    [
        cell(0, |it| rate(it.red_rate())),
        cell(1, found),
        cell(2, found),
        cell(3, found),
        cell(4, found),
        cell(0, measurements),
    ]
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
    let mut value = replayed_as_json(guard.replayed());
    let known = json!({
        "event": "power",
        "v": 1,
        "benchmark": guard.series.benchmark.as_str(),
        "testbed": guard.series.testbed,
        "metric": guard.series.metric.name,
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
