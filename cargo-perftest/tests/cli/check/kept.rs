//! Judgements of rules stay.

use super::{CHANGE, checked, filled, is, rules, run, state, table};
use crate::bench::{Bench, line_with};
use perftest_core::model::{BenchmarkId, Judgement, Metric, Run};
use perftest_store::Store;
use perftest_tests::Outcome;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

#[test]
fn what_was_judged_by_an_older_version_of_a_rule_stays_judged_by_it() {
    let bench = filled("check-models", CHANGE, &[100.0, 100.0, 120.0, 121.0]);
    is((1, "open"), state(&bench));
    let wider = CHANGE.replace("10%", "40%");
    rules(&bench, &wider);
    is((1, "open"), state(&bench));
    let note = "was changed since it judged the newest runs of 1 history;";
    assert!(table(&bench, &[]).contains(note) && !table(&bench, &["--reevaluate"]).contains(note));
    let (_, alerts, last) = checked(&bench, &["--reevaluate"]);
    assert_eq!(alerts[0]["state"], "quiet", "by the new version alone there would be none");
    assert!(last["not_kept"].as_str().unwrap().contains("--reevaluate"));
    is((1, "open"), state(&bench));
    bench.append(&run(4, 190.0));
    let (_, alerts, _) = checked(&bench, &[]);
    assert_eq!((&alerts[0]["judged_before"], &alerts[0]["runs"]), (&3.into(), &5.into()));

    let models = bench.json(&["check", "--models", "--json"]);
    let report: Vec<(&Value, &Value)> =
        models.iter().map(|it| (&it["rule"], &it["present"])).collect();
    let expected = [
        (&"change max=30 effect=0.1".into(), &false.into()),
        (&"change max=30 effect=0.4".into(), &true.into()),
    ];
    assert_eq!(report, expected);
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

#[test]
fn the_metrics_of_one_test_are_histories_and_not_tests_where_a_rule_was_changed() {
    let all_metrics = format!("{CHANGE}metric = \"*\"\n");
    let bench = filled("check-changed", &all_metrics, &[]);
    for nth in 0..2 {
        bench.append(&run(nth, 100.0));
        bench.append(&Run { metric: Metric::allocations(), ..run(nth, 100.0) });
    }
    assert_eq!(checked(&bench, &[]).1.len(), 2);
    rules(&bench, &all_metrics.replace("10%", "40%"));
    let text = table(&bench, &[]);
    assert!(text.contains("it judged the newest runs of 2 histories;"), "{text}");
}

#[test]
fn an_alert_by_the_present_rules_alone_has_no_hint_to_acknowledge_it() {
    let wider = CHANGE.replace("10%", "40%");
    let bench = filled("check-no-hint", &wider, &[100.0, 100.0, 120.0]);
    is((0, "quiet"), state(&bench));
    rules(&bench, CHANGE);
    let anew = table(&bench, &["--reevaluate"]);
    assert!(anew.contains("1 open") && !anew.contains("--acknowledge"), "{anew}");
    bench.append(&run(3, 190.0));
    assert!(table(&bench, &[]).contains("--acknowledge"));
}

fn judgements(bench: &Bench) -> Vec<Judgement> {
    let run = run(0, 1.0);
    bench.store().judgements(&run.benchmark, &run.testbed).unwrap().value
}

/// The one file below `judged`.
fn kept_file(bench: &Bench) -> PathBuf {
    let mut open = vec![bench.root.join("store/v1")];
    while let Some(path) = open.pop() {
        let is_kept = path.to_string_lossy().contains("judgements");
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
    let checked = bench.run(&["check"]).ended_with(1);
    checked.warns(&["warning: skipped a damaged line", ":2)"]);
    assert_eq!(judgements(&bench).len(), 2, "the lost one was made again");

    fs::write(&file, "{\"v\":200}\n").unwrap();
    let (code, text) = bench.refusal(&["check"]);
    assert!(code == 5 && text.contains("start a new store: PERFTEST_STORE="), "{text}");
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
        Outcome::of(command.env_remove("XDG_STATE_HOME").env_remove("XDG_DATA_HOME"))
    };
    run("off").ended_with(2);
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let note = "note: nothing was kept: PERFTEST_STORE is `read-only`";
    run("read-only").ended_with(1).prints(&[note]);
    let projects: Vec<PathBuf> =
        fs::read_dir(state.join("v1")).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(projects.iter().all(|project| !project.join("judgements").exists()));
}

#[test]
fn a_renamed_test_keeps_its_judgements_and_what_was_acknowledged() {
    let bench = filled("check-renamed", CHANGE, &[100.0, 100.0, 120.0]);
    is((1, "open"), state(&bench));
    let report = bench.answer(&["check", "--acknowledge", "encode", "--reason", "known"]);
    let id = report.split("--revoke ").nth(1).unwrap().trim().to_owned();
    let formerly = Some(BenchmarkId::from_recorded("codec::frame::encode"));
    let benchmark = BenchmarkId::from_recorded("codec::frame::pack");
    bench.append(&Run { benchmark, formerly, ..run(3, 121.0) });
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["judged_before"], &alerts[0]["runs"]), (0, &2.into(), &4.into()));
    assert_eq!(
        (&alerts[0]["state"], &alerts[0]["reason"]),
        (&"acknowledged".into(), &"known".into())
    );
    bench.answer(&["check", "--revoke", &id]);
    is((1, "open"), state(&bench));
}

