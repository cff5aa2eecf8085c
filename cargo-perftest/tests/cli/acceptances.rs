//! `accept`: in the code, on this machine, of a whole session; what became of it.

use crate::bench::{Bench, line_with, red};
use perftest_core::model::{
    Acceptance, BenchmarkId, BenchmarkPattern, Evidence, Interval, Metric, Reason, Run, RunId,
    Tolerance,
};
use perftest_store::conformance::example_run;
use perftest_store::{AcceptanceFile, Annotation, Store};
use std::fs;

const DAY_MS: u64 = 86_400_000;

#[test]
fn an_acceptance_is_a_line_of_the_repository_bounded_listed_and_taken_back() {
    let bench = Bench::filled("accept");
    let args =
        ["accept", "encode", "--max-ratio", "1.27", "--reason", "checksums", "--until", "30d"];
    let dry = bench.answer(&[&args[..], &["--dry-run"]].concat());
    assert!(dry.contains("nothing was changed"), "{dry}");
    assert_eq!(bench.acceptances(), []);

    let text = bench.answer(&args);
    assert!(text.contains("may be up to 1.27x its level before, until 2"), "{text}");
    assert!(text.contains("red, 1.25x: covered"), "{text}");
    assert!(text.contains("perf-accept.jsonl: commit it"), "{text}");
    let [entry] = bench.acceptances().try_into().unwrap();
    assert_eq!((entry.max_ratio, entry.reason.as_str()), (1.27, "checksums"));
    let until_ms = entry.until_ms.unwrap();
    assert_eq!((until_ms - entry.given_ms) / DAY_MS, 30, "30 days and the rest of the last");
    assert_eq!(until_ms % DAY_MS, 0);
    assert!(entry.covers(&example_run(0).benchmark, "any", entry.given_ms));
    assert_eq!(bench.store().decisions().unwrap().value.acceptances, []);

    let listed = bench.answer(&["accept", "--list"]);
    for part in ["1.27x", "perf-accept.jsonl", "waiting", "checksums"] {
        assert!(line_with(&listed, &entry.id).contains(part), "{part} in {listed}");
    }
    let revoked = bench.answer(&["accept", "--revoke", &entry.id]);
    assert!(revoked.contains("commit that"), "{revoked}");
    assert_eq!(bench.acceptances(), []);
    assert_eq!(bench.refusal(&["accept", "--revoke", &entry.id]).0, 2);
}

#[test]
fn a_local_acceptance_stays_on_this_machine() {
    let bench = Bench::filled("local");
    bench.answer(&["accept", "encode", "--max-ratio", "1.3", "--reason", "x", "--local"]);
    assert_eq!(bench.acceptances(), []);
    let [entry] = bench.store().decisions().unwrap().value.acceptances.try_into().unwrap();
    let listed = bench.answer(&["accept", "--list"]);
    assert!(line_with(&listed, &entry.id).contains("this machine"), "{listed}");
    bench.answer(&["accept", "--revoke", &entry.id]);
    assert_eq!(bench.store().decisions().unwrap().value.acceptances, []);
}

#[test]
fn a_second_acceptance_names_the_one_that_applied_until_now() {
    let bench = Bench::filled("second");
    let accept = |test: &str, ratio: &str, reason: &str| {
        bench.answer(&["accept", test, "--max-ratio", ratio, "--reason", reason])
    };
    let first = accept("codec::frame::*", "1.2", "checksums");
    assert!(!first.contains("replaces"), "{first}");
    let second = accept("encode", "1.3", "a larger table");
    let [of_all, of_one] = bench.acceptances().try_into().unwrap();
    let line = format!(
        "  replaces {} for {}: codec::frame::* on every testbed may be up to 1.2x",
        of_all.id, of_one.benchmark
    );
    assert!(second.contains(&line), "{second}");
    let third = accept("encode", "1.4", "two tables");
    assert!(line_with(&third, "  replaces ").contains(&of_one.id), "{third}");
    assert!(!third.contains(&of_all.id), "it applied no longer: {third}");
}

