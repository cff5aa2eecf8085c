//! `cargo perftest flamegraph TEST --diff ..`: where the time went since another build.

use crate::bench::Bench;
use crate::{PERF, STEADY, slow_down};
use perftest_tests::{TempStore, assert_json_conforms, patiently};
use serde_json::Value;
use std::fs;

/// Samples `steady` beside another build, and returns the page.
fn page(bench: &Bench, diff: &str, store: &TempStore) -> String {
    page_at("", bench, diff, store)
}

/// The same on a machine with this label.
fn page_at(label: &str, bench: &Bench, diff: &str, store: &TempStore) -> String {
    let page = bench.repository().join("page.html");
    let arguments = ["flamegraph", "steady", "--diff", diff, "--time", "1s", "--out"];
    let graph = bench.in_place_tool(&[&arguments[..], &[page.to_str().unwrap()]].concat());
    let printed = graph.store(store).env("PERFTEST_TESTBED", label).run().ended_with(0);
    let page = fs::read_to_string(page).unwrap();
    // Ten times as slow: the time of an iteration shows it, whatever the machine does.
    let cause = printed.stdout.lines().nth(1).unwrap();
    assert!(cause.starts_with("mostly in `"), "{printed}");
    assert!(page.contains("\"cause\":\"mostly in `"));
    page
}

/// The ids of the runs of `steady`, oldest first.
fn run_ids(bench: &Bench, store: &TempStore) -> Vec<String> {
    let history = bench.tool(&["history", "steady", "--json"]).store(store).run().ended_with(0);
    history.json().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

/// Runs `steady` until a run counts for the baseline.
fn learn_steady(bench: &Bench, store: &TempStore) {
    let learn = || {
        store.clear();
        let run = bench.cargo_test(&["steady"]).env("PERFTEST_LEARN", "").store(store);
        run.run().ended_with(0);
        store.baseline_runs("steady").len()
    };
    // The build of a run that was disturbed is not kept as a good one.
    assert!(patiently(learn, |runs| *runs > 0) > 0, "no run counted for the baseline");
}

/// Keeps a profile of the working tree's `steady`.
fn record_steady(bench: &Bench, store: &TempStore) {
    let file = bench.repository().join("steady.folded");
    let record = ["profile", "record", "steady", "--time", "1s", "--out", file.to_str().unwrap()];
    bench.in_place_tool(&record).store(store).run().ended_with(0);
}

#[test]
fn a_flame_graph_shows_a_revision_beside_the_working_tree() {
    let bench = Bench::new();
    slow_down(&bench);
    let page = page(&bench, "main", &TempStore::new());
    for part in [
        format!("{STEADY}, main, wall time"),
        format!("{STEADY}, the working tree, wall time"),
        // Nothing was said about debug information in the manifest.
        "of the time is in stacks without debug information".to_owned(),
    ] {
        assert!(page.contains(&part), "{part}");
    }
}

#[test]
fn nobody_else_builds_where_a_flame_graph_samples_two_revisions() {
    let bench = Bench::new();
    let lock = bench.builds().join("lock");
    let body = format!(
        "assert!(std::fs::File::open({lock:?}).unwrap().try_lock().is_err());\n    tiny::work(1500)"
    );
    bench.replace(PERF, "tiny::work(1500)", &body);
    let page = bench.repository().join("page.html");
    let out = page.to_str().unwrap();
    let arguments = ["flamegraph", "steady", "--diff", "main", "--time", "1s", "--out", out];
    bench.in_place_tool(&arguments).run().ended_with(0);
}

#[test]
fn a_flame_graph_shows_the_last_good_build_beside_the_working_tree() {
    let bench = Bench::new();
    let store = TempStore::new();
    let arguments = ["flamegraph", "steady", "--diff", "last-good"];
    let none = bench.in_place_tool(&arguments).store(&store).run().ended_with(2);
    none.warns(&["no good build of `tiny::perf::steady`", "--diff main"]);
    learn_steady(&bench, &store);
    // Its own code is no other build.
    let none = bench.in_place_tool(&arguments).store(&store).run().ended_with(2);
    none.warns(&["no good build of `tiny::perf::steady`"]);
    record_steady(&bench, &store);
    slow_down(&bench);
    let beside_build = page(&bench, "last-good", &store);
    let commit = bench.git(&["rev-parse", "HEAD"]);
    let base = format!("{STEADY}, the last good build {}, wall time", &commit[..7]);
    assert!(beside_build.contains(&base), "{base}");
    assert!(beside_build.contains(&format!("{STEADY}, the working tree, wall time")));
    let id = &run_ids(&bench, &store)[0];
    let beside_run = page(&bench, id, &store);
    let base = format!("{STEADY}, run {id} of {}, wall time", &commit[..7]);
    assert!(beside_run.contains(&base), "{base}");
    let unknown = ["flamegraph", "steady", "--diff", "01KDVDNR00000000000000000S"];
    let unknown = bench.in_place_tool(&unknown).store(&store).run().ended_with(2);
    unknown.warns(&["`tiny::perf::steady` has no run 01KDVDNR00000000000000000S"]);
    // Without its executable there is its profile of then.
    store.forget_executables();
    let beside_profile = page(&bench, "last-good", &store);
    let base =
        format!("{STEADY}, wall time, the kept profile of the last good build {}", &commit[..7]);
    assert!(beside_profile.contains(&base), "{base}");
}

/// A machine gets another label, and its history goes with it: by another name, or together with that of the new label.
#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn the_profile_of_the_last_good_build_is_found_when_its_testbed_is_renamed_or_merged() {
    let bench = Bench::new();
    let store = TempStore::new();
    learn_steady(&bench, &store);
    record_steady(&bench, &store);
    store.forget_executables();
    slow_down(&bench);
    let testbed = |label: &str| {
        let machine = bench.tool(&["machine", "--json"]).env("PERFTEST_TESTBED", label).run();
        let machine = machine.ended_with(0);
        let machine: Value = serde_json::from_str(machine.stdout.lines().next().unwrap()).unwrap();
        machine["testbed"].as_str().unwrap().to_owned()
    };
    let [old, new] = ["", "desk"].map(testbed);
    let decide = |arguments: &[&str]| {
        bench.tool(&[&["testbeds"], arguments].concat()).store(&store).run().ended_with(0)
    };
    let is_lost = || {
        let arguments = ["flamegraph", "steady", "--diff", "last-good"];
        let graph = bench.in_place_tool(&arguments).env("PERFTEST_TESTBED", "desk");
        graph.store(&store).run().ended_with(2).warns(&["nor a profile of one"]);
    };
    let is_found = || {
        for label in ["", "desk"] {
            let page = page_at(label, &bench, "last-good", &store);
            assert!(page.contains("the kept profile of the last good build"), "{label}");
        }
    };
    is_lost();
    decide(&["rename", &old, &new]);
    is_found();
    decide(&["restore", &old]);
    is_lost();
    let first_run = bench.cargo_test(&["steady"]).env("PERFTEST_TESTBED", "desk").store(&store);
    first_run.run().ended_with(0);
    decide(&["merge", &new, &old]);
    is_found();
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn the_last_good_build_of_a_renamed_test_is_sampled_under_its_former_name() {
    let (bench, store) = (Bench::new(), TempStore::new());
    learn_steady(&bench, &store);
    let renamed = "#[perf_test(formerly = \"tiny::perf::steady\")]\nfn renamed";
    bench.replace(PERF, "#[perf_test]\nfn steady", renamed);
    slow_down(&bench);
    bench.cargo_test(&["renamed"]).env("PERFTEST_LEARN", "").store(&store).run();
    let page = bench.repository().join("page.html");
    let out = page.to_str().unwrap();
    let arguments = ["flamegraph", "renamed", "--diff", "last-good", "--time", "1s", "--out", out];
    bench.in_place_tool(&arguments).store(&store).run().ended_with(0);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("tiny::perf::steady, the last good build"));
}

