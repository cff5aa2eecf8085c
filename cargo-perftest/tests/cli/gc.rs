//! `cargo perftest gc`: a smaller store with the same answers.

use crate::bench::{Bench, line_with, measured};
use perftest_core::model::{Measurement, Run};
use perftest_tests::Outcome;
use std::fs;
use std::process::Stdio;
use std::time::Instant;

/// Five runs of each commit, faster by a third from run 300 on. Those from 10 to 300 do not count for the baseline.
fn run(ordinal: u64) -> Run {
    let value = if ordinal < 300 { 150.0 } else { 100.0 } + (ordinal % 3) as f64;
    let mut run = measured(ordinal, vec![Measurement::of_value(value); 4]);
    run.revision.commit = format!("{:040x}", ordinal / 5);
    run.revision.dirty = false;
    run.counts_for_baseline = !(10..300).contains(&ordinal);
    run
}

/// Appends runs without waiting for the disk after each.
fn fill(bench: &Bench, ordinals: std::ops::Range<u64>) {
    let one = Bench::new(&format!("{}-one", bench.root.file_name().unwrap().to_string_lossy()));
    let mut text = String::new();
    for ordinal in ordinals {
        one.append(&run(ordinal));
        let file = one.history_file("codec-frame-encode");
        text.push_str(&fs::read_to_string(&file).unwrap());
        fs::remove_file(file).unwrap();
    }
    bench.append(&run(0));
    let file = bench.history_file("codec-frame-encode");
    fs::write(file, text).unwrap();
}

fn long(name: &str) -> Bench {
    let bench = Bench::new(name);
    fill(&bench, 0..700);
    bench
}

fn history(bench: &Bench) -> Vec<u8> {
    fs::read(bench.history_file("codec-frame-encode")).unwrap()
}

#[test]
fn the_plan_is_printed_and_nothing_is_changed_until_it_is_done() {
    let bench = long("gc-plan");
    let before = history(&bench);
    let plan = bench.answer(&["gc", "--dry-run"]);
    for part in [
        "290 of 700 runs in 1 history would become 58 summaries: ",
        "kept: 400 among the newest, 10 for baselines\n",
        "nothing was changed (--dry-run)\n",
    ] {
        assert!(plan.contains(part), "{part} in {plan}");
    }
    assert!(line_with(&plan, "codec::frame::encode").contains("700   410"), "{plan}");
    assert_eq!(history(&bench), before);
    let done = bench.json(&["gc", "--json"]);
    assert_eq!(
        (done.len(), &done[0]["event"], &done[1]["event"]),
        (2, &"gc_history".into(), &"gc".into())
    );
    assert_eq!((&done[1]["summarised"], &done[1]["kept_baseline"]), (&290.into(), &10.into()));
    assert_eq!(done[1]["bytes_after"], history(&bench).len());
    let after = history(&bench);
    assert!(bench.answer(&["gc"]).starts_with("nothing to do: 410 runs of 1 history"));
    assert_eq!(history(&bench), after);
}

#[test]
fn every_answer_about_tests_is_as_before_and_old_runs_are_points_with_a_mark() {
    let bench = long("gc-answers");
    let asked = [
        &["history"][..],
        &["show", "encode"],
        &["power"],
        &["drift", "--all"],
        &["rank", "--by", "dispersion"],
    ];
    let answers = || asked.map(|args| bench.run(args).stdout);
    let before = answers();
    let changed = |bench: &Bench| bench.json(&["changepoints", "encode", "--json"]);
    let of = |lines: &[serde_json::Value]| {
        let change = lines.iter().find(|line| line["event"] == "change").unwrap();
        ["before", "after", "commit"].map(|key| change[key].clone())
    };
    let change = of(&changed(&bench));
    bench.answer(&["gc"]);
    assert_eq!(answers(), before);
    // The change is among runs that are summaries now.
    assert_eq!(of(&changed(&bench)), change);
    let runs = bench.json(&["history", "encode", "--limit", "1000", "--json"]);
    let summaries: Vec<_> =
        runs.iter().filter(|run| run["marks"].to_string().contains("summary")).collect();
    assert_eq!((runs.len(), summaries.len()), (410 + 58, 58));
    assert!(summaries.iter().all(|run| run["counts_for_baseline"] == false));
    let table = bench.answer(&["history", "encode", "--limit", "1000"]);
    assert_eq!(table.lines().filter(|line| line.ends_with(" summary")).count(), 58, "{table}");
    let report = bench.root.join("report.html");
    bench.answer(&["report", "--out", report.to_str().unwrap()]);
    assert!(fs::metadata(report).unwrap().len() > 10_000);
}

#[test]
fn too_few_runs_to_keep_and_a_store_that_is_only_read_are_refused() {
    let bench = Bench::filled("gc-refused");
    let (code, text) = bench.refusal(&["gc", "--keep", "199"]);
    assert!(code == 2 && text.contains("no number of runs from 200 on"), "{text}");
    let mut gc = bench.command();
    gc.arg("gc").env("PERFTEST_STORE", "read-only").env("XDG_STATE_HOME", bench.root.join("store"));
    Outcome::of(&mut gc).ended_with(2);
    assert!(bench.answer(&["gc"]).starts_with("nothing to do: 12 runs of 3 histories"));
}

#[test]
fn a_gc_that_is_killed_at_any_time_leaves_the_old_runs_or_the_summaries() {
    let bench = long("gc-killed");
    let before = history(&bench);
    let copy = bench.root.join("copy");
    fs::create_dir(&copy).unwrap();
    let start = Instant::now();
    bench.answer(&["gc"]);
    let whole = start.elapsed();
    let (after, mut old, mut new) = (history(&bench), 0, 0);
    let file = bench.history_file("codec-frame-encode");
    // Before the work, within it, and until it was done.
    for round in 0.. {
        fs::write(&file, &before).unwrap();
        let mut command = bench.command();
        let mut gc = command.arg("gc").stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole * round / 20);
        let _ = gc.kill();
        gc.wait().unwrap();
        match history(&bench) {
            it if it == before => old += 1,
            it if it == after => new += 1,
            _ => panic!("neither the old file nor the new one"),
        }
        if round >= 30 && new > 0 {
            break;
        }
    }
    assert!(old > 0, "no kill came before the end");
    bench.answer(&["gc"]);
    assert_eq!(history(&bench), after);
    let directory = fs::read_dir(file.parent().unwrap()).unwrap();
    let names: Vec<_> = directory.map(|entry| entry.unwrap().file_name()).collect();
    let unfinished = |name: &&std::ffi::OsString| name.to_string_lossy().contains("unfinished");
    assert_eq!(names.iter().filter(unfinished).count(), 0, "{names:?}");
}