#[test]
fn a_new_acceptance_counts_though_the_clock_of_the_one_before_was_ahead() {
    let bench = Bench::filled("ahead");
    let accept = |reason: &str| {
        bench.answer(&["accept", "encode", "--max-ratio", "1.3", "--reason", reason])
    };
    accept("before");
    let file = bench.root.join("project").join(AcceptanceFile::NAME);
    let [before] = bench.acceptances().try_into().unwrap();
    let given_ms = before.given_ms + DAY_MS;
    let line = fs::read_to_string(&file).unwrap();
    let ahead = line.replace(&before.given_ms.to_string(), &given_ms.to_string());
    fs::write(&file, ahead).unwrap();
    accept("now");
    let [before, now] = bench.acceptances().try_into().unwrap();
    assert!(now.given_ms > before.given_ms && now.id > RunId::new(given_ms, 0).to_string());
    let listed = bench.json(&["accept", "--list", "--json"]);
    let reasons: Vec<&str> = listed.iter().filter_map(|it| it["reason"].as_str()).collect();
    assert_eq!(reasons, ["before", "now"]);
    assert!(accept("last").contains(&format!("replaces {}", now.id)));
}

#[test]
fn a_slowdown_that_passed_by_an_acceptance_is_shown_with_its_reason_and_counted_apart() {
    let bench = Bench::filled("accepted");
    bench.answer(&["accept", "encode", "--max-ratio", "1.12", "--reason", "checksums are on"]);
    let [entry] = bench.acceptances().try_into().unwrap();
    let mut run =
        Run { session: "newest".into(), acceptance: Some(entry.id.clone()), ..example_run(30) };
    let evidence = run.evidence.as_mut().unwrap();
    evidence.degradation = Some(Interval { estimate: 1.1, lower: 1.09, upper: 1.11 });
    bench.append(&run);
    let text = bench.answer(&["show", "encode"]);
    let headline = "accepted: 1.10x [1.09, 1.11] of the level before, accepted up to 1.12x";
    assert!(text.contains(headline), "{text}");
    assert!(
        line_with(&text, "  accepted ").ends_with("old level, for: checksums are on"),
        "{text}"
    );
    assert_eq!(bench.json(&["show", "encode", "--json"])[0]["accepted"], true);
    assert!(line_with(&bench.answer(&["history"]), "frame::encode").contains(" accepted "));
    let session = &bench.json(&["export", "jsonl"])[0];
    assert_eq!((&session["accepted"], &session["passed"]), (&1.into(), &0.into()), "{session}");

    bench.answer(&["accept", "--revoke", &entry.id]);
    let text = bench.answer(&["show", "encode"]);
    assert!(line_with(&text, "  accepted ").ends_with("up to 1.12x the old level"), "{text}");
}

#[test]
fn many_tests_are_accepted_by_the_beginning_of_their_names() {
    let bench = Bench::filled("pattern");
    bench.answer(&["accept", "codec::frame::*", "--max-ratio", "1.3", "--reason", "x"]);
    let [entry] = bench.acceptances().try_into().unwrap();
    let covers = |name: &str| entry.covers(&BenchmarkId::from_recorded(name), "any", 1);
    assert!(covers("codec::frame::encode") && covers("codec::frame::decode"));
    assert!(!covers("codec::index::insert"));
}

#[test]
fn the_name_of_a_function_with_cases_is_refused_with_the_name_of_all_cases() {
    let bench = Bench::filled("cases");
    for case in ["64", "4096"] {
        let benchmark = BenchmarkId::from_recorded(format!("codec::frame::checksum::{case}"));
        bench.append(&Run { benchmark, ..example_run(0) });
    }
    let accept = |test| ["accept", test, "--max-ratio", "1.3", "--reason", "x"];
    let (code, refusal) = bench.refusal(&accept("checksum"));
    assert_eq!(code, 2, "{refusal}");
    let advice = "or all of its cases: cargo perftest accept 'codec::frame::checksum::*'";
    assert!(refusal.contains(advice), "{refusal}");
    bench.answer(&accept("codec::frame::checksum::*"));
    let (_, other) = bench.refusal(&accept("code"));
    assert!(!other.contains("all of its cases"), "{other}");
}

