//! The whole tool over a store filled through `perftest-store`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acceptances;
mod bench;
mod changepoints;
mod check;
mod clocks;
mod drift;
mod export;
mod gc;
mod gone_tests;
mod hostile;
mod import;
mod json_page;
mod many_histories;
mod merge;
mod past;
mod pipes;
mod power;
mod rank;
mod read_failures;
mod remote;
mod report;
mod review;
mod run_counts;
mod shells;
mod terminal;
mod testbeds;

use bench::{Bench, line_with, measured, red};
use perftest_core::model::{
    BenchmarkId, InstructionCounter, Instructions, Interval, Measurement, Metric, Reason, Run,
};
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

#[test]
fn all_tests_are_listed_with_their_course_and_last_verdict() {
    let bench = Bench::filled("list");
    let text = bench.answer(&["history"]);
    assert_eq!(text.lines().count(), 4, "{text}");
    let encode = line_with(&text, "codec::frame::encode");
    for part in ["local/7f3a2b", " 10 ", "57.25 ns", "red", "2026-01-01 00:09", "▂▂▃▄▄▅▅▆▇▇"]
    {
        assert!(encode.contains(part), "{part} in {encode}");
    }
    assert!(line_with(&text, "codec::frame::decode").contains("green"));
}

#[test]
fn a_simple_terminal_gets_ascii() {
    let bench = Bench::filled("ascii");
    assert!(bench.answer(&["history", "--ascii"]).is_ascii());
    assert!(Outcome::of(bench.command().arg("history").env("TERM", "dumb")).stdout.is_ascii());
    assert!(!bench.answer(&["history"]).is_ascii());
}

#[test]
fn the_list_as_json_has_one_object_a_test() {
    let bench = Bench::filled("list-json");
    let lines = bench.json(&["history", "--format", "json"]);
    assert_eq!(lines.len(), 3);
    let encode = lines.iter().find(|line| line["benchmark"] == "codec::frame::encode").unwrap();
    assert_eq!(encode["runs"], 10);
    assert_eq!(encode["last"], 57.25);
    assert_eq!(encode["medians"].as_array().unwrap().len(), 10);
    assert_eq!(encode["verdict"], "red");
}

#[test]
fn the_runs_of_a_test_are_found_by_a_part_of_its_name() {
    let bench = Bench::filled("runs");
    let text = bench.answer(&["history", "encode"]);
    assert_eq!(text.lines().count(), 12, "{text}");
    let last = text.lines().last().unwrap();
    for part in ["a1b2c3d4e+", "57.25 ns", "1.25x", "red", "yes", "parallel steal libtest"] {
        assert!(last.contains(part), "{part} in {last}");
    }
    let runs = bench.json(&["history", "encode", "--limit", "3", "--format", "json"]);
    let started: Vec<&Value> = runs.iter().map(|run| &run["started_ms"]).collect();
    let expected = [7, 8, 9].map(|ordinal| example_run(ordinal).started_ms);
    assert_eq!(started, expected);
    let values = ["value", "median"].map(|key| runs[2][key].as_f64().unwrap());
    assert_eq!(values, [57.25, 66.0], "of the decision, and of the run's own process");
    assert_eq!(runs[2]["ratio_lower"], 1.21);
}

#[test]
fn a_ratio_beyond_all_measure_is_reported_in_a_few_digits() {
    let bench = Bench::new("ratios");
    let mut run = red(example_run(0));
    let huge = Interval { estimate: 3e9, lower: 2e9, upper: 4e9 };
    run.evidence.as_mut().unwrap().degradation = Some(huge);
    bench.append(&run);
    line_with(&bench.answer(&["history", "encode"]), " 3.00e9x  red ");
    let session = bench.answer(&["accept", "--session", "last", "--dry-run"]);
    line_with(&session, "  3.00e9x         3.15e9x");
}

