//! `cargo perftest compare --history`: the base leaves a history behind.

use crate::bench::{Bench, line_of};
use crate::{STEADY, add_cases, rewrite};
use perftest_tests::{Outcome, TempStore, patiently};
use serde_json::Value;

#[test]
fn the_next_run_of_the_head_is_judged_by_the_runs_of_the_base() {
    let bench = Bench::new();
    let base = bench.git(&["rev-parse", "HEAD"]).trim().to_owned();
    rewrite(&bench);
    bench.commit();
    let store = TempStore::new();
    let arguments = ["HEAD~1", "--history", "--pairs", "5", "--", "steady"];
    let has_recorded = ["tiny::perf::steady: 5 runs of the base are its history now"];
    // A test with a history gets no further baseline runs.
    let has_history = ["tiny::perf::steady: has a history"];
    let compare = || {
        store.clear();
        let compared = bench.compare(&arguments).store(&store).run().ended_with(0);
        let recorded_runs = store.baseline_runs("steady");
        let judged = bench.cargo_test(&["steady"]).store(&store).run();
        (
            compared,
            recorded_runs,
            judged,
            bench.compare(&arguments).store(&store).run().ended_with(0),
        )
    };
    let is_judged = |judged: &Outcome| judged.line_of("steady").contains(" vs 5 runs");
    let (compared, recorded_runs, judged, again) =
        patiently(compare, |(compared, _, judged, again)| {
            compared.has(&has_recorded) && is_judged(judged) && again.has(&has_history)
        });
    let compared = compared.prints(&has_recorded);
    assert!(!line_of(&compared, STEADY).contains("same code"), "{compared}");
    assert_eq!(recorded_runs.len(), 5, "{recorded_runs:?}");
    for record in recorded_runs {
        assert_eq!((&record["commit"], &record["branch"]), (&base.clone().into(), &"main".into()));
    }
    assert!(is_judged(&judged), "{judged}");
    again.prints(&has_history);
}

#[test]
fn a_renamed_test_is_compared_and_recorded_by_its_new_name() {
    let bench = Bench::new();
    let renamed = "#[perf_test(formerly = \"tiny::perf::steady\")]\nfn renamed";
    bench.replace(crate::PERF, "#[perf_test]\nfn steady", renamed);
    let store = TempStore::new();
    let compare = || {
        store.clear();
        let arguments = ["HEAD", "--history", "--pairs", "5", "--", "renamed"];
        bench.compare(&arguments).store(&store).run().ended_with(0)
    };
    let has_recorded = ["tiny::perf::steady: 5 runs of the base are its history now"];
    let compared = patiently(compare, |compared| compared.has(&has_recorded));
    let compared = compared.prints(&has_recorded);
    assert!(!line_of(&compared, "tiny::perf::renamed").contains("only in"), "{compared}");
    assert!(!compared.stdout.contains("tiny::perf::other"), "{compared}");
}

#[test]
fn a_body_that_fails_in_the_base_is_reported_and_the_others_are_recorded() {
    let bench = Bench::new();
    let broken = "if std::env::var_os(\"PERFTEST_WORKER\").is_none() { panic!(\"no data\") }";
    bench.replace(crate::PERF, "tiny::work(500)", &format!("{broken} tiny::work(500)"));
    bench.commit();
    let store = TempStore::new();
    let arguments = ["HEAD", "--history", "--pairs", "5", "--json", "--", "perf"];
    let record = || {
        store.clear();
        let output = bench.compare(&arguments).store(&store).run().ended_with(0);
        let mut lines = output.json();
        lines.retain(|line| line["event"] == "base_history");
        lines
    };
    let of = |progresses: &[Value], test: &str| {
        progresses.iter().find(|it| it["benchmark"] == test).unwrap().clone()
    };
    let progresses = patiently(record, |progresses| of(progresses, STEADY)["has_history"] == true);
    assert_eq!(of(&progresses, STEADY)["has_history"], true, "{progresses:?}");
    let other = of(&progresses, "tiny::perf::other");
    assert_eq!((&other["has_history"], &other["runs"]), (&false.into(), &0.into()));
    assert!(other["note"].as_str().unwrap().contains("no data"), "{other}");
}

#[test]
fn cases_among_a_librarys_tests_are_recorded_too() {
    let bench = Bench::new();
    add_cases(&bench);
    bench.commit();
    let rewritten = "super::work(rounds).wrapping_add(super::work(1))";
    bench.replace("src/lib.rs", "super::work(rounds)", rewritten);
    let store = TempStore::new();
    let arguments = ["HEAD", "--history", "--pairs", "5", "--", "grows::3000"];
    let has_recorded = ["tiny::tests::grows::3000: 5 runs of the base are its history now"];
    let compare = || {
        store.clear();
        bench.compare(&arguments).store(&store).run().ended_with(0)
    };
    patiently(compare, |compared| compared.has(&has_recorded)).prints(&has_recorded);
    let recorded = |case: &str| store.records_of_all_series(case).len();
    assert!(recorded("grows-3000") >= 5 && recorded("grows-1000") == 0);
}

#[test]
fn a_body_that_hangs_in_the_base_is_stopped_once_and_no_more() {
    let bench = Bench::new();
    bench.replace(crate::PERF, "tiny::work(500)", "loop { std::thread::park() }");
    bench.commit();
    bench.replace(crate::PERF, "loop { std::thread::park() }", "tiny::work(500)");
    let arguments = ["HEAD", "--history", "--timeout", "2s", "--pairs", "5", "--", "perf::other"];
    let compared = bench.compare(&arguments).store(&TempStore::new()).run().ended_with(2);
    assert!(line_of(&compared, "tiny::perf::other").contains("base failed"), "{compared}");
}

#[test]
fn where_nothing_may_be_recorded_that_is_reported_before_anything_is_built() {
    let bench = Bench::new();
    for (store, words) in [("off", "no history is kept"), ("read-only", "nothing can be recorded")]
    {
        let arguments = ["main", "--history"];
        let refused = bench.compare(&arguments).env("PERFTEST_STORE", store).run().ended_with(2);
        let refused = refused.warns(&[words, "--store"]);
        assert!(!refused.stderr.contains("building"), "{refused}");
    }
}

#[test]
fn in_ci_runs_of_a_merged_base_count_after_a_push_and_not_in_a_request() {
    let bench = Bench::new();
    bench.git(&["checkout", "--quiet", "-b", "topic"]);
    rewrite(&bench);
    bench.commit();
    let store = TempStore::new();
    let in_job = |event: &str| {
        let compared = bench.compare(&["main", "--history", "--pairs", "5", "--", "steady"]);
        let compared = compared.env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", event);
        compared.env("GITHUB_REF_NAME", "topic").store(&store).run().ended_with(0)
    };
    in_job("pull_request").prints(&["tiny::perf::steady: has 0 runs of 5"]);
    assert!(
        store
            .records_of_all_series("steady")
            .iter()
            .all(|record| record["counts_for_baseline"] == false)
    );
    let has_recorded = ["5 runs of the base are its history now"];
    let push = || {
        store.clear();
        in_job("push")
    };
    patiently(push, |pushed| pushed.has(&has_recorded)).prints(&has_recorded);
    let records = store.records_of_all_series("steady");
    let mut recorded_runs = records.iter().filter(|record| record["counts_for_baseline"] == true);
    assert!(recorded_runs.all(|record| record["branch"] == "main"), "{records:?}");
}
