//! Questions about numbers in their order.

use super::{Files, error, json, text};
use perftest_core::stats::Random;
use serde_json::Value;

const DETECTORS: [&str; 6] = ["levels", "settled", "ed-pelt", "rqq-pelt", "jetpack", "skia"];

/// Values about 100, and about 130 from the change on.
fn step(size: usize, change: usize) -> impl Iterator<Item = f64> {
    let level = move |place: usize| if place < change { 100.0 } else { 130.0 };
    (0..size).map(move |place| level(place) + (place * 37 % 11) as f64 / 10.0)
}

fn places(output: &Value, list: &str, key: &str) -> Vec<u64> {
    let list = output[list].as_array().unwrap();
    list.iter().map(|it| it[key].as_u64().unwrap()).collect()
}

#[test]
fn the_page_on_change_points_names_each_detector_as_the_option_does() {
    let page = include_str!("../../../docs/reference/change-points.md");
    for detector in DETECTORS {
        assert!(page.contains(&format!("\n| `{detector}`")), "{detector}");
    }
}

#[test]
fn every_detector_finds_a_clear_step_and_none_in_noise() {
    let files = Files::new();
    let (slower, steady) =
        (files.write("step", step(100, 50)), files.write("steady", step(100, 100)));
    for detector in DETECTORS {
        let changes = |file: &str| {
            places(&json(&["changepoints", file, "--detector", detector]), "changes", "place")
        };
        assert_eq!(changes(&slower), [51], "{detector}");
        assert!(changes(&steady).is_empty(), "{detector}");
    }
}

/// Values about 100 times `unit` with scattered noise, and about 130 times `unit` from the change on.
fn noisy_step(size: usize, change: usize, unit: f64) -> impl Iterator<Item = f64> {
    let mut random = Random::new(11);
    let level = move |place: usize| if place < change { 100.0 } else { 130.0 };
    (0..size).map(move |place| unit * (level(place) + random.between(-1.0, 1.0)))
}

#[test]
fn the_unit_of_the_values_makes_no_difference_to_changes_of_quantiles() {
    let files = Files::new();
    for unit in [1e-9, 1e-6, 1.0, 1e9] {
        let slower = files.write("step", noisy_step(200, 100, unit));
        let steady = files.write("steady", noisy_step(200, 200, unit));
        for detector in ["ed-pelt", "rqq-pelt"] {
            let changes = |file: &str| {
                places(&json(&["changepoints", file, "--detector", detector]), "changes", "place")
            };
            assert_eq!(changes(&slower), [101], "{detector} in units of {unit}");
            assert!(changes(&steady).is_empty(), "{detector} in units of {unit}");
        }
    }
}

#[test]
fn too_few_values_for_a_change_are_noted_whatever_the_detector() {
    let files = Files::new();
    let cases: [(&str, &[&str], usize); 9] = [
        ("levels", &[], 20),
        ("settled", &[], 20),
        ("ed-pelt", &[], 40),
        ("rqq-pelt", &["min_distance=7"], 14),
        ("ed-pelt", &["min_distance=1"], 3),
        ("jetpack", &[], 10),
        ("jetpack", &["width=8"], 16),
        ("skia", &[], 16),
        ("skia", &["kind=original", "threshold=50"], 17),
    ];
    for (detector, settings, needed) in cases {
        let note = format!("note: too few values to see a change: {needed} are needed\n");
        for size in [needed - 1, needed] {
            let few = files.write("few", step(size, size / 2));
            let set = settings.iter().flat_map(|setting| ["--set", setting]);
            let args = ["changepoints", &few, "--detector", detector].into_iter().chain(set);
            let shown = text(&args.collect::<Vec<_>>());
            assert_eq!(shown.contains(&note), size < needed, "{detector} {settings:?}: {shown}");
        }
    }
}

#[test]
fn a_setting_beyond_all_numbers_needs_more_values_than_there_are() {
    let half = u64::MAX / 2 + 1;
    for (detector, name) in [("ed-pelt", "min_distance"), ("jetpack", "width"), ("skia", "radius")]
    {
        let setting = format!("{name}={half}");
        let args = ["changepoints", "few.txt", "--detector", detector, "--set", &setting];
        assert!(text(&args).contains("note: too few values to see a change: "), "{detector}");
    }
}