#[test]
fn a_judgement_beside_a_limit_beyond_all_numbers_is_kept() {
    let rule =
        "[[threshold]]\nname = \"latency\"\ntest = \"percentage\"\nlower = 0.2\nupper = 0.2\n";
    let bench = filled("check-huge", rule, &[1.7e308, 1e308]);
    is((0, "improved"), state(&bench));
    let upper: Vec<Option<f64>> =
        judgements(&bench).iter().map(|it| it.limits.unwrap().upper).collect();
    assert_eq!(upper, [None]);
}

#[test]
fn an_acknowledged_alert_stays_so_when_its_testbed_gets_another_name() {
    let bench = filled("check-testbed", CHANGE, &[100.0, 100.0, 120.0]);
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "known"]);
    is((0, "acknowledged"), state(&bench));
    bench.answer(&["testbeds", "rename", "local/7f3a2b", "ci/one"]);
    is((0, "acknowledged"), state(&bench));
}

#[test]
fn gc_leaves_an_open_alert_open() {
    let values = [vec![100.0; 100], vec![120.0; 600]].concat();
    let bench = filled("check-gc", CHANGE, &values);
    let before = checked(&bench, &[]);
    assert_eq!(before.0, 1);
    assert!(bench.answer(&["gc", "--keep", "200"]).contains("kept: "));
    let after = checked(&bench, &[]);
    assert_eq!((after.0, &after.1[0]["suspects"]), (1, &before.1[0]["suspects"]));
}

#[test]
fn gc_leaves_an_acknowledged_alert_acknowledged() {
    let rule = "[[threshold]]\nname=\"limit\"\ntest=\"static\"\nupper=110\nopen_after=2\n";
    let values = [vec![100.0; 100], vec![120.0; 2]].concat();
    let bench = filled("check-gc-acknowledged", rule, &values);
    is((1, "open"), state(&bench));
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "known"]);
    (102..702).for_each(|nth| bench.append(&run(nth, 120.0)));
    is((0, "acknowledged"), state(&bench));
    bench.answer(&["gc", "--keep", "200"]);
    is((0, "acknowledged"), state(&bench));
}

#[test]
fn gc_leaves_alerts_open_that_are_by_the_rules_of_another_directory() {
    let values = [vec![100.0; 100], vec![120.0; 600]].concat();
    let bench = filled("check-gc-elsewhere", CHANGE, &values);
    let codec = bench.root.join("project/crates/codec");
    fs::create_dir_all(&codec).unwrap();
    fs::rename(bench.root.join("project/perftest.toml"), codec.join("perftest.toml")).unwrap();
    let check = || Outcome::of(bench.command().arg("check").current_dir(&codec));
    check().ended_with(1);
    bench.answer(&["gc", "--keep", "200"]);
    check().ended_with(1);
}