#[test]
fn a_renamed_test_is_shown_with_its_runs_under_both_names() {
    let bench = Bench::filled("renamed");
    let formerly = Some(BenchmarkId::from_recorded("codec::frame::encode"));
    let benchmark = BenchmarkId::from_recorded("codec::frame::pack");
    bench.append(&Run { benchmark, formerly, ..example_run(30) });
    let all = bench.answer(&["history"]);
    assert!(line_with(&all, "codec::frame::pack").contains(" 11 "), "{all}");
    assert!(!all.contains("codec::frame::encode"), "{all}");
    let runs = bench.json(&["history", "pack", "--format", "json"]);
    assert_eq!(runs.len(), 11);
    assert!(runs.iter().all(|run| run["benchmark"] == "codec::frame::pack"));
    let former = bench.run(&["history", "encode", "--json"]);
    let former = former.warns(&["note: codec::frame::encode is called codec::frame::pack now"]);
    assert_eq!(former.stdout.lines().count(), 11);
}

#[test]
fn processes_that_confirmed_a_red_are_no_runs_of_the_list() {
    let bench = Bench::filled("confirming");
    let before = bench.answer(&["history"]);
    let flags = vec![Run::CONFIRMING.to_owned()];
    let confirming = Run { flags, evidence: None, ..example_run(9) };
    bench.append(&Run { id: example_run(31).id, ..confirming });
    assert_eq!(bench.answer(&["history"]), before);
    assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 11);
}

#[test]
fn fresh_processes_are_counted_at_the_run_that_they_belong_to() {
    for mark in [Run::CONFIRMING, Run::PROVISIONAL] {
        let bench = Bench::filled(mark);
        for ordinal in [31, 32] {
            let flags = vec![mark.to_owned()];
            bench.append(&Run { flags, evidence: None, ..example_run(ordinal) });
        }
        bench.append(&red(example_run(33)));
        let text = bench.answer(&["history", "encode"]);
        let rows: Vec<&str> = text.lines().skip(2).collect();
        let with_fresh: Vec<usize> =
            (0..rows.len()).filter(|row| rows[*row].contains("+2 fresh processes")).collect();
        assert_eq!((rows.len(), with_fresh), (11, vec![10]), "{text}");
        assert!(line_with(&bench.answer(&["history"]), "frame::encode").contains(" 11 "));
        assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 13);
    }
}

#[test]
fn a_verdict_is_shown_whatever_fresh_processes_were_recorded_after_it() {
    let bench = Bench::filled("many-fresh");
    let judged = bench.answer(&["show", "encode"]);
    for ordinal in 31..91 {
        let flags = vec![Run::CONFIRMING.to_owned()];
        bench.append(&Run { flags, evidence: None, ..example_run(ordinal) });
    }
    assert_eq!(bench.answer(&["show", "encode"]), judged);
}

#[test]
fn a_name_of_several_tests_lists_them_and_a_whole_name_is_enough() {
    let bench = Bench::filled("ambiguous");
    let benchmark = BenchmarkId::from_recorded("codec::frame::encode::large");
    bench.append(&Run { benchmark, ..example_run(30) });
    let (code, text) = bench.refusal(&["history", "frame"]);
    assert_eq!(code, 2);
    assert!(text.contains("3 tests") && text.contains("\n  codec::frame::decode\n"), "{text}");
    assert!(bench.answer(&["history", "codec::frame::encode"]).lines().count() == 12);
}

#[test]
fn a_part_of_a_name_means_the_whole_test_and_a_stage_is_named_with_its_slash() {
    let bench = Bench::filled("stages");
    let benchmark = BenchmarkId::from_recorded("codec::frame::encode").stage("pack");
    bench.append(&Run { benchmark, ..example_run(30) });
    assert_eq!(bench.answer(&["history", "encode"]).lines().count(), 12);
    for name in ["encode/pack", "pack"] {
        let text = bench.answer(&["show", name]);
        assert!(text.starts_with("codec::frame::encode/pack on "), "{text}");
    }
}

#[test]
fn a_further_metric_is_shown_by_its_name() {
    let bench = Bench::filled("metrics");
    bench.append(&Run { metric: Metric::allocations(), ..example_run(30) });
    let text = bench.answer(&["show", "encode"]);
    assert!(text.contains("codec::frame::encode, allocs on "), "{text}");
}