#[test]
fn every_red_of_the_newest_session_is_accepted_up_to_its_own_bound() {
    let bench = Bench::filled("session");
    let in_session = |name: &str, upper: f64, run: Run| {
        let mut run = red(Run { benchmark: BenchmarkId::from_recorded(name), ..run });
        let evidence = run.evidence.as_mut().unwrap();
        evidence.degradation = Some(Interval { estimate: 1.2, lower: 1.1, upper });
        bench.append(&Run { session: "newest".into(), ..run });
    };
    in_session("codec::frame::decode", 1.221, example_run(30));
    in_session("codec::index::insert", 1.24, example_run(31));
    let counted = Run { metric: Metric::allocations(), ..example_run(31) };
    in_session("codec::index::insert", 5.4, counted);
    let dry = bench.answer(&["accept", "--session", "last", "--dry-run"]);
    assert!(line_with(&dry, "codec::frame::decode").contains("1.23x"), "{dry}");
    assert!(line_with(&dry, "codec::index::insert  ").contains("1.24x"), "{dry}");
    assert!(line_with(&dry, "codec::index::insert, allocs").contains("1.26x"), "{dry}");
    assert!(!dry.contains("encode"), "red in an older session: {dry}");
    assert_eq!(bench.acceptances(), []);

    let text = bench.answer(&["accept", "--session", "last", "--reason", "checksums"]);
    assert!(text.starts_with(dry.lines().next().unwrap()), "the same table: {text}");
    let bounds: Vec<(String, f64)> = bench
        .acceptances()
        .into_iter()
        .map(|entry| (entry.benchmark.to_string(), entry.max_ratio))
        .collect();
    let expected = [("codec::frame::decode", 1.23), ("codec::index::insert", 1.26)];
    assert_eq!(bounds, expected.map(|(name, bound)| (name.to_owned(), bound)));

    in_session("codec::frame::decode", f64::INFINITY, example_run(40));
    let refused = bench.run(&["accept", "--session", "last", "--reason", "x"]);
    refused.ended_with(2).warns(&["no upper bound"]);
    assert_eq!(bench.acceptances().len(), 2, "nothing was added");
}

#[test]
fn a_damaged_line_is_reported_once_whatever_is_accepted() {
    let bench = Bench::filled("damaged-line");
    for (name, ordinal) in [("codec::frame::decode", 30), ("codec::index::insert", 31)] {
        let run = red(Run { benchmark: BenchmarkId::from_recorded(name), ..example_run(ordinal) });
        bench.append(&Run { session: "newest".into(), ..run });
    }
    std::fs::write(bench.root.join("project").join(AcceptanceFile::NAME), "{\"id\":\n").unwrap();
    let one = ["accept", "encode", "--max-ratio", "1.5", "--reason", "x"];
    for args in [&one[..], &["accept", "--session", "last", "--reason", "x"]] {
        let stderr = bench.run(args).ended_with(0).stderr;
        assert_eq!(stderr.matches(AcceptanceFile::NAME).count(), 1, "{stderr}");
    }
    assert_eq!(bench.acceptances().len(), 3);
}

#[test]
fn a_session_without_a_red_has_nothing_to_accept() {
    let bench = Bench::new("no-reds");
    let run = example_run(0);
    let stage = run.benchmark.stage("pack");
    bench.append(&run);
    bench.append(&Run { metric: Metric::allocations(), ..run.clone() });
    bench.append(&Run { benchmark: stage, ..run });
    let text = bench.answer(&["accept", "--session", "last", "--reason", "x"]);
    assert!(text.contains("nothing to accept: no test of 1 was red"), "{text}");
    assert_eq!(bench.acceptances(), []);
}

