//! Which runs and alerts count, and by which rules.

use super::{CHANGE, checked, commit, filled, is, of_commit, rules, run, state, table};
use crate::bench::Bench;
use perftest_core::model::{BenchmarkId, Direction, Metric, Note, Reason, Run, Tag};
use perftest_tests::Outcome;
use serde_json::Value;

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
    slower("codec::attribute", &[Run::ON_RED_REPORT]);
    slower("codec::name_bencher_ignore::64", &[]);
    slower("codec::slow::one", &[]);
    let state_of = |test: &str| {
        let (_, alerts, _) = checked(&bench, &[]);
        let alert = alerts.into_iter().find(|it| it["benchmark"] == test).unwrap();
        (alert["state"].as_str().unwrap().to_owned(), alert["reason"].as_str().map(str::to_owned))
    };
    let suppressed = |why: &str| ("suppressed".to_owned(), Some(why.to_owned()));
    assert_eq!(state_of("codec::a"), ("open".to_owned(), None));
    assert_eq!(state_of("codec::attribute"), suppressed("the test has on_red = \"report\""));
    assert_eq!(
        state_of("codec::name_bencher_ignore::64"),
        suppressed("its name ends in a suffix to ignore alerts")
    );
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
    rules(&bench, &format!("{CHANGE}{filter}until = \"2020-01-31\"\n"));
    assert_eq!(state_of("codec::slow::one").0, "open");
    let text = table(&bench, &[]);
    let note = "note: perftest.toml:6: the suppression of codec::slow::* ended with 2020-01-31";
    assert!(text.contains(note), "{text}");
    rules(&bench, &format!("{CHANGE}[[suppress]]\nfilter = \"*\"\nreason = \"all\"\n"));
    assert_eq!(checked(&bench, &[]).0, 0);
}

#[test]
fn a_suppression_goes_with_a_renamed_test_and_is_noted_where_it_covers_nothing() {
    let suppress = |filter: &str, more: &str| {
        format!("{CHANGE}[[suppress]]\nfilter = \"{filter}\"\nreason = \"waits\"\n{more}")
    };
    let former = "codec::frame::encode";
    let bench = filled("check-renamed", &suppress(former, ""), &[100.0, 100.0, 150.0]);
    is((0, "suppressed"), state(&bench));
    let renamed = Run {
        benchmark: BenchmarkId::from_recorded("codec::frame::pack"),
        formerly: Some(BenchmarkId::from_recorded(former)),
        ..run(3, 150.0)
    };
    bench.append(&renamed);
    is((0, "suppressed"), state(&bench));
    let note = |filter: &str| {
        format!(
            "note: perftest.toml:6: the suppression of {filter} covers no watched run on branch"
        )
    };
    assert!(!table(&bench, &[]).contains(&note(former)), "{}", table(&bench, &[]));

    rules(&bench, &suppress("codec::gone::*", ""));
    is((1, "open"), state(&bench));
    let idle = note("codec::gone::*");
    assert!(table(&bench, &[]).contains(&format!("{idle} main\n")), "{}", table(&bench, &[]));
    assert!(!table(&bench, &["pack"]).contains(&idle), "another test is not looked at");
    for elsewhere in ["branch = \"topic\"\n", "until = \"2020-01-31\"\n"] {
        rules(&bench, &suppress("codec::gone::*", elsewhere));
        assert!(!table(&bench, &[]).contains(&idle), "{elsewhere}");
    }
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
        (["--threshold", "x"], "the thresholds are: latency"),
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
        command.args(["check", "--json", "--branch", "topic"]);
        command.envs(default.map(|name| ("PERFTEST_DEFAULT_BRANCH", name)));
        Outcome::of(&mut command).json().remove(0)
    };
    let alone = check(None);
    assert_eq!((&alone["state"], &alone["runs"]), (&"unjudged".into(), &1.into()));
    let alert = check(Some("main"));
    assert_eq!((&alert["state"], &alert["after_commit"]), (&"open".into(), &commit(1).into()));
    let newest = checked(&bench, &[]).2;
    assert_eq!(newest["branch"], "topic", "nothing is checked out: that of the newest run");
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
        checked(&bench, &["--reevaluate"]).1[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(checked_anew(&one(&format!("any = [ {t_test}, {five} ]"))), "quiet");
    let former = t_test.replace("upper", "compat = \"0.6.2\", upper");
    assert_eq!(checked_anew(&one(&format!("any = [ {former}, {five} ]"))), "open");
    assert_eq!(checked_anew(&one(&format!("all = [ {former}, {five} ]"))), "quiet");
    let nested = format!("all = [ {former}, {{ any = [ {five}, {former} ] }} ]");
    assert_eq!(checked_anew(&one(&nested)), "open");
}