#[test]
fn a_slow_stage_with_the_same_instructions_is_to_be_relinked_and_what_is_counted_is_not() {
    let bench = Bench::filled("moved");
    let moved = |run: Run| {
        let mut run = red(run);
        let evidence = run.evidence.as_mut().unwrap();
        let counted = Instructions::of([5e3; 2], [5e3; 2], InstructionCounter::Valgrind);
        evidence.paired_result.as_mut().unwrap().instructions = Some(counted);
        evidence.degradation = Some(Interval { estimate: 1.1, lower: 1.06, upper: 1.15 });
        bench.append(&run);
    };
    let stage = BenchmarkId::from_recorded("codec::frame::encode").stage("pack");
    moved(Run { benchmark: stage, ..example_run(30) });
    let text = bench.answer(&["show", "encode/pack"]);
    assert!(text.contains("Ask: cargo perftest relink codec::frame::encode/pack\n"), "{text}");
    let counted = BenchmarkId::from_recorded("codec::frame::counted");
    let metric = Metric::allocations();
    moved(Run { benchmark: counted, metric, ..example_run(31) });
    let text = bench.answer(&["show", "counted"]);
    assert!(!text.contains("relink"), "{text}");
}

#[test]
fn two_series_of_a_test_are_kept_apart_in_every_table() {
    let bench = Bench::filled("two-series");
    bench.append(&red(Run { metric: Metric::allocations(), ..example_run(9) }));
    for args in [&["history", "--errors"][..], &["power"], &["drift"]] {
        let text = bench.answer(args);
        line_with(&text, "codec::frame::encode, allocs  ");
        line_with(&text, "codec::frame::encode  ");
    }
    let lines = bench.json(&["history", "encode", "--errors", "--json"]);
    let metrics: Vec<&Value> = lines.iter().map(|line| &line["metric"]).collect();
    assert_eq!(metrics, [&"allocs".into(), &"wall".into(), &Value::Null]);
}

#[test]
fn a_name_that_ends_so_is_meant_before_one_that_only_begins_so() {
    let bench = Bench::filled("cases");
    for case in ["1", "1024", "Vec<u8>"] {
        let benchmark = BenchmarkId::from_recorded(format!("codec::frame::pack::{case}"));
        bench.append(&red(Run { benchmark, ..example_run(9) }));
    }
    assert!(bench.answer(&["show", "pack::1"]).starts_with("codec::frame::pack::1 on "));
    let text = bench.answer(&["show", "pack::Vec<u8>"]);
    assert!(text.contains("accept 'codec::frame::pack::Vec<u8>' --max-ratio"), "{text}");
    let again = "cargo perftest run -- 'codec::frame::pack::Vec<u8>'";
    assert!(line_with(&text, "  again ").contains(again), "{text}");
    let (code, text) = bench.refusal(&["show", "pack"]);
    assert!(code == 2 && text.contains("3 tests"), "{text}");
}

#[test]
fn an_unknown_test_is_answered_with_what_is_near() {
    let bench = Bench::filled("unknown");
    let (code, text) = bench.refusal(&["show", "encoed"]);
    assert_eq!(code, 2);
    assert!(text.contains("codec::frame::encode"), "{text}");
    let (code, text) = bench.refusal(&["show", "zzz"]);
    assert_eq!(code, 2);
    assert!(text.contains("cargo perftest history"), "{text}");
}

#[test]
fn a_noisy_red_suggests_no_wider_acceptance_than_it_was_slow() {
    let bench = Bench::filled("noisy-red");
    let benchmark = BenchmarkId::from_recorded("codec::noisy");
    let mut noisy = red(Run { benchmark, ..example_run(9) });
    let evidence = noisy.evidence.as_mut().unwrap();
    evidence.degradation = Some(Interval { estimate: 2.19, lower: 1.3, upper: 5.4 });
    bench.append(&noisy);
    let text = bench.answer(&["show", "noisy"]);
    let expected = "cargo perftest accept codec::noisy --max-ratio 2.30 --reason";
    assert!(line_with(&text, "  if meant ").contains(expected), "{text}");
}

