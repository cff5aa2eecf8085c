//! `cargo perftest flamegraph TEST --diff ..`: where the time went since another build.

use crate::bench::Bench;
use crate::{STEADY, slow_down};
use perftest_tests::{TempStore, patiently};
use std::fs;

/// Samples `steady` beside another build, and returns the page.
fn page(bench: &Bench, diff: &str, store: &TempStore) -> String {
    let page = bench.repository().join("page.html");
    let arguments = ["flamegraph", "steady", "--diff", diff, "--time", "1s", "--out"];
    let graph = bench.in_place_tool(&[&arguments[..], &[page.to_str().unwrap()]].concat());
    graph.store(store).run().ended_with(0);
    fs::read_to_string(page).unwrap()
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
fn a_flame_graph_shows_the_last_good_build_beside_the_working_tree() {
    let bench = Bench::new();
    let store = TempStore::new();
    let arguments = ["flamegraph", "steady", "--diff", "last-good"];
    let none = bench.in_place_tool(&arguments).store(&store).run().ended_with(2);
    none.warns(&["no good build of `tiny::perf::steady`", "--diff main"]);
    let learn = || {
        store.clear();
        let run = bench.cargo_test(&["steady"]).env("PERFTEST_LEARN", "").store(&store);
        run.run().ended_with(0);
        store.baseline_runs("steady").len()
    };
    // The build of a run that was disturbed is not kept as a good one.
    assert!(patiently(learn, |runs| *runs > 0) > 0, "no run counted for the baseline");
    // Its own code is no other build.
    let none = bench.in_place_tool(&arguments).store(&store).run().ended_with(2);
    none.warns(&["no good build of `tiny::perf::steady`"]);
    let file = bench.repository().join("steady.folded");
    let record = ["profile", "record", "steady", "--time", "1s", "--out", file.to_str().unwrap()];
    bench.in_place_tool(&record).store(&store).run().ended_with(0);
    slow_down(&bench);
    let beside_build = page(&bench, "last-good", &store);
    let commit = bench.git(&["rev-parse", "HEAD"]);
    let base = format!("{STEADY}, the last good build {}, wall time", &commit[..7]);
    assert!(beside_build.contains(&base), "{base}");
    assert!(beside_build.contains(&format!("{STEADY}, the working tree, wall time")));
    // Without its executable there is its profile of then.
    store.forget_executables();
    let beside_profile = page(&bench, "last-good", &store);
    let base =
        format!("{STEADY}, wall time, the kept profile of the last good build {}", &commit[..7]);
    assert!(beside_profile.contains(&base), "{base}");
}