#[test]
fn a_run_keeps_profiles_of_good_builds_and_a_red_names_its_functions() {
    let bench = Bench::new();
    let store = TempStore::new();
    bench.replace(PERF, "#[perf_test]\nfn steady", "#[perf_test(limit = \"40us\")]\nfn steady");
    let run = || bench.run(&["--sample", "1", "--", "steady"]).store(&store).run();
    // A run that was disturbed has no verdict, and its test is not sampled.
    let first = || {
        store.clear();
        run()
    };
    let first = patiently(first, |it| it.stderr.contains("sampling tiny::perf::steady for 5 s"));
    first.ended_with(0).warns(&["sampling tiny::perf::steady for 5 s"]);
    let again = run().ended_with(0);
    assert!(!again.stderr.contains("sampling"), "its profile is kept: {again}");
    bench.replace(PERF, "work(1500)", "work(1500000)");
    let slower = patiently(run, |it| it.code == Some(1)).ended_with(1);
    slower.prints(&["tiny::perf::steady: mostly in `"]);
    let shown = bench.tool(&["show", "steady"]).store(&store).run().ended_with(0);
    shown.prints(&["  functions mostly in `"]);
    let events = || bench.run(&["--json", "--", "steady"]).store(&store).run();
    let events = patiently(events, |it| it.code == Some(1)).ended_with(1);
    let event: Value = serde_json::from_str(events.stdout.trim_end()).unwrap();
    assert_eq!((&event["event"], &event["benchmark"]), (&"cause".into(), &STEADY.into()));
    assert!(event["functions"].as_str().unwrap().starts_with("mostly in `"), "{event}");
    assert_json_conforms("events.schema.json", &[event]);
    let report = bench.repository().join("my report.html");
    let arguments = ["report", "steady", "--out", report.to_str().unwrap()];
    bench.tool(&arguments).store(&store).run().ended_with(0);
    let report = fs::read_to_string(report).unwrap();
    let (_, link) = report.split_once("my%20report-profiles/").unwrap();
    let (file, _) = link.split_once('"').unwrap();
    let page = bench.repository().join("my report-profiles").join(file);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(", wall time, the last good build"));
}