#[test]
fn a_red_beyond_an_acceptance_suggests_no_narrower_one() {
    let bench = Bench::filled("accepted-red");
    for (name, estimate, upper, bound) in
        [("unbounded", 4.0, f64::INFINITY, "3.50"), ("bounded", 1.5, 1.6, "3.50")]
    {
        let benchmark = BenchmarkId::from_recorded(format!("codec::{name}"));
        let mut beyond = red(Run { benchmark, ..example_run(9) });
        let evidence = beyond.evidence.as_mut().unwrap();
        evidence.degradation = Some(Interval { estimate, lower: 1.3, upper });
        evidence.accepted_ratio = Some(3.5);
        bench.append(&beyond);
        let text = bench.answer(&["show", name]);
        let expected = format!("cargo perftest accept codec::{name} --max-ratio {bound} --reason");
        assert!(line_with(&text, "  if meant ").contains(&expected), "{text}");
    }
}

#[test]
fn a_red_is_shown_with_what_it_rests_on_and_what_to_do() {
    let bench = Bench::filled("show");
    let text = bench.answer(&["show", "encode"]);
    let headline = "slower than the last good build: 1.25x, at least 1.21x (tolerance 5%)";
    assert!(text.contains(headline), "{text}");
    let parts = [
        ("  ratio ", "1.25x is the median ratio of the pairs, not `now` divided by `last good`"),
        ("  now ", "57.25 ns [56.90, 57.60]"),
        ("  now ", "4 measurements in 2 processes, 1 disturbed"),
        ("  baseline ", "42 runs, 8 commits, the newest d1b2c3d"),
        (
            "  last good ",
            "56.90 ns in 3 pairs of fresh processes just now, the last good build (a1b2c3d); this is",
        ),
        ("  machine ", "61 -> 63 C, 4.1 -> 3.1 GHz, 0.5 -> 0.5 load"),
        ("  code ", "a1b2c3d on faster-\"frames\", with changes that are not committed"),
        ("  profile ", "cargo perftest flamegraph codec::frame::encode --diff last-good --open"),
        ("  if meant ", "accept codec::frame::encode --max-ratio 1.27 --reason"),
    ];
    for (name, part) in parts {
        assert!(line_with(&text, name).contains(part), "{part} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "no colour without a terminal");
}

#[test]
fn json_shows_all_lines_of_the_text_and_the_machine_before_and_after() {
    let bench = Bench::filled("show-json");
    let text = bench.answer(&["show", "encode"]);
    let json = &bench.json(&["show", "encode", "--format", "json"])[0];
    let lines = json["lines"].as_object().unwrap();
    for (name, words) in lines {
        let shown = format!("  {name:<9} {}", words.as_str().unwrap());
        assert!(text.contains(&shown), "{shown} is not in {text}");
    }
    // Name and headline stand above.
    assert_eq!(lines.len() + 2, text.lines().count(), "{text}{json}");
    let machine = &json["environment"];
    let of = |key: &str| [&machine["before"][key], &machine["after"][key]];
    assert_eq!(of("temperature_milli_c"), [61_250, 63_001]);
    assert!(of("effective_khz").iter().all(|khz| khz.is_u64()), "{machine}");
    assert!(of("load_milli").iter().all(|load| load.is_u64()), "{machine}");
    assert_eq!(machine["tags"], json["tags"]);
}

#[test]
fn unchanged_machine_code_has_a_next_step_only_where_something_else_changed() {
    for (name, estimate, is_advised) in [("slower", 1.25, true), ("equal", 1.01, false)] {
        let bench = Bench::new(&format!("same-code-{name}"));
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.reason, evidence.paired_result) = (Reason::SameCode, None);
        evidence.degradation = Some(Interval { estimate, lower: 0.98, upper: 1.3 });
        bench.append(&run);
        let text = bench.answer(&["show", "encode"]);
        let advice = "look at what else changed: input files, environment, other programs";
        assert_eq!(text.contains(advice), is_advised, "{text}");
    }
}

#[test]
fn every_kind_of_verdict_is_printed_with_what_to_do_next() {
    for (reason, part) in [
        (Reason::Improved, "follows by itself"),
        (Reason::Unaccepted, "accept codec::frame::encode --max-ratio 1.05 --reason"),
        (Reason::Unclear, "about 240 measurements"),
        (Reason::Unstable, "settled by 1.1x less noise between runs"),
        (Reason::NoBaseline, "until the baseline has what it needs"),
        (Reason::NotAlone, "--test-threads=1"),
        (Reason::Untrusted, "follow the warning"),
        (Reason::MachineSlower, "a level of its own if it lasts"),
    ] {
        let bench = Bench::new(&format!("next-{}", reason.name()));
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        (evidence.reason, evidence.paired_result) = (reason, None);
        bench.append(&run);
        let text = bench.answer(&["show", "encode"]);
        assert!(text.contains(part), "{text}");
        let json = bench.json(&["show", "encode", "--format", "json"]);
        assert_eq!(json[0]["verdict"], reason.name());
    }
}

#[test]
fn a_test_that_has_not_run_for_long_stays_listed_and_is_named_below_the_list() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let bench = Bench::filled("idle");
    assert!(!bench.answer(&["history"]).contains("no run in"));
    let benchmark = BenchmarkId::from_recorded("codec::frame::decode");
    let started_ms = example_run(0).started_ms + 40 * DAY_MS;
    bench.append(&Run { benchmark, started_ms, ..example_run(40) });
    let history = bench.answer(&["history"]);
    line_with(&history, "codec::frame::encode  ");
    let names = "perhaps deleted or renamed: codec::frame::encode, codec::index::insert\n";
    assert!(history.ends_with(names), "{history}");
}