fn entry(id: &str, benchmark: &str, until_ms: Option<u64>) -> Acceptance {
    Acceptance {
        id: id.into(),
        benchmark: BenchmarkPattern::new(benchmark),
        testbed: String::new(),
        max_ratio: 1.3,
        reason: "checksums".into(),
        given_ms: 1,
        until_ms,
    }
}

/// A run under an entry that was `ratio` times as slow as before.
fn under(entry: &Acceptance, ratio: f64, run: Run) -> Run {
    let evidence = run.evidence.clone().map(|evidence| Evidence {
        reason: Reason::Green,
        degradation: Some(Interval { estimate: ratio, lower: ratio, upper: ratio }),
        accepted_ratio: Some(1.3),
        ..evidence
    });
    Run { evidence, acceptance: Some(entry.id.clone()), flags: Vec::new(), ..run }
}

#[test]
fn what_is_over_unneeded_or_of_no_test_is_stale() {
    let bench = Bench::filled("check");
    assert!(bench.answer(&["accept", "--check"]).contains("no acceptance is stale"));
    let file = AcceptanceFile::in_root(&bench.root.join("project"));
    let used = entry("USED", "codec::frame::encode", None);
    let unneeded = entry("UNNEEDED", "codec::index::*", None);
    for entry in [&used, &unneeded, &entry("WAITING", "codec::frame::decode", None)] {
        file.add(entry).unwrap();
    }
    bench.append(&under(&used, 1.25, example_run(50)));
    let insert =
        Run { benchmark: BenchmarkId::from_recorded("codec::index::insert"), ..example_run(51) };
    bench.append(&under(&unneeded, 1.01, insert));
    let standing = |id: &str| {
        let lines = bench.json(&["accept", "--list", "--json"]);
        let line = lines.into_iter().find(|line| line["id"] == id).unwrap();
        line["standing"].as_str().unwrap().to_owned()
    };
    assert_eq!(["USED", "WAITING", "UNNEEDED"].map(standing), ["used", "waiting", "unused"]);

    file.add(&entry("GONE", "codec::frame::renamed", None)).unwrap();
    let elsewhere = entry("ELSEWHERE", "codec::frame::encode", None);
    file.add(&Acceptance { testbed: "ci/large".into(), ..elsewhere }).unwrap();
    assert_eq!(standing("ELSEWHERE"), "waiting", "no run is of its testbed yet");
    let over = entry("OVER", "codec::*", Some(DAY_MS));
    bench.store().annotate(Annotation::Acceptance(&over)).unwrap();
    let text = bench.run(&["accept", "--check"]).ended_with(1).stdout;
    for (id, part) in [("UNNEEDED", "unused"), ("GONE", "no such test"), ("OVER", "1970-01-01")] {
        assert!(line_with(&text, id).contains(part), "{text}");
    }
    for id in ["USED ", "WAITING", "ELSEWHERE"] {
        assert!(!text.contains(id), "{text}");
    }
}

#[test]
fn an_acceptance_whose_runs_hardly_ever_count_is_listed_with_how_many_it_waits_for() {
    let bench = Bench::filled("accept-waits");
    let file = AcceptanceFile::in_root(&bench.root.join("project"));
    let used = entry("USED", "codec::frame::encode", None);
    file.add(&used).unwrap();
    let append = |numbers: std::ops::Range<u64>, counts_for_baseline| {
        numbers.for_each(|number| {
            let run = under(&used, 1.25, example_run(number));
            bench.append(&Run { counts_for_baseline, ..run });
        });
    };
    append(50..53, true);
    append(53..70, false);
    let waits = "codec::frame::encode on local/7f3a2b waits for 2 more runs that count since 1970-";
    for command in ["--list", "--check"] {
        let text = bench.answer(&["accept", command]);
        let line = line_with(&text, "waits for");
        assert!(line.starts_with(waits), "{text}");
        assert!(
            line.ends_with("; until then 1.3x its old level passes, and the tolerance beside it"),
            "{text}"
        );
    }
    append(70..72, true);
    assert!(!bench.answer(&["accept", "--list"]).contains("waits for"));
}