#[test]
fn what_lasted_is_kept_apart_from_what_went_away() {
    let output = json(&["changepoints", "history.txt", "--unit", "ns"]);
    assert_eq!(places(&output, "changes", "place"), [61]);
    assert_eq!(places(&output, "temporary", "from"), [21]);
    assert_eq!(places(&output, "temporary", "to"), [28]);
    let change = &output["changes"][0];
    assert!(change["after"].as_f64().unwrap() > 1.06 * change["before"].as_f64().unwrap());
    assert!(text(&["changepoints", "few.txt"]).contains("too few values to see a change"));
}

#[test]
fn settings_are_those_of_the_detector() {
    let count = |detector: &str, settings: &[&str]| {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let args: Vec<&str> = ["changepoints", "history.txt", "--detector", detector]
            .into_iter()
            .chain(set)
            .collect();
        places(&json(&args), "changes", "place").len()
    };
    assert!(count("jetpack", &[]) > count("jetpack", &["threshold=1e6"]));
    assert!(count("ed-pelt", &["min_distance=5"]) > count("ed-pelt", &["min_distance=40"]));
    assert_eq!(count("skia", &["threshold=1e9"]), 0);
    let cases: [(&[&str], &str); 7] = [
        (&["--detector", "skia", "--set", "width=3"], "there are kind, threshold, radius"),
        (&["--set", "min_distance=3"], "settled has no settings"),
        (&["--detector", "jetpack", "--set", "width=0"], "a whole number from 1 up"),
        (&["--detector", "jetpack", "--set", "width"], "such as width=7"),
        (&["--detector", "skia", "--set", "kind=t"], "percent_median"),
        (&["--detector", "skia", "--set", "kind=mannwhitneyu"], "give that of this kind"),
        (&["--detector", "skia", "--set", "kind=stepiness"], "give that of this kind"),
    ];
    for (args, expected) in cases {
        let output = error(&[&["changepoints", "history.txt"], args].concat());
        assert!(output.contains(expected), "{args:?}: {output}");
    }
}

#[test]
fn every_kind_of_skias_steps_finds_a_clear_one() {
    let files = Files::new();
    let off = files.write("off", step(100, 70));
    let found = |file: &str, settings: &[&str]| {
        let set = settings.iter().flat_map(|setting| ["--set", setting]);
        let args: Vec<&str> =
            ["changepoints", file, "--detector", "skia"].into_iter().chain(set).collect();
        places(&json(&args), "changes", "place")
    };
    for (kind, threshold, place) in [
        ("original", "50", 71),
        ("absolute", "10", 71),
        ("percent", "0.1", 71),
        ("percent_median", "0.1", 72),
        ("cohen", "9", 71),
        ("stepiness", "0.8", 71),
        ("mannwhitneyu", "0.001", 71),
    ] {
        let settings = [format!("kind={kind}"), format!("threshold={threshold}")];
        assert_eq!(found(&off, &settings.each_ref().map(String::as_str)), [place], "{kind}");
    }
    for (radius, is_found) in [("radius=9", true), ("radius=10", false)] {
        let short = files.write("short", step(20, 10));
        let expected = if is_found { vec![11] } else { vec![] };
        assert_eq!(found(&short, &["threshold=9", radius]), expected);
        let shown = text(&[
            "changepoints",
            &short,
            "--detector",
            "skia",
            "--set",
            "threshold=9",
            "--set",
            radius,
        ]);
        let note = "too few values to see a change: 22 are needed";
        assert_eq!(shown.contains(note), !is_found, "{shown}");
    }
}