#[test]
fn an_unknown_value_is_null_in_the_keys_of_the_tool_and_left_out_of_those_of_a_verdict() {
    let bench = Bench::new("unknown-values");
    let mut run = example_run(0);
    run.evidence.as_mut().unwrap().limit = None;
    bench.append(&run);
    let run = &bench.json(&["history", "encode", "--json"])[0];
    assert_eq!(run.get("formerly"), Some(&Value::Null), "{run}");
    assert!(run["verdict"].is_string() && run.get("limit").is_none(), "{run}");
}

#[test]
fn an_empty_store_is_answered_kindly() {
    let bench = Bench::new("empty");
    let advice = "nothing is recorded for project yet: mark a function with #[perf_test], run `cargo test --release`, then";
    assert!(bench.answer(&["history"]).contains(advice));
    let elsewhere = bench.answer(&["--store", "/no/such/place", "history"]);
    assert!(elsewhere.contains("looked in /no/such/place, and there is no such"), "{elsewhere}");
    assert_eq!(bench.answer(&["history", "--format", "json"]), "");
    assert!(bench.answer(&["accept", "--list"]).contains("nothing is accepted"));
    let (code, text) = bench.refusal(&["show", "x"]);
    assert_eq!(code, 2);
    assert!(text.contains("cargo test"), "{text}");
}

#[test]
fn a_store_that_is_off_or_read_only_is_respected() {
    let bench = Bench::filled("switched");
    let run = |value: &str, args: &[&str]| {
        let home = bench.root.join("home");
        let mut command = bench.command();
        command.args(args).env("PERFTEST_STORE", value).env("HOME", &home);
        Outcome::of(command.env("XDG_STATE_HOME", &home).env("XDG_DATA_HOME", &home))
    };
    run("off", &["history"]).ended_with(2).warns(&["--store"]);
    run("read-only", &["history"]).ended_with(0);
    assert!(!bench.root.join("home").exists());
    let store = bench.root.join("store");
    // The command line counts more.
    run("off", &["--store", store.to_str().unwrap(), "history"]).ended_with(0);
}