#[test]
fn an_acceptance_is_used_by_a_green_that_only_its_bound_proves() {
    let bench = Bench::filled("check-bound");
    let file = AcceptanceFile::in_root(&bench.root.join("project"));
    let bounded_by = |entry: &Acceptance, upper: f64, run: Run| {
        let mut run = under(entry, 1.03, run);
        let evidence = run.evidence.as_mut().unwrap();
        evidence.tolerance = Tolerance::up_to_ratio(1.05).unwrap();
        evidence.degradation = Some(Interval { estimate: 1.03, lower: 0.94, upper });
        run
    };
    let (noisy, quiet) =
        (entry("NOISY", "codec::frame::encode", None), entry("QUIET", "codec::index::*", None));
    let insert =
        Run { benchmark: BenchmarkId::from_recorded("codec::index::insert"), ..example_run(51) };
    bench.append(&bounded_by(&noisy, 1.10, example_run(50)));
    bench.append(&bounded_by(&quiet, 1.04, insert));
    for entry in [&noisy, &quiet] {
        file.add(entry).unwrap();
    }
    let text = bench.run(&["accept", "--check"]).stdout;
    assert!(line_with(&text, "QUIET").contains("unused"), "{text}");
    assert!(!text.contains("NOISY"), "{text}");
}

#[test]
fn an_acceptance_is_used_by_a_better_run_of_a_ratchet_alone() {
    let bench = Bench::filled("check-ratchet");
    let file = AcceptanceFile::in_root(&bench.root.join("project"));
    let (better, no_ratchet) =
        (entry("BETTER", "codec::frame::encode", None), entry("OTHER", "codec::index::*", None));
    let improved = |entry: &Acceptance, run: Run| {
        let mut run = under(entry, 0.4, run);
        run.evidence.as_mut().unwrap().reason = Reason::Improved;
        run
    };
    let mut of_ratchet = improved(&better, example_run(50));
    of_ratchet.flags.push(Run::ON_IMPROVED_FAIL.to_owned());
    let insert =
        Run { benchmark: BenchmarkId::from_recorded("codec::index::insert"), ..example_run(51) };
    for (entry, run) in [(&better, of_ratchet), (&no_ratchet, improved(&no_ratchet, insert))] {
        file.add(entry).unwrap();
        bench.append(&run);
    }
    let text = bench.run(&["accept", "--check"]).stdout;
    assert!(line_with(&text, "OTHER").contains("unused"), "{text}");
    assert!(!text.contains("BETTER"), "{text}");
}

#[test]
fn an_improvement_that_waits_is_reported_to_be_covered() {
    let bench = Bench::new("accept-ratchet");
    let mut run = example_run(0);
    let evidence = run.evidence.as_mut().unwrap();
    evidence.reason = Reason::Unaccepted;
    evidence.degradation = Some(Interval { estimate: 0.4, lower: 0.38, upper: 0.42 });
    bench.append(&run);
    let text = bench.answer(&["accept", "encode", "--max-ratio", "1.05", "--reason", "x"]);
    assert!(text.contains("unaccepted, 0.40x: covered"), "{text}");
}

#[test]
fn a_red_is_covered_up_to_the_tolerance_beside_the_bound() {
    for (estimate, enough) in [(1.31, "covered\n"), (1.32, "NOT covered by this bound\n")] {
        let bench = Bench::new("accept-tolerance");
        let mut run = example_run(0);
        let evidence = run.evidence.as_mut().unwrap();
        evidence.reason = Reason::Red;
        evidence.tolerance = Tolerance::up_to_ratio(1.05).unwrap();
        evidence.degradation = Some(Interval { estimate, lower: 1.3, upper: 1.33 });
        bench.append(&run);
        let text = bench.answer(&["accept", "encode", "--max-ratio", "1.25", "--reason", "x"]);
        assert!(text.contains(&format!("red, {estimate}x: {enough}")), "{text}");
    }
}