#[test]
fn of_two_alarms_of_any_the_one_that_fails_counts() {
    // Faster than in all, and slower than the two runs before.
    let values = [vec![200.0; 10], vec![100.0, 100.0, 115.0]].concat();
    let faster = "{ test = \"percentage\", lower = 0.2 }";
    let slower = "{ test = \"percentage\", upper = 0.1, max_sample_size = 2 }";
    for (name, criteria) in
        [("check-any-first", [faster, slower]), ("check-any-second", [slower, faster])]
    {
        let rule = format!("[[threshold]]\nname = \"a\"\nany = [ {} ]\n", criteria.join(", "));
        is((1, "open"), state(&filled(name, &rule, &values)));
    }
}

#[test]
fn repeated_runs_of_a_commit_are_one_sample_for_tests_that_compare_samples() {
    let rule = "[[threshold]]\nname = \"a\"\ntest = \"mann_whitney\"\nminimum_effect = \"5%\"\n";
    let bench = Bench::new("check-sample");
    rules(&bench, rule);
    (0..8).for_each(|nth| bench.append(&run(nth, 100.0 + nth as f64 / 10.0)));
    (8..11).for_each(|nth| bench.append(&of_commit(nth, 110.0 + nth as f64, "b")));
    // Three and eight values never reach the level.
    is((0, "unjudged"), state(&bench));
    bench.append(&of_commit(11, 121.0, "b"));
    is((1, "open"), state(&bench));
}

#[test]
fn runs_that_cannot_be_compared_are_kept_apart() {
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
    for part in [
        "set aside in 1 history: 3 runs of another configuration",
        "set aside in 1 history: 1 run on a machine in no state",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn the_times_of_a_disturbed_or_slower_machine_are_set_aside_and_open_no_alert() {
    let bench = filled("check-disturbed", CHANGE, &[100.0, 100.0, 100.0]);
    for (nth, reason, note) in [
        (3, Reason::Green, Some(Note::NotCountedDisturbed)),
        (4, Reason::MachineSlower, None),
        (5, Reason::Unclear, Some(Note::NotCountedDisturbed)),
    ] {
        let mut slow = run(nth, 125.0);
        let evidence = slow.evidence.as_mut().unwrap();
        evidence.reason = reason;
        evidence.notes.extend(note);
        bench.append(&slow);
    }
    is((0, "quiet"), state(&bench));
    let part =
        "set aside in 1 history: 3 runs nearly all disturbed, or on a machine that was slower";
    let text = table(&bench, &[]);
    assert!(text.contains(part), "{text}");
    bench.append(&run(6, 125.0));
    is((1, "open"), state(&bench));
}

#[test]
fn too_few_runs_are_reported_and_fail_nothing() {
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
    assert!(text.contains("..b00000000, and what is not committed"), "{text}");
}

#[test]
fn a_history_of_runs_that_are_all_set_aside_is_reported_as_not_judged() {
    let bench = filled("check-aside", CHANGE, &[]);
    for nth in 0..3 {
        let mut stolen = run(nth, 100.0 * (nth + 1) as f64);
        stolen.environment.distrust(Tag::Steal);
        bench.append(&stolen);
    }
    let (code, alerts, last) = checked(&bench, &[]);
    assert_eq!((code, &last["watched"], &last["unjudged"]), (0, &1.into(), &1.into()));
    let alert = &alerts[0];
    assert_eq!((&alert["state"], &alert["runs"]), (&"unjudged".into(), &0.into()));
    assert_eq!(
        (&alert["reason"], &alert["set_aside"]),
        (&"every run is set aside".into(), &3.into())
    );
    let text = table(&bench, &[]);
    for part in [
        "1 not judged\n  not judged: every run is set aside (1: codec::frame::encode)\n",
        "set aside in 1 history: 3 runs on a machine in no state",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("watches no run") && !text.contains("not committed"), "{text}");
}

#[test]
fn a_limit_changes_what_is_reported_and_not_what_is_judged() {
    let values = [100.0, 100.0, 100.0, 91.0, 101.0, 101.0];
    let bench = filled("check-limit", CHANGE, &values);
    let (code, alerts, _) = checked(&bench, &["--limit", "2"]);
    assert_eq!((code, &alerts[0]["state"], &alerts[0]["runs"]), (0, &"quiet".into(), &6.into()));
    is((0, "quiet"), state(&bench));
    (6..9).for_each(|nth| bench.append(&run(nth, 130.0)));
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "known"]);
    let (_, alerts, _) = checked(&bench, &["--limit", "1"]);
    assert_eq!(alerts[0]["state"], "acknowledged");
    let mut elsewhere = run(9, 100.0);
    elsewhere.revision.branch = "topic".into();
    bench.append(&elsewhere);
    assert_eq!(checked(&bench, &["--branch", "*", "--limit", "1"]).2["watched"], 1);
    assert_eq!(checked(&bench, &["--branch", "*"]).2["watched"], 2);
}