#[test]
fn the_store_and_the_testbed_that_cargo_gives_to_tests_are_those_of_the_tool() {
    let bench = Bench::filled("configured");
    let cargo = bench.root.join("project/.cargo");
    std::fs::create_dir_all(&cargo).unwrap();
    let store = "PERFTEST_STORE = { value = '../store', relative = true }";
    let config = format!("[env]\n{store}\nPERFTEST_TESTBED = 'bench-room'\n");
    std::fs::write(cargo.join("config.toml"), config).unwrap();
    let run = |args: &[&str]| {
        let home = bench.root.join("home");
        let mut command = bench.command();
        command.env_remove("PERFTEST_STORE").env("HOME", &home);
        command.env("XDG_STATE_HOME", &home).env("XDG_DATA_HOME", &home);
        Outcome::of(command.args(args)).ended_with(0)
    };
    run(&["history", "encode"]).prints(&["encode"]);
    run(&["machine", "--json"]).prints(&["bench-room/"]);
}

#[test]
fn damage_is_a_warning_and_never_part_of_the_answer() {
    let bench = Bench::filled("damage");
    let mut path = bench.root.join("store/v1");
    while path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.retain(|entry| !entry.ends_with("project.json"));
        entries.sort();
        path = entries.pop().unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}garbage\n")).unwrap();
    let answered = bench.run(&["history", "--format", "json"]).ended_with(0);
    assert_eq!(answered.warns(&["warning: skipped a damaged line"]).json().len(), 3);

    fs::write(&path, "{\"v\":200}\n").unwrap();
    bench.run(&["history"]).ended_with(5).warns(&["start a new store: PERFTEST_STORE="]);
}

#[test]
fn help_has_examples_on_every_command() {
    let bench = Bench::new("help");
    let commands = [
        "history",
        "show",
        "accept",
        "check",
        "power",
        "drift",
        "changepoints",
        "rank",
        "import",
        "merge",
        "testbeds",
        "gc",
        "doctor",
        "machine",
    ];
    for command in ["--help"].iter().chain(&commands) {
        let text = bench.answer(&[command, "--help"]);
        assert!(text.contains("Examples:\n  cargo perftest"), "{text}");
    }
    let script = bench.answer(&["completions", "bash"]);
    for command in commands {
        assert!(script.contains(&format!("cargo_perftest,{command})")), "{command}");
    }
    assert_eq!(bench.refusal(&["frobnicate"]).0, 2);
}

#[test]
fn a_red_that_did_not_repeat_is_counted_as_a_false_alarm() {
    let bench = Bench::filled("errors");
    assert!(bench.answer(&["history", "--errors"]).contains("all together"));
    let together = || {
        let lines = bench.json(&["history", "--errors", "--json"]);
        let last = lines.last().unwrap();
        (last["reds"].as_u64().unwrap(), last["not_repeated"].as_u64().unwrap())
    };
    assert_eq!(together(), (1, 0));
    bench.append(&example_run(30));
    assert_eq!(together(), (1, 1));
}

#[test]
fn odd_histories_are_shown_like_any_other() {
    let bench = Bench::new("odd");
    let of = |test: &str, number: u64, values_ns: &[f64]| Run {
        benchmark: BenchmarkId::from_recorded(format!("codec::{test}")),
        started_ms: 1_767_225_600_000 - 60_000 * number,
        ..measured(number, values_ns.iter().map(|value| Measurement::of_value(*value)).collect())
    };
    bench.append(&of("single", 0, &[57.0]));
    for number in 0..6 {
        bench.append(&of("constant", number, &[57.0; 3]));
        bench.append(&of("zero", number, &[0.0; 3]));
        bench.append(&of("huge", number, &[if number == 2 { 1e300 } else { 57.0 }; 3]));
        bench.append(&of("nothing", number, &[]));
    }
    let table = bench.answer(&["history"]);
    for test in ["single", "constant", "zero", "huge", "nothing"] {
        assert!(table.contains(&format!("codec::{test} ")), "{table}");
        assert_eq!(
            bench.json(&["history", test, "--format", "json"]).len(),
            if test == "single" { 1 } else { 6 }
        );
        bench.answer(&["show", test]);
    }
}

#[test]
fn runs_in_another_unit_are_not_among_those_of_a_test() {
    let bench = Bench::new("unit");
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    bench.append(&Run { metric: in_us, ..example_run(0) });
    bench.append(&example_run(1));
    bench.append(&example_run(2));
    assert_eq!(bench.json(&["history", "encode", "--format", "json"]).len(), 2);
}
