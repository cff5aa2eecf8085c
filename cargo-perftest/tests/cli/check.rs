//! `check`: rules of `perftest.toml` over written histories.

use crate::bench::{Bench, line_with};
use perftest_core::model::{BenchmarkId, Direction, Metric, Run, Tag};
use perftest_core::thresholds::Judgement;
use perftest_store::Store;
use perftest_store::conformance::example_run;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Ten per cent from the median of the runs before.
const CHANGE: &str =
    "[[threshold]]\nname = \"latency\"\ntest = \"change\"\nminimum_effect = \"10%\"\n";

/// Run of commit number `nth` on main, of so many nanoseconds.
fn run(nth: u64, value_ns: f64) -> Run {
    let mut run = example_run(nth);
    run.measurements.iter_mut().for_each(|it| it.value_ns = value_ns);
    run.on_processor_time.clear();
    run.flags.clear();
    run.revision.commit = commit(nth);
    run.revision.base.clear();
    run.revision.branch = "main".into();
    run.revision.dirty = false;
    run
}

fn commit(nth: u64) -> String {
    format!("{nth:040x}")
}

/// As it is told: nine digits of commits that are told apart by them.
fn of_commit(nth: u64, value_ns: f64, commit: &str) -> Run {
    let mut run = run(nth, value_ns);
    run.revision.commit = format!("{commit:0<40}");
    run
}

fn rules(bench: &Bench, text: &str) {
    fs::write(bench.root.join("project/perftest.toml"), text).unwrap();
}

/// A history of these values, and rules.
fn filled(name: &str, text: &str, values_ns: &[f64]) -> Bench {
    let bench = Bench::new(name);
    rules(&bench, text);
    (0..).zip(values_ns).for_each(|(nth, value)| bench.append(&run(nth, *value)));
    bench
}

/// Exit code and JSON lines: those of the alerts, and the last one.
fn checked(bench: &Bench, args: &[&str]) -> (i32, Vec<Value>, Value) {
    let output = bench.run(&[&["check", "--json"], args].concat());
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let last = lines.pop().unwrap_or_else(|| panic!("{stderr}"));
    (output.status.code().unwrap(), lines, last)
}

/// Exit code and state where one threshold watches one history.
fn state(bench: &Bench) -> (i32, String) {
    let (code, alerts, _) = checked(bench, &[]);
    let [alert] = alerts.try_into().unwrap();
    (code, alert["state"].as_str().unwrap().to_owned())
}

