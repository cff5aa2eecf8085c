//! `changepoints`: over written histories.

use crate::bench::{Bench, line_with};
use crate::past::{FIRST_COMMIT_S, about, commit, run};
use perftest_core::model::{Direction, Measurement, Metric, Revision, Run, Tag};
use perftest_tests::Outcome;
use serde_json::Value;
use std::fs;

/// With `encode`, which becomes slower by a fifth with its 41st run of 70.
fn slower(name: &str) -> Bench {
    let bench = Bench::new(name);
    bench.add("encode", 70, |nth| if nth < 40 { 1_000.0 } else { 1_200.0 });
    bench
}

fn of_event(bench: &Bench, event: &str, args: &[&str]) -> Vec<Value> {
    let mut lines = bench.json(&[&["changepoints", "--json"], args].concat());
    lines.retain(|line| line["event"] == event);
    lines
}

fn changes(bench: &Bench, args: &[&str]) -> Vec<Value> {
    of_event(bench, "change", args)
}

fn texts<'a>(lines: &'a [Value], key: &str) -> Vec<&'a str> {
    lines.iter().map(|line| line[key].as_str().unwrap()).collect()
}

#[test]
fn a_lasting_change_is_reported_with_its_commits_and_sizes() {
    let bench = slower("changes");
    let text = bench.answer(&["changepoints"]);
    let line = line_with(&text, "codec::encode");
    for part in [
        "local/7f3a2b",
        "2026-01-01 00:40",
        "999.9 ns",
        "1.200 us",
        "1.20x",
        "slower",
        "000000039..000000040",
    ] {
        assert!(line.contains(part), "{part} in {text}");
    }
    assert!(text.contains("1 lasting change in 1 history"), "{text}");
    let one = bench.answer(&["changepoints", "encode", "--ascii"]);
    assert!(one.starts_with("codec::encode on local/7f3a2b: 70 runs"), "{one}");
    let picture: Vec<&str> = one.lines().skip(1).take(2).collect();
    assert_eq!(picture[0].find('#'), picture[1].find('^'), "{one}");
    assert!(one.is_ascii());
}

#[test]
fn an_answer_for_programs_has_every_change_and_every_history() {
    let bench = slower("changes-json");
    let change = &changes(&bench, &[])[0];
    assert_eq!(change["benchmark"], "codec::encode");
    assert_eq!((&change["runs_before"], &change["runs_after"]), (&40.into(), &30.into()));
    assert_eq!(
        (&change["after_commit"], &change["upto_commit"]),
        (&commit(39).into(), &commit(40).into())
    );
    assert_eq!(change["suspects"], "000000039..000000040");
    assert_eq!((&change["effect"], &change["not_the_code"]), (&"degradation".into(), &Value::Null));
    let number = |key: &str| change[key].as_f64().unwrap();
    assert!(number("ratio_lower") > 1.19 && number("ratio_upper") < 1.21);
    assert_eq!(number("key"), number("ratio_lower"));
    assert_eq!(number("at_ms") - number("last_before_ms"), 60_000.0);
    let history = &of_event(&bench, "searched", &[])[0];
    assert_eq!((&history["runs"], &history["judged"]), (&70.into(), &true.into()));
    assert_eq!((&history["changes"], &history["detector"]), (&1.into(), &"settled".into()));
}