#[test]
fn an_alert_that_was_open_is_not_over_because_the_unit_changed() {
    let bench = filled("check-unit", CHANGE, &[100.0, 100.0, 100.0, 120.0, 121.0]);
    is((1, "open"), state(&bench));
    let in_us = Metric { unit: "us".into(), ..Metric::wall() };
    bench.append(&Run { metric: in_us.clone(), ..run(5, 0.12) });
    let (code, alerts, _) = checked(&bench, &[]);
    let alert = &alerts[0];
    assert_eq!((code, alerts.len(), &alert["state"]), (0, 1, &"unjudged".into()));
    assert_eq!((&alert["runs"], &alert["set_aside"]), (&1.into(), &5.into()));
    assert_eq!((&alert["unit"], &alert["left_open_in"]), (&"us".into(), &"ns".into()));
    let directions = (&alert["better"], &alert["left_open_better"]);
    assert_eq!(directions, (&"lower".into(), &"lower".into()));
    let text = table(&bench, &[]);
    for part in [
        "set aside in 1 history: 5 runs in another unit or direction, which are another history",
        "note: an alert of `latency` on wall of codec::frame::encode was open when the values became \
         those in us: the runs in ns are another history, which leaves the alert unresolved",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }

    let turned = Metric { direction: Direction::Higher, ..in_us.clone() };
    bench.append(&Run { metric: turned, ..run(6, 0.12) });
    let alert = &checked(&bench, &[]).1[0];
    assert_eq!((&alert["better"], &alert["left_open_better"]), (&"higher".into(), &"lower".into()));

    // One that was in order leaves nothing open, and one on another branch is not this one's.
    let bench = filled("check-unit-quiet", CHANGE, &[100.0, 100.0]);
    let mut elsewhere = run(2, 130.0);
    elsewhere.revision.branch = "topic".into();
    bench.append(&elsewhere);
    bench.append(&Run { metric: in_us, ..run(3, 0.1) });
    let (_, alerts, _) = checked(&bench, &["--branch", "*"]);
    let of = |branch: &str| alerts.iter().find(|it| it["branch"] == branch).unwrap();
    assert_eq!((&of("main")["set_aside"], &of("main")["left_open_in"]), (&2.into(), &Value::Null));
    assert_eq!((&of("topic")["runs"], &of("topic")["set_aside"]), (&0.into(), &1.into()));
    assert!(!table(&bench, &[]).contains("was open"));
}

#[test]
fn a_given_limit_is_reported_as_it_was_given() {
    let rule = "[[threshold]]\nname = \"a\"\ntest = \"static\"\nupper = 100\n";
    let bench = filled("check-static", rule, &[150.0, 150.0, 150.0, 149.0]);
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["upper"], &alerts[0]["lower"]), (1, &100.0.into(), &Value::Null));
}

#[test]
fn in_a_job_that_checks_out_a_commit_the_branch_of_the_job_is_checked() {
    let bench = filled("check-job", CHANGE, &[100.0, 100.0, 150.0]);
    let mut newest = run(9, 100.0);
    newest.revision.branch = "topic".into();
    bench.append(&newest);
    let job = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_HEAD_REF", "main"),
        ("GITHUB_BASE_REF", "release"),
        ("GITHUB_REF_NAME", "7/merge"),
    ];
    let checked = Outcome::of(bench.command().args(["check"]).envs(job));
    checked.ended_with(1).prints(&["  main  ", "\n1 open\n"]);
}

#[test]
fn in_a_job_that_checks_out_a_commit_of_no_branch_the_default_branch_is_checked() {
    let bench = filled("check-other-commit", CHANGE, &[100.0, 100.0]);
    for (nth, branch) in [(8, "HEAD"), (9, "topic")] {
        let mut newest = run(nth, 100.0);
        newest.revision.branch = branch.into();
        bench.append(&newest);
    }
    bench.git(&["init", "-q", "-b", "main"]);
    bench.git(&["commit", "-q", "--allow-empty", "-m", "released"]);
    let merged = bench.git(&["rev-parse", "HEAD"]);
    bench.git(&["checkout", "-q", "--detach"]);
    let branch = |of_job: &str, commit: &str| {
        let job = [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_HEAD_REF", ""),
            ("GITHUB_REF_NAME", of_job),
            ("GITHUB_SHA", commit),
            ("PERFTEST_DEFAULT_BRANCH", "main"),
        ];
        let checked = Outcome::of(bench.command().args(["check", "--json"]).envs(job)).json();
        checked.last().unwrap()["branch"].as_str().unwrap().to_owned()
    };
    assert_eq!([branch("main", &merged), branch("main", &commit(9))], ["main", "main"]);
    bench.git(&["commit", "-q", "--allow-empty", "-m", "of a release"]);
    assert_eq!([branch("main", &merged), branch("a", &merged)], ["main", "a"]);
}

