//! `stats compare` and `stats changepoints` of values that a coarse clock has rounded.

use super::{Files, json, text};
use perftest_core::stats::{Random, normal_quantile};

/// Normal values, rounded to whole numbers.
fn rounded(mean: f64, seed: u64) -> impl Iterator<Item = f64> {
    let mut random = Random::new(seed);
    (0..1_000)
        .map(move |_| (mean + 0.6 * normal_quantile(random.between(1e-9, 1.0))).round().max(1.0))
}

#[test]
fn a_difference_of_a_part_of_a_tick_is_found() {
    let files = Files::new();
    let (before, after) =
        (files.write("before", rounded(3.0, 1)), files.write("after", rounded(3.45, 2)));
    let answer = json(&["compare", &before, &after]);
    assert_eq!(answer["answer"], "larger", "{answer}");
    let ratio = answer["ratio"]["estimate"].as_f64().unwrap();
    assert!((ratio - 1.15).abs() < 0.03, "{answer}");
    let shown = text(&["compare", &before, &after, "--unit", "ms"]);
    let note =
        "note: values come in ticks: ties were spread over 1.000 ms before they were compared\n";
    assert!(shown.contains(note), "{shown}");
    let left = json(&["compare", &before, &after, "--resolution", "0"]);
    assert_eq!(left["notes"], serde_json::json!([]));
    assert_eq!(left["ratio"]["lower"], 1.0);
}

#[test]
fn few_distinct_values_may_be_those_of_a_clock() {
    let files = Files::new();
    let level = |name: &str, twos: usize| {
        let twos = std::iter::repeat_n(2.0, twos);
        files.write(name, twos.chain([3.0].repeat(200)).take(200))
    };
    let (before, after) = (level("before", 190), level("after", 184));
    let answer = json(&["compare", &before, &after]);
    let note = answer["notes"][0].as_str().unwrap();
    assert!(note.starts_with("few distinct values: if a coarse clock made them"), "{answer}");
    let given = json(&["compare", &before, &after, "--resolution", "1"]);
    assert_eq!((&answer["answer"], &given["answer"]), (&"same".into(), &"undecided".into()));
}

#[test]
fn a_change_below_a_tick_may_be_missed_and_that_is_noted() {
    let files = Files::new();
    let slower = files.write("slower", rounded(3.0, 1).take(60).chain(rounded(3.3, 2).take(60)));
    let answer = json(&["changepoints", &slower]);
    assert_eq!(answer["changes"], serde_json::json!([]));
    let shown = text(&["changepoints", &slower, "--unit", "ms"]);
    let note = "note: values come in ticks of 1.000 ms: smaller changes may be missed, and levels are known to a tick\n";
    assert!(shown.ends_with(note), "{shown}");
    let clean = files.write("clean", [[3.0; 60], [4.0; 60]].concat());
    assert_eq!(json(&["changepoints", &clean])["notes"], serde_json::json!([]));
}
