//! `cargo perftest run`: with a history, and side by side without one.

use crate::bench::{Bench, line_of};
use crate::{
    DECISIONS_UNREADABLE, PERF, STEADY, add_cases, rewrite, slow_down,
    store_with_unreadable_decisions,
};
use perftest_tests::{
    Outcome, TempStore, assert_json_conforms, patiently, until_it_ends_with, until_it_prints,
};
use serde_json::Value;
use std::fs;

const BOOTSTRAP: [&str; 3] = ["--bootstrap=ab", "--base", "main"];

fn compared(outcome: &Outcome) -> bool {
    outcome.stderr.contains("building the base")
}

#[test]
fn without_any_history_slower_code_is_found_side_by_side() {
    let bench = Bench::new();
    slow_down(&bench);
    let slower = until_it_ends_with(1, || bench.run(&BOOTSTRAP).run());
    assert!(line_of(&slower, STEADY).contains("  slower"), "{slower}");
    assert!(!line_of(&slower, "tiny::perf::other").contains("  slower"), "{slower}");
    let slower =
        slower.prints(&["test steady ... ok", "tests::inside ... ok", "the head is slower"]);
    assert!(!slower.stdout.contains("ordinary"), "{slower}");
    assert!(!bench.repository().join("ordinary-test-ran").exists());
}

#[test]
fn unchanged_code_is_measured_beside_the_base_when_asked_for() {
    let bench = Bench::new();
    let answer = |more: &[&str]| {
        let asked = [&["--json", "--pairs", "5"], more, &["--", "steady"]].concat();
        let output = bench.run(&BOOTSTRAP).args(&asked).run().stdout;
        let lines = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let compared: Vec<Value> = lines.filter(|line| line["benchmark"] == STEADY).collect();
        assert_eq!(compared.len(), 1, "{output}");
        compared[0]["answer"].clone()
    };
    assert_eq!(answer(&[]), "same_code");
    assert_ne!(answer(&["--measure-same-code"]), "same_code");
}