fn table(bench: &Bench, args: &[&str]) -> String {
    let output = bench.run(&[&["check"], args].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn is(expected: (i32, &str), told: (i32, String)) {
    assert_eq!((told.0, told.1.as_str()), expected);
}

#[test]
fn an_alert_is_opened_with_its_suspects_and_resolves_itself() {
    let bench = Bench::new("check-opened");
    rules(&bench, CHANGE);
    for (nth, commit) in (0..).zip(["a0", "a1", "a2", "a3"]) {
        bench.append(&of_commit(nth, 100.0, commit));
    }
    is((0, "quiet"), state(&bench));
    assert!(table(&bench, &[]).contains("no alert on branch main\n1 quiet\n"));
    bench.append(&of_commit(4, 125.0, "b4"));
    bench.append(&of_commit(5, 126.0, "b5"));
    let text = table(&bench, &[]);
    let line = line_with(&text, "codec::frame::encode");
    for part in [
        "wall",
        "local/7f3a2b",
        "main",
        "a30000000..b40000000",
        "100.0 ns",
        "126.0 ns",
        "1.26x",
        "latency: change max=30",
        "open",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(text.contains("check --acknowledge 'codec::frame::encode' --reason"), "{text}");
    let (code, alerts, all) = checked(&bench, &[]);
    let alert = &alerts[0];
    assert_eq!((code, &all["open"], &alert["state"]), (1, &1.into(), &"open".into()));
    assert_eq!(alert["after_commit"], format!("{:0<40}", "a3"));
    assert_eq!(alert["upto_commit"], format!("{:0<40}", "b4"));
    assert_eq!((&alert["may_be_code"], &alert["worse"]), (&true.into(), &true.into()));
    assert_eq!((&alert["before"], &alert["opened_by_value"]), (&100.0.into(), &125.0.into()));
    assert_eq!(alert["degradation"], 1.26);
    assert_eq!(alert["opened_by_run"], run(4, 0.0).id.as_str());

    bench.append(&of_commit(6, 101.0, "c6"));
    is((0, "resolved"), state(&bench));
    assert!(!table(&bench, &[]).contains("c60000000"));
    let resolved = table(&bench, &["--all"]);
    assert!(resolved.contains("resolved since c60000000"), "{resolved}");
    bench.append(&of_commit(7, 130.0, "d7"));
    let again = table(&bench, &[]);
    assert!(
        again.contains("open, re-opened once") && again.contains("c60000000..d70000000"),
        "{again}"
    );
}

#[test]
fn as_many_values_as_asked_for_resolve_an_alert() {
    let rule = format!("{CHANGE}resolve_after = 2\n");
    let bench = filled("check-resolve", &rule, &[100.0, 100.0, 125.0, 100.0]);
    is((1, "open"), state(&bench));
    bench.append(&run(4, 100.0));
    is((0, "resolved"), state(&bench));
}

#[test]
fn an_acknowledged_alert_is_silent_until_it_is_half_as_large_again() {
    let bench = filled("check-known", CHANGE, &[100.0, 100.0, 100.0, 120.0]);
    let (code, text) = bench.refusal(&["check", "--acknowledge", "encode"]);
    assert!(code == 2 && text.contains("--reason"), "{text}");
    let args = ["check", "--acknowledge", "encode", "--reason", "until the new format"];
    let text = bench.answer(&args);
    assert!(
        text.contains(
            "latency: wall of codec::frame::encode on local/7f3a2b, 100.0 ns -> 120.0 ns"
        )
    );
    assert!(text.contains("perf-accept.jsonl: commit it"), "{text}");
    is((0, "acknowledged"), state(&bench));
    assert!(table(&bench, &[]).contains("acknowledged: until the new format"));
    let (code, text) = bench.refusal(&args);
    assert!(code == 2 && text.contains("no alert of `encode` is open"), "{text}");

    bench.append(&run(4, 128.0));
    is((0, "acknowledged"), state(&bench));
    bench.append(&run(5, 150.0));
    is((1, "open"), state(&bench));
    let text = bench.answer(&args);
    is((0, "acknowledged"), state(&bench));

    let id = text.split("--revoke ").nth(1).unwrap().trim();
    assert!(bench.answer(&["check", "--revoke", id]).contains("commit that"));
    is((1, "open"), state(&bench));
    assert_eq!(bench.refusal(&["check", "--revoke", id]).0, 2);
    bench.answer(&args);
    for (nth, value, expected) in [(6, 100.0, (0, "resolved")), (7, 150.0, (1, "open"))] {
        bench.append(&run(nth, value));
        is(expected, state(&bench));
    }
}

#[test]
fn an_acknowledgement_is_of_one_threshold_metric_testbed_and_branch() {
    let two = format!("{CHANGE}metric = \"*\"\n{}", CHANGE.replace("latency", "other"));
    let bench = filled("check-known-one", &two, &[]);
    for (nth, value) in (0..).zip([100.0, 100.0, 120.0]) {
        bench.append(&run(nth, value));
        bench.append(&Run { metric: Metric::allocations(), ..run(nth, value) });
    }
    assert_eq!(checked(&bench, &[]).2["open"], 3);
    let args = ["check", "--acknowledge", "encode", "--reason", "x", "--threshold", "latency"];
    bench.answer(&[&args[..], &["--metric", "allocs"]].concat());
    let (_, alerts, _) = checked(&bench, &[]);
    let known: Vec<&Value> = alerts.iter().filter(|it| it["state"] == "acknowledged").collect();
    assert_eq!(known.len(), 1);
    assert_eq!(
        (&known[0]["metric"], &known[0]["threshold"]),
        (&"allocs".into(), &"latency".into())
    );
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "x"]);
    assert_eq!(checked(&bench, &[]).2["acknowledged"], 3);
}

#[test]
fn alerts_are_suppressed_by_filter_attribute_and_name() {
    let bench = filled("check-suppress", CHANGE, &[]);
    let slower = |test: &str, flags: &[&str]| {
        for (nth, value) in (0..).zip([100.0, 100.0, 120.0]) {
            let benchmark = BenchmarkId::from_recorded(test);
            let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
            bench.append(&Run { benchmark, flags, ..run(nth, value) });
        }
    };
    slower("codec::a", &[]);
    slower("codec::attribute", &[Run::REPORT_ONLY]);
    slower("codec::name_bencher_ignore::64", &[]);
    slower("codec::slow::one", &[]);
    let state_of = |test: &str| {
        let (_, alerts, _) = checked(&bench, &[]);
        let alert = alerts.into_iter().find(|it| it["benchmark"] == test).unwrap();
        (alert["state"].as_str().unwrap().to_owned(), alert["reason"].as_str().map(str::to_owned))
    };
    let suppressed = |why: &str| ("suppressed".to_owned(), Some(why.to_owned()));
    assert_eq!(state_of("codec::a"), ("open".to_owned(), None));
    assert_eq!(state_of("codec::attribute"), suppressed("the test has report_only"));
    assert_eq!(state_of("codec::name_bencher_ignore::64"), suppressed("its name asks for it"));
    assert_eq!(state_of("codec::slow::one"), ("open".to_owned(), None));

    let filter =
        "[[suppress]]\nfilter = \"codec::slow::*\"\nreason = \"waits for the allocator\"\n";
    rules(&bench, &format!("{CHANGE}{filter}until = \"2099-01-31\"\n"));
    assert_eq!(state_of("codec::slow::one"), suppressed("waits for the allocator"));
    assert!(table(&bench, &[]).contains("suppressed: waits for the allocator"));
    for narrower in ["metric = \"allocs\"", "testbed = \"ci-*\"", "branch = \"topic\""] {
        rules(&bench, &format!("{CHANGE}{filter}{narrower}\n"));
        assert_eq!(state_of("codec::slow::one").0, "open", "{narrower}");
    }
    rules(&bench, &format!("{CHANGE}{filter}until = 2020-01-31\n"));
    assert_eq!(state_of("codec::slow::one").0, "open");
    let text = table(&bench, &[]);
    let note = "note: perftest.toml:6: the suppression of codec::slow::* ended with 2020-01-31";
    assert!(text.contains(note), "{text}");
    rules(&bench, &format!("{CHANGE}[[suppress]]\nfilter = \"*\"\nreason = \"all\"\n"));
    assert_eq!(checked(&bench, &[]).0, 0);
}

#[test]
fn a_threshold_watches_its_metric_testbed_and_branch_alone() {
    let bench = Bench::new("check-select");
    let on = |branch: &str, testbed: &str, metrics: &[Metric]| {
        for (nth, value) in (branch.len() as u64 * 10..).zip([100.0, 100.0, 120.0]) {
            for metric in metrics {
                let mut run =
                    Run { testbed: testbed.into(), metric: metric.clone(), ..run(nth, value) };
                run.revision.branch = branch.into();
                bench.append(&run);
            }
        }
    };
    on("main", "ci-large/1", &[Metric::wall(), Metric::allocations()]);
    on("main", "local/1", &[Metric::wall()]);
    on("release-2", "local/1", &[Metric::wall()]);
    for (keys, args, expected) in [
        ("", &["--branch", "main"][..], 2),
        ("metric = \"*\"", &["--branch", "main"], 3),
        ("metric = \"allocs\"", &["--branch", "main"], 1),
        ("testbed = \"ci-*\"", &["--branch", "main"], 1),
        ("branch = \"release-*\"", &["--branch", "main"], 0),
        ("branch = \"release-*\"", &["--branch", "*"], 1),
        ("", &["--branch", "*"], 3),
        ("metric = \"*\"", &["--branch", "main", "--metric", "allocs"], 1),
        ("metric = \"*\"", &["--branch", "main", "--testbed", "local/1"], 1),
        ("filter = \"codec::other::*\"", &["--branch", "main"], 0),
    ] {
        rules(&bench, &format!("{CHANGE}{keys}\n"));
        assert_eq!(checked(&bench, args).2["open"], expected, "{keys} {args:?}");
    }
    let text = table(&bench, &["--branch", "main"]);
    let note = "note: perftest.toml:2: threshold `latency` watches no run on branch main";
    assert!(text.contains(note), "{text}");
    for (args, part) in [
        (["--branch", "topic"], "only on main, release-2"),
        (["--metric", "walls"], "only allocs, wall"),
        (["--testbed", "moon"], "only ci-large/1, local/1"),
        (["--threshold", "x"], "those there are: latency"),
    ] {
        let (code, text) = bench.refusal(&[&["check"][..], &args].concat());
        assert!(code == 2 && text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_branch_begins_with_the_default_branchs_runs_where_it_left_it() {
    let bench = filled("check-branch", CHANGE, &[100.0, 100.0, 100.0]);
    let on_topic = |nth, value| {
        let mut run = run(nth, value);
        run.revision.branch = "topic".into();
        run.revision.base = commit(1);
        run
    };
    bench.append(&on_topic(3, 120.0));
    let check = |default: Option<&str>| {
        let mut command = bench.command();
        command
            .args(["check", "--json", "--branch", "topic"])
            .env_remove("PERFTEST_DEFAULT_BRANCH");
        command.envs(default.map(|name| ("PERFTEST_DEFAULT_BRANCH", name)));
        let output = command.output().unwrap();
        let line = String::from_utf8(output.stdout).unwrap().lines().next().unwrap().to_owned();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let alone = check(None);
    assert_eq!((&alone["state"], &alone["runs"]), (&"unjudged".into(), &1.into()));
    let alert = check(Some("main"));
    assert_eq!((&alert["state"], &alert["after_commit"]), (&"open".into(), &commit(1).into()));
    let newest = checked(&bench, &[]).2;
    assert_eq!(newest["branch"], "topic", "nothing is checked out: that of the newest run");
}

#[test]
fn an_improvement_is_told_and_fails_nothing_unless_that_is_asked_for() {
    let bench = filled("check-better", CHANGE, &[100.0, 100.0, 80.0]);
    is((0, "improved"), state(&bench));
    assert!(line_with(&table(&bench, &[]), "encode").contains("0.80x"));
    (3..8).for_each(|nth| bench.append(&run(nth, 80.0)));
    assert!(table(&bench, &[]).contains("no alert on branch main\n1 improved"), "no news any more");
    rules(&bench, &format!("{CHANGE}fail_on = \"both\"\n"));
    is((1, "open"), state(&bench));
    assert!(table(&bench, &[]).contains("open: better, and fail_on"));

    let bench = Bench::new("check-throughput");
    rules(&bench, &format!("{CHANGE}metric = \"rate\"\n"));
    let metric =
        Metric { name: "rate".into(), unit: "items/s".into(), direction: Direction::Higher };
    for (nth, value) in (0..).zip([100.0, 100.0, 80.0]) {
        bench.append(&Run { metric: metric.clone(), ..run(nth, value) });
    }
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["side"]), (1, &"lower".into()));
    assert_eq!(alerts[0]["degradation"], 1.25);
}

#[test]
fn rules_are_combined_and_computed_as_older_releases_did() {
    let values = [100.0, 101.0, 102.0, 101.0, 100.0, 104.2];
    let one = |keys: &str| format!("[[threshold]]\nname = \"a\"\n{keys}\n");
    let t_test = "{ test = \"t_test\", upper = 0.99, minimum_effect = \"none\" }";
    let five = "{ test = \"percentage\", upper = 0.05 }";
    let bench = filled("check-combined", &one(&format!("all = [ {t_test}, {five} ]")), &values);
    is((0, "quiet"), state(&bench));
    let (_, alerts, _) = checked(&bench, &[]);
    assert!(alerts[0]["rule"].as_str().unwrap().starts_with("all(t_test upper=0.99; percentage"));
    let checked_anew = |text: &str| {
        rules(&bench, text);
        checked(&bench, &["--anew"]).1[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(checked_anew(&one(&format!("any = [ {t_test}, {five} ]"))), "quiet");
    let former = t_test.replace("upper", "compat = \"0.6.2\", upper");
    assert_eq!(checked_anew(&one(&format!("any = [ {former}, {five} ]"))), "open");
    assert_eq!(checked_anew(&one(&format!("all = [ {former}, {five} ]"))), "quiet");
    let nested = format!("all = [ {former}, {{ any = [ {five}, {former} ] }} ]");
    assert_eq!(checked_anew(&one(&nested)), "open");
}

#[test]
fn repeated_runs_of_a_commit_are_one_sample_for_tests_that_compare_samples() {
    let rule = "[[threshold]]\nname = \"a\"\ntest = \"mann_whitney\"\nminimum_effect = \"5%\"\n";
    let bench = Bench::new("check-sample");
    rules(&bench, rule);
    (0..8).for_each(|nth| bench.append(&run(nth, 100.0 + nth as f64 / 10.0)));
    (8..11).for_each(|nth| bench.append(&of_commit(nth, 110.0 + nth as f64, "b")));
    is((0, "quiet"), state(&bench));
    bench.append(&of_commit(11, 121.0, "b"));
    is((1, "open"), state(&bench));
}

#[test]
fn what_was_judged_by_an_older_version_of_a_rule_stays_judged_by_it() {
    let bench = filled("check-models", CHANGE, &[100.0, 100.0, 120.0, 121.0]);
    is((1, "open"), state(&bench));
    let wider = CHANGE.replace("10%", "40%");
    rules(&bench, &wider);
    is((1, "open"), state(&bench));
    let (_, alerts, last) = checked(&bench, &["--anew"]);
    assert_eq!(alerts[0]["state"], "quiet", "by the new version alone there would be none");
    assert!(last["not_kept"].as_str().unwrap().contains("--anew"));
    is((1, "open"), state(&bench));
    bench.append(&run(4, 190.0));
    let (_, alerts, _) = checked(&bench, &[]);
    assert_eq!((&alerts[0]["judged_before"], &alerts[0]["runs"]), (&3.into(), &5.into()));

    let models = bench.json(&["check", "--models", "--json"]);
    let told: Vec<(&Value, &Value)> =
        models.iter().map(|it| (&it["rule"], &it["present"])).collect();
    let expected = [
        (&"change max=30 effect=0.1".into(), &false.into()),
        (&"change max=30 effect=0.4".into(), &true.into()),
    ];
    assert_eq!(told, expected);
    let text = bench.answer(&["check", "--models"]);
    assert!(line_with(&text, "effect=0.1").contains("no more"), "{text}");
    let kept = judgements(&bench);
    assert_eq!(kept.len(), 4, "the first run could not be judged");
    assert_eq!(kept[0].model, kept[2].model);
    assert_ne!(kept[2].model, kept[3].model);
    assert_eq!(kept[1].limits.unwrap().upper, Some(110.0));
    bench.answer(&["check", "--models"]);
    assert!(
        Bench::new("check-no-models").answer(&["check", "--models"]).contains("no rule has judged")
    );
}

fn judgements(bench: &Bench) -> Vec<Judgement> {
    let run = run(0, 1.0);
    bench.store().judgements(&run.benchmark, &run.testbed).unwrap().value
}

/// The one file below `judged`.
fn kept_file(bench: &Bench) -> PathBuf {
    let mut open = vec![bench.root.join("store/v1")];
    while let Some(path) = open.pop() {
        let is_kept = path.to_string_lossy().contains("judged");
        if is_kept && path.extension().is_some_and(|it| it == "jsonl") {
            return path;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
        }
    }
    panic!("nothing is kept")
}

#[test]
fn a_damaged_judgement_costs_itself_and_is_made_again() {
    let bench = filled("check-damage", CHANGE, &[100.0, 100.0, 120.0]);
    is((1, "open"), state(&bench));
    let file = kept_file(&bench);
    let whole = fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 2);
    fs::write(&file, &whole[..whole.len() - 30]).unwrap();
    let output = bench.run(&["check"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("warning: skipped a damaged line") && stderr.contains(":2)"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(judgements(&bench).len(), 2, "the lost one was made again");

    fs::write(&file, "{\"v\":200}\n").unwrap();
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 5 && text.contains("update perftest"), "{text}");
}

#[test]
fn a_store_that_may_not_be_written_is_judged_and_keeps_nothing() {
    let bench = filled("check-read-only", CHANGE, &[100.0, 100.0, 120.0]);
    let state = bench.root.join("home/.local/state/perftest");
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    fs::rename(bench.root.join("store"), &state).unwrap();
    let home = bench.root.join("home");
    let run = |store: &str| {
        let mut command = bench.command();
        command.args(["check"]).env("PERFTEST_STORE", store).env("HOME", &home);
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_DATA_HOME").output().unwrap()
    };
    let off = run("off");
    assert_eq!(off.status.code(), Some(2));
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let output = run("read-only");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("note: nothing was kept: PERFTEST_STORE is `read-only`"), "{text}");
    let projects: Vec<PathBuf> =
        fs::read_dir(state.join("v1")).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(projects.iter().all(|project| !project.join("judged").exists()));
}

#[test]
fn runs_that_cannot_be_compared_are_told_apart() {
    let bench = filled("check-apart", CHANGE, &[]);
    let configured = |config: &str, nth, value| Run { config: config.into(), ..run(nth, value) };
    (0..3).for_each(|nth| bench.append(&configured("old", nth, 50.0)));
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    bench.append(&Run { metric: in_us, ..configured("new", 3, 1.0) });
    (4..6).for_each(|nth| bench.append(&configured("new", nth, 100.0)));
    let mut untrusted = configured("new", 6, 300.0);
    untrusted.environment.distrust(Tag::Throttled);
    bench.append(&untrusted);
    is((0, "quiet"), state(&bench));
    let text = table(&bench, &[]);
    for part in
        ["3 runs of a test of another configuration", "1 runs of a test on a machine in no state"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn too_few_runs_are_told_and_fail_nothing() {
    let rule = "[[threshold]]\nname = \"latency\"\ntest = \"t_test\"\nupper = 0.99\n\
                min_sample_size = 5\nminimum_effect = \"5%\"\n";
    let bench = filled("check-few", rule, &[100.0, 101.0, 150.0]);
    is((0, "unjudged"), state(&bench));
    let text = table(&bench, &[]);
    assert!(
        text.contains("1 not judged") && text.contains("t_test: too few values before"),
        "{text}"
    );
    (3..6).for_each(|nth| bench.append(&run(nth, 100.0 + nth as f64)));
    is((0, "quiet"), state(&bench));
}

#[test]
fn what_is_not_committed_is_judged_and_named() {
    let bench = filled("check-dirty", CHANGE, &[100.0, 100.0]);
    let mut dirty = of_commit(2, 120.0, "b");
    dirty.revision.dirty = true;
    bench.append(&dirty);
    let text = table(&bench, &[]);
    assert!(text.contains("..b00000000 and what is not committed"), "{text}");
}

#[test]
fn a_renamed_test_keeps_its_judgements() {
    let bench = filled("check-renamed", CHANGE, &[100.0, 100.0, 120.0]);
    is((1, "open"), state(&bench));
    let formerly = format!("{}codec::frame::encode", Run::FORMERLY);
    let benchmark = BenchmarkId::from_recorded("codec::frame::pack");
    bench.append(&Run { benchmark, flags: vec![formerly], ..run(3, 121.0) });
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["judged_before"], &alerts[0]["runs"]), (1, &2.into(), &4.into()));
}

#[test]
fn without_rules_there_is_one_to_paste_and_without_runs_a_kind_word() {
    let bench = Bench::filled("check-none");
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 2 && text.contains("there is no perftest.toml here"), "{text}");
    let example: String =
        text.lines().filter(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n");
    rules(&bench, &example);
    let text = table(&bench, &[]);
    assert!(text.contains("3 not judged"), "what is to be pasted is understood: {text}");
    assert!(text.contains("note: 3 have only runs of code that is not committed"), "{text}");
    rules(&bench, "[defaults]\ntolerance = \"5%\"\n");
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 2 && text.contains("there is no [[threshold]] in "), "{text}");

    let empty = Bench::new("check-empty");
    rules(&empty, CHANGE);
    assert!(empty.answer(&["check"]).contains("nothing is recorded for project yet"));
    assert_eq!(empty.answer(&["check", "--json"]), "");
    assert_eq!(bench.refusal(&["check", "zzz"]).0, 2);
}

#[test]
fn a_rule_that_cannot_be_read_is_refused_with_its_line() {
    let bench = Bench::filled("check-wrong");
    for (text, part) in [
        (
            "\n[[threshold]]\nname = \"a\"\ntest = \"t_test\"\nupper = 0.99",
            "perftest.toml:4: t_test finds",
        ),
        ("[[threshold]]\nname = \"a\"\ntset = \"t_test\"", "perftest.toml:3: unknown key `tset`"),
        ("[[suppress]]\nfilter = \"a\"", "perftest.toml:2: it needs a reason"),
        ("[thresholds]\n", "perftest.toml:1: unknown table `thresholds`"),
        ("[[threshold]\n", "perftest.toml:1: this is no TOML"),
    ] {
        rules(&bench, text);
        for args in [&["check"][..], &["check", "--models"]] {
            let (code, told) = bench.refusal(args);
            assert!(code == 2 && told.contains(part), "{part} in {told}");
        }
    }
    let package = bench.root.join("project/member");
    fs::create_dir_all(&package).unwrap();
    rules(&bench, CHANGE);
    fs::write(package.join("perftest.toml"), "[[threshold]]\n").unwrap();
    let told = bench.command().arg("check").current_dir(&package).output().unwrap();
    assert_eq!(told.status.code(), Some(2), "the nearest one counts, alone");
}

#[test]
fn the_page_on_thresholds_has_every_key_and_rules_that_are_read() {
    let page = include_str!("../../../docs/thresholds.md");
    let bench = Bench::filled("check-page");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    rules(&bench, example);
    let text = table(&bench, &[]);
    assert!(text.contains("threshold `allocations` watches no run"), "{text}");
    rules(&bench, "[[threshold]]\nname = \"a\"\nwhat = 1\n");
    let (_, told) = bench.refusal(&["check"]);
    let keys = told.split("the keys are ").nth(1).unwrap().trim().split(", ");
    let missing: Vec<&str> = keys.filter(|key| !page.contains(&format!("`{key}"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    rules(&bench, "[[threshold]]\nname = \"a\"\ntest = \"what\"\n");
    let (_, told) = bench.refusal(&["check"]);
    let tests = told.split("the tests are ").nth(1).unwrap().trim().split(", ");
    let missing: Vec<&str> = tests.filter(|test| !page.contains(&format!("`{test}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