#[test]
fn the_last_number_is_judged_by_those_before_it() {
    let files = Files::new();
    let (fine, slow) = (files.write("fine", step(30, 30)), files.write("slow", step(30, 29)));
    let broken = |file: &str, test: &str, upper: &str| {
        let output = json(&["threshold", file, "--test", test, "--upper", upper]);
        output["new"][0]["broken"].clone()
    };
    for (test, upper) in [
        ("static", "110"),
        ("percentage", "0.1"),
        ("z_score", "0.99"),
        ("t_test", "0.99"),
        ("log_normal", "0.99"),
        ("iqr", "3"),
        ("delta_iqr", "9"),
    ] {
        assert_eq!(broken(&fine, test, upper), Value::Null, "{test}");
        assert_eq!(broken(&slow, test, upper), "upper", "{test}");
    }
    let output =
        json(&["threshold", &fine, "--test", "percentage", "--lower", "0.1", "--new", "80,100,-5"]);
    assert_eq!(output["count"], 30);
    let sides: Vec<&Value> =
        output["new"].as_array().unwrap().iter().map(|new| &new["broken"]).collect();
    assert_eq!(sides, [&"lower".into(), &Value::Null, &"lower".into()]);
    let limit = |args: &[&str]| {
        let args = [&["threshold", &fine, "--test", "t_test", "--upper", "0.99"], args].concat();
        json(&args)["limits"]["upper"].as_f64()
    };
    assert!(limit(&["--compat", "0.6.2"]) < limit(&[]));
    assert_ne!(limit(&["--max-sample-size", "5"]), limit(&[]));
    assert_eq!(limit(&["--min-sample-size", "50"]), None);
}

#[test]
fn a_baseline_is_of_as_many_values_as_were_used() {
    let files = Files::new();
    let history = files.write("history", step(30, 30));
    let fixed = ["threshold", &history, "--test", "percentage", "--upper", "0.1"];
    for (most, used) in [("5", 5), ("500", 29)] {
        let args = [&fixed[..], &["--max-sample-size", most]].concat();
        assert_eq!(json(&args)["count"], used);
        assert!(text(&args).contains(&format!(" of {used} values\n")), "{}", text(&args));
    }
}

#[test]
fn a_value_beyond_values_that_all_agree_is_beyond_the_limit_of_a_deviation() {
    let files = Files::new();
    let counts = files.write("counts", [12.0; 20].into_iter().chain([13.0]));
    for test in ["t_test", "z_score", "log_normal"] {
        let args = ["threshold", &counts, "--test", test, "--upper", "0.99"];
        assert_eq!(json(&args)["new"][0]["broken"], "upper", "{test}");
    }
}

#[test]
fn a_threshold_that_cannot_judge_gives_the_reason() {
    let files = Files::new();
    let one = files.write("one", [7.0]);
    let test = |name| ["--test", name, "--upper", "0.99"];
    let output = |file: &str, name| text(&[&["threshold", file], &test(name)[..]].concat());
    let of_zero = files.write("of-zero", [0.0, 7.0, 8.0, 9.0]);
    assert!(output(&of_zero, "log_normal").contains("the values before are not all above 0"));
    assert!(output(&one, "percentage").contains("there are 0, and 1 are needed"));
    assert!(output(&one, "percentage").contains("not judged"));
    let cases: [(&[&str], &str); 4] = [
        (&["--test", "iqr"], "needs a lower or an upper boundary"),
        (&["--test", "t_test", "--upper", "99"], "a probability from 0.5 to below 1, not 99"),
        (&["--test", "median", "--upper", "1"], "delta_iqr"),
        (&["--test", "iqr", "--upper", "1", "--compat", "0.5"], "give 0.6.2"),
    ];
    for (args, expected) in cases {
        let output = error(&[&["threshold", &one], args].concat());
        assert!(output.contains(expected), "{args:?}: {output}");
    }
}

#[test]
fn odd_histories_have_an_answer_and_long_ones_soon() {
    let files = Files::new();
    let odd = [
        files.write("one", [5.0]),
        files.write("two", [5.0, 6.0]),
        files.write("same", [7.0; 50]),
        files.write("zero", [0.0; 50]),
        files.write("signs", step(60, 30).map(|value| value - 115.0)),
        files.write("huge", [f64::MIN, -1.0, 1.0, f64::MAX].repeat(12)),
    ];
    for file in &odd {
        for detector in DETECTORS {
            text(&["changepoints", file, "--detector", detector]);
        }
        json(&["changepoints", file]);
        let ranks = ["--set", "kind=mannwhitneyu", "--set", "radius=3", "--set", "threshold=1"];
        json(&[&["changepoints", file, "--detector", "skia"], &ranks[..]].concat());
        json(&["threshold", file, "--test", "iqr", "--upper", "1"]);
    }
    let long = files.write("long", step(30_000, 20_000));
    let wide = ["changepoints", &long, "--detector", "jetpack", "--set", "width=10000"];
    assert!(error(&wide).contains("would take too long"));
    assert_eq!(places(&json(&["changepoints", &long]), "changes", "place"), [20_001]);
}