#[test]
fn a_job_of_a_pull_request_gets_what_was_compared_in_every_form() {
    let bench = Bench::new();
    let files = TempStore::new();
    let [summary, comment, junit] =
        ["summary.md", "comment.md", "perf.xml"].map(|name| files.path().join(name));
    let export = format!("junit={}", junit.display());
    bench.git(&["checkout", "--quiet", "-b", "slower"]);
    slow_down(&bench);
    bench.commit();
    let run = || {
        let store = TempStore::new();
        let _ = fs::remove_file(&summary);
        let job = [
            ("CI", "true"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_EVENT_NAME", "pull_request"),
            ("GITHUB_HEAD_REF", "slower"),
            ("GITHUB_REF_NAME", "7/merge"),
            ("GITHUB_BASE_REF", "main"),
        ];
        let run = bench.run(&BOOTSTRAP).args(&["--comment", comment.to_str().unwrap()]);
        let run = run.args(&["--export", &export, "--", "steady"]).store(&store);
        let run = job.into_iter().fold(run, |run, (name, value)| run.env(name, value));
        run.env("GITHUB_STEP_SUMMARY", &summary).run()
    };
    let slower = until_it_ends_with(1, run);
    let errors = slower.stderr.lines().filter(|line| line.starts_with("::error "));
    let errors: Vec<&str> = errors.collect();
    let place = format!("::error file=tests/perf.rs,line=5::{STEADY} ");
    assert!(errors.len() == 1 && errors[0].starts_with(&place), "{errors:?}");
    assert!(errors[0].contains("x slower, at least "), "{errors:?}");
    assert!(!slower.stderr.contains("--bootstrap=ab"), "advice already followed: {slower}");
    let [summary, comment, junit] =
        [summary, comment, junit].map(|file| fs::read_to_string(file).unwrap());
    let case = junit.split("<testcase").find(|case| case.contains("name=\"steady\"")).unwrap();
    assert!(case.contains("file=\"tests/perf.rs\" line=\"5\""), "{junit}");
    assert!(case.contains("<failure") && case.contains("x slower, at least "), "{junit}");
    let row = format!("| <code>{STEADY}</code> | ");
    for text in [&summary, &comment] {
        assert!(text.contains("### Performance: the head is slower\n"), "{text}");
        assert!(text.lines().any(|it| it.starts_with(&row) && it.contains(" slower ")), "{text}");
    }
    let heading = "<!-- perftest -->\n### Performance tests: 1 ";
    assert!(comment.starts_with(heading), "{comment}");
    let nowhere = bench.run(&["--comment", "no/such/place.md"]).run().ended_with(2);
    nowhere.warns(&["no/such/place.md` cannot be written"]);
}

#[test]
fn where_the_base_cannot_be_built_the_results_are_still_written() {
    let (bench, files) = (Bench::new(), TempStore::new());
    bench.replace(PERF, "use perftest", "mod missing;\nuse perftest");
    bench.commit();
    bench.replace(PERF, "mod missing;\n", "");
    let [comment, junit] = ["comment.md", "perf.xml"].map(|name| files.path().join(name));
    let export = format!("junit={}", junit.display());
    let run = || {
        let run = bench.run(&BOOTSTRAP).args(&["--comment", comment.to_str().unwrap()]);
        run.args(&["--export", &export, "--", "perf"]).store(&TempStore::new()).run()
    };
    let why = "the base (main) cannot be built";
    run().ended_with(2).warns(&[why]);
    let [text, cases] = [&comment, &junit].map(|file| fs::read_to_string(file).unwrap());
    assert!(text.contains("### Performance: not compared with the base\n\nthe base "), "{text}");
    assert!(cases.contains("name=\"steady\""), "{cases}");
    bench.replace(PERF, "tiny::work(500)", "panic!(\"the catalogue is gone\")");
    run().ended_with(101).warns(&[why]);
}

/// Empties the store and runs `steady` until it is compared with its history.
fn learn_steady(bench: &Bench, store: &TempStore) {
    let in_one_go = || {
        store.clear();
        let learn = || bench.run(&["--", "steady"]).store(store).run().ended_with(0);
        (0..12).any(|_| learn().has(&[" vs 5 runs"]))
    };
    assert!(patiently(in_one_go, |has_learned| *has_learned), "nothing was learned");
}

#[test]
fn tests_with_a_history_are_judged_by_it_and_nothing_is_built_for_others() {
    let bench = Bench::new();
    let store = TempStore::new();
    let judge = || bench.run(&BOOTSTRAP).args(&["--", "steady"]).store(&store).run();
    let lacks_none = "each measured test was judged by its history";
    let after_learning = || {
        learn_steady(&bench, &store);
        let judged = judge().ended_with(0);
        // The others have none.
        (judged, bench.run(&BOOTSTRAP).store(&store).run().ended_with(0))
    };
    // Nor is a history compared with while the machine runs at another speed.
    let is_compared = |it: &Outcome| it.stdout.contains(&format!("\n{STEADY} "));
    let (judged, both) = patiently(after_learning, |(judged, both)| {
        judged.stderr.contains(lacks_none) && !is_compared(both)
    });
    assert!(!compared(&judged), "{judged}");
    judged.warns(&[lacks_none]);
    assert!(compared(&both) && !is_compared(&both), "{both}");
    assert!(line_of(&both, "tiny::perf::other").contains("same code"), "{both}");
    let slowed = || {
        learn_steady(&bench, &store);
        slow_down(&bench);
        let slowed = judge();
        bench.git(&["checkout", "--quiet", PERF]);
        slowed
    };
    let red = patiently(slowed, |it| it.code == Some(1) && !compared(it)).ended_with(1);
    assert!(red.line_of("steady").starts_with("FAILED") && !compared(&red), "{red}");
    let summary =
        red.stdout.split("\n1 test: 1 slower\n").nth(1).unwrap_or_else(|| panic!("{red}"));
    assert!(summary.starts_with(&format!("\nslower          {STEADY}\n")), "{red}");
    assert!(summary.contains("x slower, at least "), "{red}");
    assert!(summary.ends_with(&format!("why: cargo perftest show {STEADY}\n")), "{red}");
}

#[test]
fn a_run_ends_with_what_needs_a_look_and_lists_the_others_when_asked() {
    let bench = Bench::new();
    let run = |arguments: &[&str], code| bench.run(arguments).run().ended_with(code);
    // A machine in no state to measure a first run needs a look itself.
    let headline = "\n3 tests: 3 no baseline (--all lists every test)\n";
    let folded = until_it_prints(&[headline], || run(&[], 0));
    assert!(!folded.stdout.contains(&format!(" {STEADY}\n")), "{folded}");
    let listed = format!("no baseline     {STEADY}\n");
    let all = until_it_prints(&["\n3 tests: 3 no baseline\n", &listed], || run(&["--all"], 0));
    assert!(!all.stderr.contains("\r"), "no progress without a terminal: {all}");
    bench.replace(PERF, "tiny::work(500)", "panic!(\"the catalogue is gone\")");
    for (runner, code) in [("cargo", 101), ("nextest", 100)] {
        let option = if runner == "nextest" { " --runner nextest" } else { "" };
        let again =
            format!("again: cargo perftest run{option} --package tiny -- tiny::perf::other\n");
        let headline = "\n3 tests: 1 failed, 2 no baseline";
        let broken = || run(&["--runner", runner, "-p", "tiny"], code);
        until_it_prints(&[headline], broken).prints(&["the catalogue is gone", &again]);
    }
}

#[test]
fn a_case_among_a_librarys_tests_is_run_and_compared_by_its_name() {
    let bench = Bench::new();
    add_cases(&bench);
    bench.commit();
    for (case, ordinary) in [("grows::3000", "grows::_3000"), ("found::3000", "found")] {
        let run = bench.run(&["--", case]).run().ended_with(0);
        assert!(run.line_of(&format!("tests::{ordinary}")).starts_with("ok"), "{run}");
        assert!(!run.stdout.contains("grows::_1000"), "{run}");
        assert!(!run.stderr.contains("it is not known how"), "{run}");
    }
    bench.replace("src/lib.rs", "super::work(rounds)", "super::work(10 * rounds)");
    let run = || bench.run(&BOOTSTRAP).args(&["--", "grows::3000"]).run();
    let slower = until_it_ends_with(1, run);
    assert!(line_of(&slower, "tiny::tests::grows::3000").contains("  slower"), "{slower}");
    assert!(!slower.stdout.contains("tiny::tests::grows::1000"), "{slower}");
}

#[test]
fn a_case_that_is_known_only_at_run_time_is_run_without_the_others() {
    let bench = Bench::new();
    add_cases(&bench);
    let over_limit = "[[override]]\nfilter = \"tiny::tests::found::1000\"\nlimit = \"1ns\"\n";
    bench.write("perftest.toml", over_limit);
    let store = TempStore::new();
    bench.run(&["--", "found::3000"]).store(&store).run().ended_with(0);
    let recorded = |case: &str| store.records_of_all_series(case).len();
    assert!(recorded("found-3000") > 0 && recorded("found-1000") == 0);
}

#[test]
fn a_test_of_another_package_with_the_same_name_is_not_run() {
    let bench = Bench::new();
    bench.add_member(
        "#[perf_test(limit = \"1ns\")]\nfn steady() -> u64 {\n    tiny::work(500)\n}\n",
    );
    for runner in ["cargo", "nextest"] {
        let store = TempStore::new();
        let run = bench.run(&["--runner", runner, "--workspace", "--", STEADY]).store(&store);
        run.run().ended_with(0);
        let is_recorded = |package: &str| {
            store.histories().iter().any(|file| file.to_string_lossy().contains(package))
        };
        assert!(is_recorded("tiny") && !is_recorded("member"), "{:?}", store.histories());
    }
}

#[test]
fn where_decisions_cannot_be_read_tests_are_compared_with_the_base() {
    let bench = Bench::new();
    let store = store_with_unreadable_decisions(&bench);
    let run = bench.run(&BOOTSTRAP).store(&store).run().ended_with(0);
    let run = run.warns(&[DECISIONS_UNREADABLE]);
    assert!(line_of(&run, STEADY).contains("same code"), "{run}");
}

#[test]
fn a_new_test_has_nothing_to_be_compared_with_and_passes() {
    let bench = Bench::new();
    bench.replace(PERF, "fn other", "fn renamed");
    let arguments = ["--", "perf::renamed"];
    let new = bench.run(&BOOTSTRAP).args(&arguments).run().ended_with(0);
    assert!(line_of(&new, "tiny::perf::renamed").contains("only in head"), "{new}");
}

#[test]
fn a_stage_without_a_history_is_not_decided_by_the_wall_time_of_the_whole() {
    let bench = Bench::new();
    bench.replace(
        PERF,
        "fn other() -> u64 {\n    tiny::work(500)",
        "fn other(b: &mut perftest::Bencher) {\n    \
         b.iter_stages(|s| s.stage(\"pack\", || tiny::work(500)))",
    );
    bench.commit();
    rewrite(&bench);
    let run =
        |further: &[&str]| bench.run(&BOOTSTRAP).args(further).args(&["--", "perf::other"]).run();
    let remark = "tiny::perf::other: only wall time was compared, not pack";
    until_it_prints(&[remark], || run(&[])).ended_with(0);
    let asked = until_it_ends_with(3, || run(&["--undecided=fail"]));
    asked.prints(&["not everything could be decided"]);
}

#[test]
fn a_body_that_fails_ends_as_the_runner_ends_and_the_others_are_compared() {
    let bench = Bench::new();
    bench.replace(PERF, "tiny::work(500)", "panic!(\"the catalogue is gone\")");
    let failed = bench.run(&BOOTSTRAP).args(&["--", "perf"]).run().ended_with(101);
    let failed = failed.prints(&["the catalogue is gone"]);
    assert!(!line_of(&failed, STEADY).contains("only in"), "{failed}");
    assert!(!failed.stdout.contains("\ntiny::perf::other "), "{failed}");
}

#[test]
fn a_test_that_fails_in_the_base_alone_is_open_and_what_mends_it_passes() {
    let bench = Bench::new();
    bench.replace(PERF, "tiny::work(500)", "panic!(\"the catalogue is gone\")");
    bench.commit();
    bench.replace(PERF, "panic!(\"the catalogue is gone\")", "tiny::work(500)");
    let run = |more: &[&str]| bench.run(&BOOTSTRAP).args(more).args(&["--", "perf::other"]).run();
    let mended = run(&[]).ended_with(0);
    assert!(line_of(&mended, "tiny::perf::other").contains("base failed"), "{mended}");
    mended.prints(&["tiny::perf::other: base: ", "the catalogue is gone"]);
    run(&["--undecided=fail"]).ended_with(3);
    bench.compare(&["main", "--", "perf::other"]).run().ended_with(2);
    let fails_beside_others = "assert!(std::env::var_os(\"PERFTEST_WORKER\").is_none(), \"no data\");\n    tiny::work(500)";
    bench.replace(PERF, "tiny::work(500)", fails_beside_others);
    bench.commit();
    bench.replace(PERF, "work(500)", "work(501)");
    let on_both_sides = run(&[]).ended_with(2);
    assert!(line_of(&on_both_sides, "tiny::perf::other").contains("  failed"), "{on_both_sides}");
}

#[test]
fn nextest_runs_them_too() {
    let bench = Bench::new();
    let run = bench.run(&["--runner", "nextest"]).run().ended_with(0);
    run.warns(&["tiny::perf steady", "tests::inside", "3 tests run: 3 passed"]);
    bench.replace(PERF, "tiny::work(500)", "panic!(\"the catalogue is gone\")");
    bench.run(&["--runner", "nextest", "--", "other"]).run().ended_with(100);
    add_cases(&bench);
    let run = bench.run(&["--runner", "nextest", "--", "grows"]).run().ended_with(0);
    run.warns(&["tests::grows::_1000", "tests::grows::_3000", "2 tests run: 2 passed"]);
}

/// The lines of `export jsonl`: the session, then its verdicts.
fn exported(bench: &Bench, store: &TempStore) -> (Value, Vec<Value>) {
    let output = bench.tool(&["export", "jsonl"]).store(store).run().ended_with(0);
    let mut lines = output.json();
    (lines.remove(0), lines)
}

#[test]
fn all_binaries_of_a_run_are_one_session_with_one_summary_the_worst_first() {
    let bench = Bench::new();
    bench.replace(PERF, "#[perf_test]\nfn other", "#[perf_test(limit = \"1ns\")]\nfn other");
    for runner in ["cargo", "nextest"] {
        let store = TempStore::new();
        let run = || {
            store.clear();
            bench.run(&["--runner", runner]).store(&store).run()
        };
        // A busy machine proves no limit, and may be in no state to measure a first run.
        let headline = "\n3 tests: 1 over limit, 2 no baseline (--all lists every test)\n\n";
        let run = until_it_prints(&[headline], run).ended_with(1);
        assert_eq!(run.stdout.matches(" tests: ").count(), 1, "{run}");
        let run = run.prints(&[&format!("{headline}over limit      tiny::perf::other\n")]);
        assert!(run.stdout.ends_with("why: cargo perftest show tiny::perf::other\n"), "{run}");
        let (session, verdicts) = exported(&bench, &store);
        assert_eq!((&session["series"], &session["failed"]), (&3.into(), &1.into()), "{session}");
        assert_eq!(verdicts[0]["benchmark"], "tiny::perf::other");
        assert!(verdicts.iter().all(|it| it["session"] == session["session"]), "{verdicts:?}");
    }
}

#[test]
fn a_run_in_markdown_has_the_values_and_prints_the_rest_on_standard_error() {
    let bench = Bench::new();
    bench.replace(PERF, "#[perf_test]\nfn other", "#[perf_test(limit = \"1ns\")]\nfn other");
    let heading =
        "### Performance tests: 1 over limit, 1 no baseline\n\n|  | test | verdict | measured |\n";
    let run = || bench.run(&["--format", "markdown", "--", "perf"]).run();
    let run = until_it_prints(&[heading], run).ended_with(1);
    assert!(run.stdout.starts_with(heading), "{run}");
    let row = run.stdout.lines().find(|line| line.contains("tiny::perf::other</code>")).unwrap();
    assert!(row.starts_with("| ❌ | <code>tiny::perf::other</code> | over limit | "), "{run}");
    assert!(
        row.contains("over its limit") && (row.contains(" ns ") || row.contains(" us ")),
        "{run}"
    );
    run.warns(&["test other ... FAILED"]);
}

/// The stores of three shards of one workflow run, of which each ran a part of the three tests.
fn shards(bench: &Bench, runner: &str) -> Vec<TempStore> {
    let shards = ["1/3", "2/3", "3/3"].map(|part| {
        let store = TempStore::new();
        let run = bench.run(&["--runner", runner, "--shard", part]).store(&store);
        run.env("GITHUB_RUN_ID", "77").run().ended_with(0);
        let ran =
            ["steady", "other", "inside"].map(|test| !store.records_of_all_series(test).is_empty());
        (store, ran)
    });
    for test in 0..3 {
        let count = shards.iter().filter(|(_, ran)| ran[test]).count();
        assert_eq!(count, 1, "{runner}: test {test} of {shards:?}");
    }
    // A shard without a test recorded nothing.
    shards.into_iter().filter(|(_, ran)| ran.contains(&true)).map(|(store, _)| store).collect()
}

#[test]
fn each_test_runs_in_one_of_the_shards_and_merged_they_are_one_session() {
    let bench = Bench::new();
    shards(&bench, "nextest");
    let shards = shards(&bench, "cargo");
    let merged = TempStore::new();
    let paths: Vec<&str> = shards.iter().map(|store| store.path().to_str().unwrap()).collect();
    bench.tool(&[&["merge"], &paths[..]].concat()).store(&merged).run().ended_with(0);
    let whole = TempStore::new();
    bench.run(&[]).store(&whole).run().ended_with(0);
    let summary = |store: &TempStore| {
        let (session, verdicts) = exported(&bench, store);
        let count = |key: &str| session[key].as_u64().unwrap();
        // A first run on a machine in no state to measure is undecided, and not without a baseline.
        let first_runs = count("undecided") + count("without_baseline");
        let counts = [count("series"), count("failed"), count("passed"), first_runs];
        let mut names: Vec<Value> =
            verdicts.into_iter().map(|mut it| it["benchmark"].take()).collect();
        names.sort_by_key(Value::to_string);
        (counts, names)
    };
    assert_eq!(summary(&merged), summary(&whole));
    assert_eq!(exported(&bench, &merged).0["session"], "github-77");
}

#[test]
fn with_a_budget_doubtful_tests_run_before_sure_ones_and_cheap_ones_before_dear_ones() {
    let bench = Bench::new();
    let store = TempStore::new();
    bench.run(&[]).store(&store).run().ended_with(0);
    // What the history says of each: its last verdict and what it took, in seconds.
    let pretend = |truth: [(&str, &str, u64); 3]| {
        for (test, verdict, seconds) in truth {
            store.rewrite(test, |record| {
                record["verdict"] = verdict.into();
                record["spent_ns"] = (seconds * 1_000_000_000).into();
            });
        }
    };
    let ran = |budget: &str, code: i32| {
        let run = bench.run(&["--budget", budget]).store(&store).run().ended_with(code);
        (run.started().into_iter().map(str::to_owned).collect::<Vec<_>>(), run)
    };
    // None fits into a quarter of the time beside another: each has an invocation of its own.
    pretend([("steady", "green", 40), ("other", "unclear", 50), ("inside", "improved", 30)]);
    assert_eq!(ran("80s", 0).0, ["other", "tests::inside", "steady"]);
    // What takes too long is left out, and keeps no other from running.
    pretend([("steady", "green", 20), ("other", "unclear", 500), ("inside", "green", 15)]);
    let (started, run) = ran("50s", 4);
    assert_eq!(started, ["tests::inside", "steady"]);
    run.prints(&["because the budget is over: 1\n  tiny::perf::other\n"]);
}

#[test]
fn tests_that_the_budget_leaves_no_time_for_are_named_and_are_no_pass() {
    let bench = Bench::new();
    let late = bench.run(&["--budget", "1ns"]).run().ended_with(4);
    late.prints(&["because the budget is over: 3", STEADY, "tiny::perf::other"]);
    let json = bench.run(&["--budget", "1ns", "--json"]).run().ended_with(4);
    let events = json.json();
    assert!(events.iter().all(|event| event["event"] == "not_run"), "{json}");
    assert_json_conforms("events.schema.json", &events);
    assert_eq!(events.len(), 3);
    let late = bench.run(&BOOTSTRAP).args(&["--budget", "1ns"]).run().ended_with(4);
    assert!(!compared(&late), "{late}");
    let enough = bench.run(&["--budget", "10m"]).run().ended_with(0);
    assert!(!enough.stdout.contains("budget is over"), "{enough}");
    assert!(enough.stdout.contains("test steady ... ok"), "{enough}");
}

#[test]
fn programs_get_the_answers_alone() {
    let bench = Bench::new();
    let output = bench.run(&BOOTSTRAP).args(&["--json"]).run().ended_with(0);
    let answers: Vec<Value> = output.json().iter().map(|line| line["answer"].clone()).collect();
    assert_eq!(answers, ["same_code"; 3], "{output}");
    output.warns(&["test steady ... ok"]);
}

#[test]
fn on_a_terminal_a_run_shows_how_far_it_is_and_clears_that_in_the_end() {
    let bench = Bench::new();
    let run = bench.run_on_terminal().run().ended_with(0);
    let run = run.prints(&["] 0/3 tests", "test steady ... ok", "test result: ok. 2 passed"]);
    let (progress, summary) = run.stdout.split_once("\n3 tests: ").expect("it ends with a summary");
    assert!(progress.trim_end().ends_with("\u{1b}[2K") && !summary.contains("0/3"), "{run}");
}

#[test]
fn a_run_whose_reader_goes_away_ends_as_its_tests_say() {
    let bench = Bench::new();
    for runner in ["cargo", "nextest"] {
        let run = bench.run(&["--runner", runner]);
        run.unread().run().ended_with(0);
    }
    let over = || bench.run(&["--", "inside"]).env("PERFTEST_LIMIT", "1ns").unread().run();
    until_it_ends_with(1, over);
}

#[test]
fn what_is_wrong_with_the_call_is_reported_before_anything_is_built() {
    let bench = Bench::new();
    for arguments in [&["--bootstrap=ab"][..], &["--base", "main"], &["--bootstrap=record"]] {
        bench.run(arguments).run().ended_with(2);
    }
    for arguments in [&["--pairs", "10"], &["--test-budget", "10s"]] {
        bench.run(arguments).run().ended_with(2).warns(&["--bootstrap <HOW>"]);
    }
    for word in ["off", "read-only"] {
        let export = bench.run(&["--export", "junit=perf.xml"]).env("PERFTEST_STORE", word);
        export.run().ended_with(2).warns(&[&format!("PERFTEST_STORE is `{word}`")]);
    }
    bench.run(&["--tolerance", "3%"]).run().ended_with(2).warns(&["PERFTEST_TOLERANCE"]);
    let unknown = bench.run(&["--bootstrap=ab", "--base", "no-such-branch"]).run().ended_with(2);
    let unknown = unknown.warns(&["there is no revision `no-such-branch`"]);
    assert!(!unknown.stderr.contains("Compiling") && unknown.stdout.is_empty(), "{unknown}");
    let nothing = bench.run(&["--", "no-such-test"]).run().ended_with(2);
    nothing.warns(&["there is no performance test of this name"]);
}