#[test]
fn an_alert_from_a_level_of_zero_is_the_worst_of_all() {
    let rule = format!("{CHANGE}metric = \"*\"\n");
    let bench = filled("check-zero", &rule, &[]);
    let values = [(100.0, 0.0), (100.0, 0.0), (100.0, 0.0), (150.0, 3.0)];
    for (nth, (wall_ns, allocations)) in (0..).zip(values) {
        bench.append(&run(nth, wall_ns));
        bench.append(&Run { metric: Metric::allocations(), ..run(nth, allocations) });
    }
    let (code, alerts, _) = checked(&bench, &[]);
    let metrics: Vec<&str> = alerts.iter().map(|it| it["metric"].as_str().unwrap()).collect();
    assert_eq!((code, &metrics[..]), (1, &["allocs", "wall"][..]));
    let text = table(&bench, &[]);
    assert!(text.contains("  allocs  ") && !text.contains("  wall  "), "{text}");
}

#[test]
fn an_alert_that_was_open_is_not_over_because_the_configuration_changed() {
    let bench = filled("check-configuration", CHANGE, &[100.0, 100.0, 100.0, 120.0, 121.0]);
    is((1, "open"), state(&bench));
    bench.append(&Run { config: "other".into(), ..run(5, 121.0) });
    let (code, alerts, _) = checked(&bench, &[]);
    assert_eq!((code, &alerts[0]["set_aside"]), (0, &5.into()));
    let left_open = (&alerts[0]["left_open_configuration"], &alerts[0]["left_open_in"]);
    assert_eq!(left_open, (&true.into(), &Value::Null));
    let text = table(&bench, &[]);
    let note = "note: an alert of `latency` on wall of codec::frame::encode was open when the values became \
                those of another configuration: the runs before are another history, which leaves the alert \
                unresolved; --acknowledge ends this note";
    assert!(text.contains(note), "{text}");
    let acknowledge = ["--acknowledge", "encode", "--reason", "checksums"];
    let acknowledge = [&["check"], &acknowledge[..]].concat();
    bench.run(&acknowledge).ended_with(0);
    let text = table(&bench, &["--all"]);
    assert!(!text.contains("was open") && !text.contains("no live alert"), "{text}");
    bench.run(&acknowledge).ended_with(2);
    bench.append(&run(6, 121.0));
    is((0, "acknowledged"), state(&bench));
    let left_open = &checked(&bench, &[]).1[0]["left_open_configuration"];
    assert_eq!(left_open, &Value::Bool(false));
}

#[test]
fn an_acknowledgement_of_an_alert_that_is_suppressed_in_another_configuration_is_not_idle() {
    let bench = filled("check-left-suppressed", CHANGE, &[100.0, 100.0, 100.0, 120.0]);
    bench.answer(&["check", "--acknowledge", "encode", "--reason", "checksums"]);
    bench.append(&run(4, 150.0));
    is((1, "open"), state(&bench));
    bench.append(&Run { config: "other".into(), ..run(5, 150.0) });
    rules(&bench, &format!("{CHANGE}[[suppress]]\nfilter = \"*\"\nreason = \"all\"\n"));
    let text = table(&bench, &["--all"]);
    assert!(!text.contains("no live alert") && !text.contains("was open"), "{text}");
}

#[test]
fn the_command_for_an_alert_of_imported_runs_is_that_of_their_history() {
    let bench = filled("check-imported", CHANGE, &[]);
    for (nth, value) in (0..).zip([100.0, 100.0, 100.0, 150.0]) {
        let flags = vec!["imported".to_owned()];
        bench.append(&Run { evidence: None, flags, ..run(nth, value) });
    }
    let text = table(&bench, &[]);
    let look = "look at it with: cargo perftest history codec::frame::encode\n";
    assert!(text.contains(look), "{text}");
    let text = table(&bench, &["--format", "markdown"]);
    assert!(
        text.contains("More: <code>cargo perftest history codec::frame::encode</code>"),
        "{text}"
    );
}