#[test]
fn the_most_significant_change_comes_first_and_effects_can_be_chosen() {
    let bench = slower("changes-order");
    bench.add("decode", 70, |nth| if nth < 30 { 1_000.0 } else { 500.0 });
    bench.add("index", 70, |nth| if nth < 50 { 1_000.0 } else { 1_500.0 });
    bench.add("steady", 70, |_| 1_000.0);
    let tests = |args: &[&str]| {
        let found = changes(&bench, args);
        texts(&found, "benchmark")
            .iter()
            .map(|name| name.replace("codec::", ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(tests(&[]), ["decode", "index", "encode"]);
    assert_eq!(tests(&["--degradations"]), ["index", "encode"]);
    assert_eq!(tests(&["--improvements"]), ["decode"]);
    assert_eq!(tests(&["--top", "2"]), ["decode", "index"]);
    let text = bench.answer(&["changepoints", "--top", "1"]);
    assert!(
        text.contains("3 lasting changes in 4 histories") && text.contains("and 2 more"),
        "{text}"
    );
    let steady = bench.answer(&["changepoints", "steady"]);
    assert!(steady.contains("no lasting change in 1 history"), "{steady}");
    let better = bench.answer(&["changepoints", "encode", "--improvements"]);
    let words = "no lasting improvement in 1 history, 1 of the other kind";
    assert!(better.contains(words), "{better}");
}

#[test]
fn what_went_away_is_kept_apart() {
    let bench = Bench::new("changes-temporary");
    bench.add("encode", 70, |nth| if (30..38).contains(&nth) { 1_500.0 } else { 1_000.0 });
    assert!(changes(&bench, &[]).is_empty());
    let meanwhile = &of_event(&bench, "temporary_change", &[])[0];
    assert_eq!(meanwhile["runs"], 8);
    assert!(bench.answer(&["changepoints"]).contains("1 temporary change: --temporary lists"));
    let text = bench.answer(&["changepoints", "encode", "--temporary", "--ascii"]);
    let line = text.lines().last().unwrap();
    for part in ["2026-01-01 00:30", "2026-01-01 00:37", " 8 ", "1.000 us", "1.500 us"] {
        assert!(line.contains(part), "{part} in {text}");
    }
    assert!(text.lines().nth(2).unwrap().contains("~~~"), "{text}");
}

#[test]
fn the_same_code_on_both_sides_is_not_to_blame() {
    let of_commits = |name: &str, edit: fn(u64, &mut Run)| {
        let bench = Bench::new(name);
        for nth in 0..60 {
            let level = if nth < 30 { 1_000.0 } else { 1_300.0 };
            let mut run = run("encode", nth, about(level, nth));
            edit(nth, &mut run);
            bench.append(&run);
        }
        bench.answer(&["changepoints"])
    };
    let text = of_commits("changes-commit", |_, run| {
        run.revision.commit = commit(1);
        run.revision.order = FIRST_COMMIT_S;
    });
    assert!(text.contains("the same commit on both sides: not the code"), "{text}");
    let text = of_commits("changes-text", |_, run| run.code.text = "5555".into());
    assert!(text.contains("the same machine code on both sides: not the code"), "{text}");
    let text = of_commits("changes-context", |nth, run| {
        run.context = if nth < 30 { "00112233445566ff" } else { "ff112233445566ff" }.into();
    });
    assert!(text.contains("000000029..000000030; other toolchain or system"), "{text}");
    let text = of_commits("changes-unknown", |_, run| run.revision.commit.clear());
    assert!(line_with(&text, "codec::encode").ends_with('?'), "{text}");
}

#[test]
fn several_runs_of_a_commit_all_count_and_an_old_commit_is_where_it_belongs() {
    let bench = Bench::new("changes-again");
    let of_commit = |ordinal: u64, nth: u64| {
        let level = if nth < 10 { 1_000.0 } else { 1_300.0 };
        let mut run = run("encode", ordinal, about(level, ordinal));
        run.revision.commit = commit(nth);
        run.revision.order = FIRST_COMMIT_S + 60 * nth;
        bench.append(&run);
    };
    (0..60).for_each(|ordinal| of_commit(ordinal, ordinal / 3));
    // Later an old commit is measured again.
    (60..75).for_each(|ordinal| of_commit(ordinal, 4));
    let found = changes(&bench, &[]);
    assert_eq!(texts(&found, "suspects"), ["000000009..000000010"]);
    assert_eq!((&found[0]["runs_before"], &found[0]["runs_after"]), (&45.into(), &30.into()));
}

#[test]
fn configurations_and_units_are_never_mixed() {
    let bench = Bench::new("changes-configs");
    for nth in 0..80 {
        // Every other run is one of a debug build.
        let (level, config) = if nth % 2 == 0 { (1_000.0, "fast") } else { (9_000.0, "slow") };
        bench.append(&Run { config: config.into(), ..run("encode", nth, about(level, nth)) });
    }
    for nth in 80..90 {
        bench.append(&Run { config: "third".into(), ..run("encode", nth, 50.0) });
    }
    bench.append(&Run { config: "slow".into(), ..run("encode", 90, 9_000.0) });
    assert!(changes(&bench, &[]).is_empty());
    let searched = of_event(&bench, "searched", &[]);
    assert_eq!(texts(&searched, "config"), ["slow", "fast"]);
    assert_eq!(searched[0]["left_out"]["other_configurations"], 10);
    let text = bench.answer(&["changepoints", "encode"]);
    assert!(
        text.contains("40 runs, 2026-01-01 00:00 to 2026-01-01 01:18, in an earlier configuration"),
        "{text}"
    );

    let units = Bench::new("changes-units");
    for nth in 0..60 {
        let (unit, value) = if nth < 30 { ("ms", 1.0) } else { ("us", 1_000.0) };
        let metric = Metric { unit: unit.into(), ..Metric::wall() };
        units.append(&Run { metric, ..run("encode", nth, about(value, nth)) });
    }
    assert!(changes(&units, &[]).is_empty());
    assert_eq!(of_event(&units, "searched", &[])[0]["runs"], 30);
}

#[test]
fn the_default_branch_counts_where_it_has_enough_runs() {
    let bench = slower("changes-branch");
    for nth in 70..100 {
        let mut topic = run("encode", nth, about(3_000.0, nth));
        topic.revision.branch = "topic".into();
        bench.append(&topic);
    }
    let report = |args: &[&str]| {
        let mut command = bench.command();
        command.env("PERFTEST_DEFAULT_BRANCH", "main").arg("changepoints").args(args);
        Outcome::of(&mut command).stdout
    };
    let text = report(&["encode"]);
    assert!(text.contains("70 runs of main") && text.contains("1 lasting change"), "{text}");
    assert!(text.contains("note: 30 runs left out, of other branches"), "{text}");
    assert!(report(&["encode", "--branch", "*"]).contains("2 lasting changes"));
    assert!(report(&["encode", "--branch", "topic"]).contains("30 runs of topic"));
    for (unknown, message) in [
        (["--branch", "gone"], "no run of branch `gone` counts here: --branch '*'"),
        (["--since", "deadbeef"], "git finds no commit `deadbeef` here, and no run of it"),
    ] {
        for command in ["changepoints", "rank"] {
            let refused = bench.run(&[&[command, "encode"], &unknown[..]].concat());
            refused.ended_with(2).warns(&[message]);
        }
    }
    let mut few = bench.command();
    few.env("PERFTEST_DEFAULT_BRANCH", "trunk").args(["changepoints", "encode"]);
    let notes = [": 100 runs, ", "note: 1 history with too few runs of trunk to judge"];
    Outcome::of(&mut few).prints(&notes);
}

#[test]
fn a_commit_that_another_branch_has_is_recorded_and_the_branch_has_no_run_since_it() {
    let bench = slower("changes-elsewhere");
    let mut topic = run("encode", 80, 1_000.0);
    topic.revision.branch = "topic".into();
    bench.append(&topic);
    let since = commit(80);
    let message = format!("no run of branch `main` since {since} counts here: --branch '*'");
    for command in ["changepoints", "rank"] {
        let (code, err) = bench.refusal(&[command, "--branch", "main", "--since", &since]);
        assert!(code == 2 && err.contains(&message), "{err}");
    }
}

#[test]
fn values_in_ticks_of_a_coarse_clock_are_noted() {
    let bench = slower("changes-ticks");
    let ticks = |nth: u64| [3e9, 4e9][(nth * nth % 7 % 2) as usize];
    (0..70).for_each(|nth| bench.append(&run("decode", nth, ticks(nth))));
    let note =
        "note: codec::decode: values come in ticks of 1.000 s: smaller changes may be missed";
    let text = bench.answer(&["changepoints"]);
    assert!(text.contains(note) && text.matches("ticks").count() == 1, "{text}");
    let searched = of_event(&bench, "searched", &[]);
    assert_eq!(searched[0]["tick"], 1e9, "{searched:?}");
}

#[test]
fn what_was_measured_because_a_run_was_slow_does_not_count() {
    let bench = slower("changes-retries");
    for nth in 70..90 {
        let slow = run("encode", nth, about(9_000.0, nth));
        match nth % 3 {
            0 => bench.append(&Run { flags: vec!["confirm".into()], ..slow }),
            1 => bench.append(&Run { attempt: 2, ..slow }),
            _ => {
                let mut unfit = slow;
                unfit.environment.distrust(Tag::Throttled);
                bench.append(&unfit);
            }
        }
    }
    assert_eq!(changes(&bench, &[]).len(), 1);
    let searched = &of_event(&bench, "searched", &[])[0];
    assert_eq!((&searched["runs"], &searched["left_out"]["unfit"]), (&70.into(), &7.into()));
    let text = bench.answer(&["changepoints", "encode"]);
    assert!(text.contains("note: 7 runs left out, taken while the machine was unfit"), "{text}");
    assert!(text.contains("note: 7 runs left out, retries of an earlier run"), "{text}");
}

#[test]
fn the_fresh_processes_of_a_first_run_are_no_values_of_their_own() {
    let bench = Bench::new("changes-fresh");
    for nth in 0..4 {
        let flags = vec![Run::PROVISIONAL.to_owned()];
        bench.append(&Run { flags, ..run("young", nth, 57.0) });
    }
    (4..7).for_each(|nth| bench.append(&run("young", nth, 57.0)));
    assert_eq!(bench.json(&["history", "--json"])[0]["runs"], 3);
    let text = bench.answer(&["changepoints", "young"]);
    assert!(text.starts_with("codec::young on local/7f3a2b: 3 runs, "), "{text}");
    assert!(text.contains("note: too few runs to judge: codec::young (3 of 20)"), "{text}");
}

#[test]
fn a_time_or_a_commit_sets_where_to_begin_and_end() {
    let bench = slower("changes-window");
    let runs = |args: &[&str]| of_event(&bench, "searched", args)[0]["runs"].as_u64().unwrap();
    assert_eq!(runs(&["--since", "2026-01-01"]), 70);
    assert_eq!(runs(&["--since", "2026-01-02"]), 0);
    assert_eq!(runs(&["--until", "2026-01-01"]), 70);
    assert_eq!(runs(&["--until", "2025-12-31"]), 0);
    assert_eq!(runs(&["--since", "2026-01-01T00:10:00Z", "--until", "2026-01-01T00:19:00Z"]), 10);
    assert_eq!(runs(&["--since", &commit(50)[..12]]), 20);
    assert_eq!(runs(&["--until", &commit(50)]), 51);
    assert_eq!(runs(&["--limit", "33"]), 33);
    assert_eq!(runs(&["--limit", "5", "--until", &commit(9)]), 5);
    assert!(changes(&bench, &["--until", &commit(39)]).is_empty());
    let (code, text) = bench.refusal(&["changepoints", "--since", "yesterday"]);
    assert!(code == 2 && text.contains("2026-11-01") && text.contains("30d"), "{text}");
}

#[test]
fn a_tag_is_a_commit_that_git_knows() {
    let bench = Bench::new("changes-tag");
    let date = format!("{} +0000", FIRST_COMMIT_S + 60 * 40);
    let git = |args: &[&str]| bench.git_at(Some(&date), args);
    git(&["init", "--quiet", "--initial-branch", "main"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
    git(&["tag", "v1.2.0"]);
    bench.add("encode", 70, |nth| if nth < 40 { 1_000.0 } else { 1_200.0 });
    let searched = &of_event(&bench, "searched", &["--since", "v1.2.0"])[0];
    assert_eq!((&searched["runs"], &searched["branch"]), (&30.into(), &"main".into()));
}

#[test]
fn metrics_and_testbeds_can_be_chosen() {
    let bench = Bench::new("changes-metric");
    for nth in 0..60 {
        bench.append(&run("encode", nth, about(1_000.0, nth)));
        let allocations = if nth < 30 { 0.0 } else { 3.0 };
        let metric = Metric::allocations();
        bench.append(&Run { metric, ..run("encode", nth, allocations) });
        let metric = Metric { direction: Direction::Higher, ..Metric::wall() };
        let (testbed, metric) = ("ci/1234".into(), Metric { name: "rate".into(), ..metric });
        let rate = if nth < 30 { 100.0 } else { 80.0 };
        bench.append(&Run { testbed, metric, ..run("encode", nth, about(rate, nth)) });
    }
    let found = changes(&bench, &["--metric", "allocs"]);
    assert_eq!(
        (&found[0]["key"], &found[0]["effect"]),
        (&"Infinity".into(), &"degradation".into())
    );
    let found = changes(&bench, &["--testbed", "ci"]);
    assert_eq!(texts(&found, "metric"), ["rate"]);
    assert_eq!(found[0]["effect"], "degradation");
    let (code, text) = bench.refusal(&["changepoints", "--metric", "wal"]);
    assert!(code == 2 && text.contains("there are allocs, rate, wall"), "{text}");
}

#[test]
fn other_detectors_and_their_settings_can_be_asked() {
    let bench = slower("changes-detectors");
    for detector in ["levels", "ed-pelt", "rqq-pelt", "jetpack", "skia"] {
        let found = changes(&bench, &["--detector", detector]);
        assert_eq!(texts(&found, "suspects"), ["000000039..000000040"], "{detector}");
    }
    let deaf = ["--detector", "jetpack", "--set", "threshold=1e9"];
    assert!(changes(&bench, &deaf).is_empty());
    let (code, text) = bench.refusal(&["changepoints", "--set", "width=3"]);
    assert!(code == 2 && text.contains("settled has no settings"), "{text}");
}

#[test]
fn few_odd_and_no_runs_have_an_answer() {
    let empty = Bench::new("changes-empty");
    assert!(empty.answer(&["changepoints"]).contains("nothing is recorded for project yet"));
    assert_eq!(empty.answer(&["changepoints", "--json"]), "");
    assert_eq!(empty.refusal(&["changepoints", "encode"]).0, 2);

    let bench = Bench::new("changes-odd");
    bench.append(&run("single", 0, 57.0));
    bench.append(&Run { measurements: Vec::new(), ..run("nothing", 0, 57.0) });
    for nth in 0..40 {
        bench.append(&run("constant", nth, 57.0));
        bench.append(&run("zero", nth, 0.0));
        bench.append(&run("huge", nth, if nth == 20 { 1e300 } else { 57.0 }));
        let tiny = vec![Measurement::of_value(1e-300); 3];
        bench.append(&Run { measurements: tiny, ..run("tiny", nth, 0.0) });
    }
    assert!(changes(&bench, &[]).is_empty());
    let text = bench.answer(&["changepoints"]);
    assert!(text.contains("no lasting change in 4 histories"), "{text}");
    let note = "note: too few runs to judge: codec::nothing (0 of 20), codec::single (1 of 20)";
    assert!(text.contains(note), "{text}");
    for test in ["single", "nothing", "constant", "zero", "huge", "tiny"] {
        bench.answer(&["changepoints", test]);
    }
    for (detector, needed) in [("ed-pelt", 40), ("rqq-pelt", 40), ("jetpack", 10), ("skia", 16)] {
        let text = bench.answer(&["changepoints", "--detector", detector]);
        let note = format!(
            "note: too few runs to judge: codec::nothing (0 of {needed}), codec::single (1 of {needed})"
        );
        assert!(text.contains(&note), "{detector}: {text}");
        let searched = of_event(&bench, "searched", &["single", "--detector", detector]);
        assert_eq!(searched[0]["judged"], false, "{detector}");
        let wrong = ["changepoints", "single", "--detector", detector, "--set", "place=1"];
        assert!(bench.refusal(&wrong).1.contains("has no setting place"), "{detector}");
    }
}

#[test]
fn a_load_of_the_weekend_is_no_change_and_a_real_one_beside_it_is_found() {
    const DAY_MS: u64 = 86_400_000;
    const MONDAY_MS: u64 = 1_767_571_200_000;
    let bench = Bench::new("changes-weekend");
    for day in 0..120 {
        let load = if day % 7 >= 5 { 1.3 } else { 1.0 };
        let level = if day < 63 { 1_000.0 } else { 1_080.0 };
        let started_ms = MONDAY_MS + day * DAY_MS;
        for test in ["steady", "slower"] {
            let level = if test == "steady" { 1_000.0 } else { level };
            bench.append(&Run { started_ms, ..run(test, day, about(load * level, day)) });
        }
    }
    let found = changes(&bench, &[]);
    assert_eq!(texts(&found, "benchmark"), ["codec::slower"]);
    assert_eq!(texts(&found, "suspects"), ["000000062..000000063"]);
    let text = bench.answer(&["changepoints", "steady"]);
    assert!(
        text.contains(
            "note: codec::steady: a weekly pattern of +30% (Saturday, Sunday) was removed"
        ),
        "{text}"
    );
    let ranking = bench.answer(&["rank", "--by", "modality"]);
    assert!(ranking.contains("note: codec::slower: a weekly pattern of"), "{ranking}");
    let searched = of_event(&bench, "searched", &["steady"]);
    assert_eq!(searched[0]["season"]["removed"][0]["period"], "weekly");
    let off = of_event(&bench, "searched", &["steady", "--season", "off"]);
    assert!(off[0]["season"].is_null());
    let text = bench.answer(&["changepoints", "steady", "--season", "weekly", "--limit", "15"]);
    assert!(text.contains("note: codec::steady: no pattern was removed: "), "{text}");
}

#[test]
fn the_page_shows_what_such_a_history_gives() {
    let bench = Bench::new("changes-page");
    let bump = |nth: u64| if (14..22).contains(&nth) { 1.35 } else { 1.0 };
    bench.add("encode", 90, |nth| bump(nth) * if nth < 52 { 71_230.0 } else { 83_400.0 });
    bench.add("decode", 90, |nth| if nth < 30 { 40_100.0 } else { 31_800.0 });
    bench.add("parse", 90, |_| 912_000.0);
    bench.add("index::insert", 12, |_| 1_500.0);
    let page = include_str!("../../../docs/reference/change-points.md");
    bench.answers_as(page, ["changepoints", "changepoints encode --temporary"]);
}

#[test]
fn runs_in_an_earlier_unit_are_another_history_and_counted() {
    let bench = slower("changes-unit");
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    for nth in 70..95 {
        bench.append(&Run { metric: in_us.clone(), ..run("encode", nth, 1.0) });
    }
    let note = "note: codec::encode, wall: 70 runs in ns are another history";
    for command in ["changepoints", "rank"] {
        let text = bench.answer(&[command]);
        assert!(text.contains(note), "{note} in {text}");
        let lines = bench.json(&[command, "--json"]);
        assert_eq!(lines.last().unwrap()["left_out"]["other_units"], 70, "{command}");
    }

    // Two stretches of one history, and two histories beside it.
    bench.append(&Run {
        metric: Metric { unit: "ms".into(), ..Metric::wall() },
        ..run("encode", 95, 1.0)
    });
    for nth in 96..120 {
        let metric = in_us.clone();
        bench.append(&Run { metric, config: "other".into(), ..run("encode", nth, 1.0) });
    }
    let text = bench.answer(&["changepoints"]);
    assert!(text.contains("in 2 histories"), "{text}");
    for note in [note, "note: codec::encode, wall: 1 run in ms is another history"] {
        assert_eq!(text.matches(note).count(), 1, "{note} in {text}");
    }
}

#[test]
fn runs_with_the_other_direction_are_reported_by_it_and_not_by_their_unit() {
    let bench = slower("changes-direction");
    let turned = Metric { direction: Direction::Higher, ..Metric::wall() };
    for nth in 70..95 {
        bench.append(&Run { metric: turned.clone(), ..run("encode", nth, 1_000.0) });
    }
    let note = "note: codec::encode, wall: 70 runs where lower is better are another history";
    for command in ["changepoints", "rank"] {
        let text = bench.answer(&[command]);
        assert!(text.contains(note), "{note} in {text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_behind_the_answer_about_the_others() {
    let bench = slower("changes-broken");
    bench.add("decode", 30, |_| 500.0);
    fs::write(bench.history_file("codec-decode"), "name,value\n").unwrap();
    for command in ["changepoints", "rank"] {
        let answered = bench.run(&[command]).ended_with(5);
        answered.prints(&["codec::encode"]).warns(&["codec-decode"]);
        assert!(bench.answer(&[command, "encode"]).contains("codec::encode"));
        let (code, err) = bench.refusal(&[command, "decode"]);
        assert!(code == 5 && err.contains("codec-decode"), "{err}");
        // The unreadable file may contain the unknown name.
        for (unknown, message) in [
            (["--branch", "gone"], "no run of branch `gone` counts here"),
            (["--since", "deadbeef"], "git finds no commit `deadbeef`"),
            (["--metric", "wal"], "no history is of that metric"),
        ] {
            let (code, err) = bench.refusal(&[&[command], &unknown[..]].concat());
            assert!(code == 5 && err.contains(message) && err.contains("codec-decode"), "{err}");
        }
    }
}

#[test]
fn a_beginning_behind_the_end_is_an_error_and_the_same_day_is_a_day() {
    let bench = slower("changes-turned");
    for command in ["changepoints", "rank"] {
        let turned = [command, "--since", "2026-01-02", "--until", "2026-01-01"];
        let (code, err) = bench.refusal(&turned);
        assert!(
            code == 2
                && err.contains("--since 2026-01-02 does not begin before --until 2026-01-01 ends"),
            "{err}"
        );
        bench.answer(&[command, "--since", "2026-01-01", "--until", "2026-01-01"]);
    }
}

#[test]
fn bisect_without_a_commit_searches_the_suspects_of_the_history() {
    let bench = Bench::new("changes-bisect");
    bench.git(&["init", "--quiet", "--initial-branch", "main"]);
    bench.add("decode", 70, |_| 1_000.0);
    let (code, report) = bench.refusal(&["bisect", "decode"]);
    assert!(code == 2 && report.contains("has no lasting change for the worse"), "{report}");
    bench.add("encode", 70, |nth| if nth < 40 { 1_000.0 } else { 1_200.0 });
    // The commits of the history are not those of this repository.
    let (code, report) = bench.refusal(&["bisect", "encode"]);
    let between = format!("between {} and {}", &commit(39)[..9], &commit(40)[..9]);
    assert!(code == 2 && report.contains(&between), "{report}");
    assert!(report.contains("has no commit of the level behind"), "{report}");
    // A later change of what bisect does not compare, and of a source without trust, is another question.
    for nth in 0..70 {
        let value_from = |slow, nth| about(if nth < slow { 1_000.0 } else { 1_200.0 }, nth);
        bench.append(&run("pack", nth, value_from(40, nth)));
        let later = run("pack", nth, value_from(50, nth));
        bench.append(&Run { metric: Metric::allocations(), ..later.clone() });
        bench.append(&Run { testbed: "show-only/ci/1234".into(), ..later });
    }
    let (_, report) = bench.refusal(&["bisect", "pack"]);
    assert!(report.contains(&between), "{report}");
    // A name that nothing recorded has is noted before anything is built.
    let (code, report) = bench.refusal(&["bisect", "encoed", "HEAD~1"]);
    let note = "note: no test has `encoed` in its name; near it:";
    assert!(code == 2 && report.starts_with(note) && report.contains("`HEAD~1`"), "{report}");
}

#[test]
fn bisect_begins_at_the_newest_good_commit_that_is_in_this_clone() {
    let bench = Bench::new("changes-bisect-clone");
    bench.git(&["init", "--quiet", "--initial-branch", "main"]);
    let [fast, slow, beside] = ["fast", "slow", "beside"].map(|message| {
        bench.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        bench.git(&["rev-parse", "HEAD"])
    });
    let of_commit = |test: &str, nth: u64, commit: &str| {
        let value = about(if nth < 40 { 1_000.0 } else { 1_200.0 }, nth);
        let run = run(test, nth, value);
        let revision = Revision { commit: commit.into(), ..run.revision.clone() };
        bench.append(&Run { revision, ..run });
    };
    for nth in 0..70 {
        // The last good commit is one that a colleague never pushed; before it there is one from beside the line.
        let commit_of_encode = match nth {
            0..=36 => fast.clone(),
            37 | 38 => beside.clone(),
            39 => commit(39),
            _ => slow.clone(),
        };
        of_commit("encode", nth, &commit_of_encode);
        of_commit("decode", nth, if nth < 40 { &beside } else { &slow });
    }
    let (code, report) = bench.refusal(&["bisect", "encode"]);
    let note = format!("{} takes its place", &fast[..9]);
    assert!(code == 2 && report.contains(&note), "{report}");
    assert!(report.contains(&format!("building the bad commit: {slow}")), "{report}");
    let (code, report) = bench.refusal(&["bisect", "decode"]);
    let why = "no commit of the level before that is an ancestor of the slow one";
    assert!(code == 2 && report.contains(why), "{report}");
    // A hash is no branch of a server.
    let (_, report) = bench.refusal(&["bisect", "encode", &commit(39)]);
    assert!(report.contains("there is no commit `") && !report.contains("origin/"), "{report}");
}