#[test]
fn a_test_over_its_limit_is_covered_by_no_acceptance_and_named_where_reds_are_accepted() {
    for degradation in [Some(Interval { estimate: 1.02, lower: 1.0, upper: 1.04 }), None] {
        let bench = Bench::new("accept-over-limit");
        let mut run = example_run(0);
        let reason = Reason::OverLimit;
        run.evidence = run.evidence.map(|it| Evidence { reason, degradation, ..it });
        bench.append(&run);
        let text = bench.answer(&["accept", "encode", "--max-ratio", "1.1", "--reason", "x"]);
        let seen = if degradation.is_some() { ", 1.02x" } else { "" };
        let line = format!("over_limit{seen}: NOT covered: no acceptance lifts a limit\n");
        assert!(text.contains(&line), "{text}");
        let named = "over the limit, which no acceptance lifts: codec::frame::encode\nnothing to ";
        for of_session in [&["--session", "last", "--reason", "x"][..], &["--review"]] {
            let text = bench.answer(&[&["accept"][..], of_session].concat());
            assert!(text.starts_with(named), "{text}");
        }
    }
}

#[test]
fn a_damaged_line_of_the_file_is_a_warning() {
    let bench = Bench::filled("accept-damage");
    bench.answer(&["accept", "encode", "--max-ratio", "1.3", "--reason", "x"]);
    let file = bench.root.join("project").join(AcceptanceFile::NAME);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("<<<<<<< ours\n{text}")).unwrap();
    let listed = bench.run(&["accept", "--list"]).ended_with(0);
    listed.warns(&["perf-accept.jsonl:1"]).prints(&["1.3x"]);
}

#[test]
fn a_bound_below_what_was_seen_is_pointed_out() {
    let bench = Bench::filled("too-low");
    let text = bench.answer(&["accept", "encode", "--max-ratio", "1.1", "--reason", "x"]);
    assert!(text.contains("1.25x: NOT covered"), "{text}");
}

#[test]
fn an_acceptance_without_bound_reason_or_test_is_refused() {
    let bench = Bench::filled("refused");
    let bad: [(&[&str], &str); 12] = [
        (&["accept"], "--max-ratio"),
        (&["accept", "encode", "--max-ratio", "1.27"], "--reason"),
        (&["accept", "encode", "--reason", "x"], "--max-ratio"),
        (&["accept", "encode", "--max-ratio", "1.27", "--reason", " "], "give a reason"),
        (&["accept", "encode", "--max-ratio", "0.9", "--reason", "x"], "above 1"),
        (&["accept", "encode", "--max-ratio", "1", "--reason", "x"], "above 1"),
        (&["accept", "encoed", "--max-ratio", "1.2", "--reason", "x"], "codec::frame::encode"),
        (&["accept", "codex*", "--max-ratio", "1.2", "--reason", "x"], "no test begins with"),
        (&["accept", "--session", "last"], "--reason"),
        (&["accept", "--session", "first", "--reason", "x"], "last"),
        (
            &["accept", "encode", "--max-ratio", "1.2", "--reason", "x", "--until", "2020-01-01"],
            "over already",
        ),
        (
            &["accept", "encode", "--max-ratio", "1.2", "--reason", "x", "--testbed", "moon"],
            "only on local/7f3a2b",
        ),
    ];
    for (args, part) in bad {
        let (code, text) = bench.refusal(args);
        assert_eq!(code, 2, "{args:?}");
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(bench.acceptances(), []);
}

#[test]
fn a_testbed_is_accepted_on_by_the_name_of_its_machine_at_every_speed() {
    let bench = Bench::new("accept-at-speed");
    let mut run = example_run(0);
    run.testbed = format!("{}@2.1GHz", run.testbed);
    bench.append(&run);
    let machine = example_run(0).testbed;
    let bound = ["--max-ratio", "1.3", "--reason", "x", "--testbed", &machine];
    bench.answer(&[&["accept", "encode"][..], &bound].concat());
    let entry = &bench.acceptances()[0];
    assert_eq!(entry.testbed, machine);
    assert!(entry.covers(&run.benchmark, &run.testbed, entry.given_ms));
}
