//! `cargo perftest bisect` over a repository whose slow commit is known.

use crate::bench::Bench;
use crate::{PERF, STEADY, slow_down};
use perftest_tests::{Outcome, patiently, until_it_ends_with};
use serde_json::Value;

/// The commit that makes `steady` 15% slower, of 20.
const SLOW: usize = 13;
/// Both ends, five halvings, two that cannot be compared, and the one before what was found.
const FEW_BUILDS: u64 = 10;

/// Twenty commits after the first one: each changes the machine code, but for one that only adds a
/// comment to the slow one. The tenth does not compile, and the next has no test `steady`.
fn twenty_commits(bench: &Bench) {
    let mut work = 500;
    for commit in 1..=20 {
        match commit {
            10 => bench.replace(PERF, "use perftest", "mod missing;\nuse perftest"),
            11 => {
                bench.replace(PERF, "mod missing;\n", "");
                bench.replace(PERF, "fn steady", "fn renamed");
            }
            12 => bench.replace(PERF, "fn renamed", "fn steady"),
            SLOW => bench.replace(PERF, "work(1500)", "work(1725)"),
            14 => bench.replace(PERF, "use perftest", "// Only a comment.\nuse perftest"),
            _ => {}
        }
        if commit != 14 {
            bench.replace(PERF, &format!("work({work})"), &format!("work({})", work + 1));
            work += 1;
        }
        bench.commit_as(&format!("Change {commit}"));
    }
}

/// The commits that could not be compared, sorted.
fn open_probes(events: &[Value]) -> Vec<&str> {
    let open = events.iter().filter(|probe| probe["answer"] == "not_comparable");
    let mut subjects: Vec<&str> = open.filter_map(|probe| probe["subject"].as_str()).collect();
    subjects.sort_unstable();
    subjects
}

#[test]
fn the_slow_one_of_twenty_commits_is_found_with_few_builds() {
    let bench = Bench::new();
    twenty_commits(&bench);
    let before = bench.git(&["status", "--porcelain=v2"]);
    let run = || bench.tool(&["bisect", "steady", "HEAD~20", "--json"]).run();
    // A commit that a busy machine cannot tell is stepped around, with more builds.
    let as_if_alone = |outcome: &Outcome| {
        let events = outcome.json();
        let builds = events.last().and_then(|end| end["builds"].as_u64());
        outcome.code == Some(0)
            && open_probes(&events) == ["Change 10", "Change 11"]
            && builds.is_some_and(|builds| builds <= FEW_BUILDS)
    };
    let is_over = |outcome: &Outcome| as_if_alone(outcome) || outcome.code == Some(2);
    let found = patiently(run, is_over).ended_with(0);
    assert_eq!(bench.git(&["status", "--porcelain=v2"]), before);
    assert_eq!(bench.git(&["branch", "--show-current"]).trim(), "main");

    let events = found.json();
    assert_eq!(open_probes(&events), ["Change 10", "Change 11"], "{found}");
    let (end, probes) = events.split_last().unwrap();
    let slow = bench.git(&["rev-parse", &format!("HEAD~{}", 20 - SLOW)]);
    assert_eq!((&end["answer"], &end["commit"]), (&"found".into(), &slow.trim().into()), "{found}");
    let builds = found.stderr.lines().filter(|line| line.starts_with("building ")).count() as u64;
    assert!(builds <= FEW_BUILDS && end["builds"] == builds, "{found}");

    let of = |subject: &str| probes.iter().find(|it| it["subject"] == subject).unwrap();
    assert!(of("Change 10")["note"].as_str().unwrap().contains("cannot be built"), "{found}");
    assert!(of("Change 11")["note"].as_str().unwrap().contains("has no performance test"));
    // The last comparison is one with the commit before.
    let confirmed = probes.last().unwrap();
    let parent = bench.git(&["rev-parse", &format!("HEAD~{}", 21 - SLOW)]);
    assert_eq!(confirmed["base"], parent.trim(), "{found}");
    assert!(confirmed["ratio"].as_f64().unwrap() > 1.05, "{found}");
    let same = probes.iter().find(|it| it["note"].as_str().is_some_and(|it| it.contains("same")));
    assert!(same.is_some_and(|it| it["subject"] == "Change 13"), "{found}");
}

#[test]
fn where_the_commit_after_the_good_one_is_bad_it_is_found_at_once() {
    let bench = Bench::new();
    slow_down(&bench);
    bench.commit_as("Make it slow");
    let run = || bench.tool(&["bisect", "steady", "HEAD~1", "HEAD"]).run();
    let found = until_it_ends_with(0, run);
    found.prints(&["made tiny::perf::steady slower", "Make it slow", "commits: 1, builds: 2"]);
}

#[test]
fn where_nothing_became_slower_there_is_nothing_to_find() {
    let bench = Bench::new();
    bench.replace(PERF, "use perftest", "// Only a comment.\nuse perftest");
    bench.commit();
    bench.commit_empty();
    let none = bench.tool(&["bisect", STEADY, "HEAD~2"]).run().ended_with(1);
    none.prints(&["the same code as", "is not slower than", "nothing to find", "builds: 2"]);
}

#[test]
fn a_compiler_that_changed_between_the_ends_is_noted_because_one_builds_all() {
    let bench = Bench::new();
    bench.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.0.0\"\n");
    bench.commit();
    // Its own compiler, which a rustup around it then takes, too.
    let own = std::env::var("RUSTUP_TOOLCHAIN").unwrap_or_else(|_| "stable".into());
    let bisect = bench.tool(&["bisect", STEADY, "HEAD~1"]).env("RUSTUP_TOOLCHAIN", &own);
    let none = bisect.run().ended_with(1).prints(&["nothing to find"]);
    none.warns(&["note: rust-toolchain.toml differs between ", &format!("built by {own}: ")]);
}

#[test]
fn between_commits_that_do_not_build_the_answer_is_a_range() {
    let bench = Bench::new();
    bench.replace(PERF, "use perftest", "mod missing;\nuse perftest");
    bench.commit_as("Break it");
    slow_down(&bench);
    bench.commit_as("Make it slow");
    bench.replace(PERF, "mod missing;\n", "");
    bench.commit_as("Mend it");
    let run = || bench.tool(&["bisect", "steady", "HEAD~3"]).run();
    let range = patiently(run, |outcome| outcome.stdout.contains("one of these")).ended_with(3);
    range.prints(&["one of these 3 commits made tiny::perf::steady slower", "Make it slow"]);
}

#[test]
fn a_renamed_test_is_found_in_commits_with_its_former_name() {
    let bench = Bench::new();
    slow_down(&bench);
    bench.commit_as("Make it slow");
    let renamed = "#[perf_test(formerly = \"tiny::perf::steady\")]\nfn renamed";
    bench.replace(PERF, "#[perf_test]\nfn steady", renamed);
    bench.commit_as("Rename it");
    let run = || bench.tool(&["bisect", "renamed", "HEAD~2"]).run();
    let found = until_it_ends_with(0, run);
    found.prints(&["made tiny::perf::renamed slower", "Make it slow"]);
}

#[test]
fn what_a_merge_brought_is_one_step_and_reported_how_to_search() {
    let bench = Bench::new();
    bench.git(&["checkout", "--quiet", "-b", "topic"]);
    slow_down(&bench);
    bench.commit_as("Make it slow");
    bench.git(&["checkout", "--quiet", "main"]);
    bench.commit_empty();
    bench.git(&["merge", "--quiet", "--no-ff", "--no-edit", "topic"]);
    let run = || bench.tool(&["bisect", "steady", "HEAD~2"]).run();
    let merge = until_it_ends_with(0, run);
    let head = bench.git(&["rev-parse", "HEAD"]);
    let merge = merge
        .prints(&[&format!("{} made tiny::perf::steady slower", &head[..9]), "It is a merge."]);
    // It was compared twice.
    let is_row = |line: &&str| line.starts_with(&head[..9]) && line.contains("  Merge branch");
    assert_eq!(merge.stdout.lines().filter(is_row).count(), 1, "{merge}");
}

#[test]
fn a_question_that_cannot_be_answered_is_refused_with_a_way_out() {
    let bench = Bench::new();
    bench.replace(PERF, "fn other", "fn later");
    bench.commit();
    let refused = |arguments: &[&str], why: &str| {
        let refused = bench.tool(&[&["bisect"], arguments].concat()).run().ended_with(2);
        assert_eq!(refused.stdout, "");
        refused.warns(&[why]);
    };
    refused(&["steady", "HEAD", "HEAD~1"], "is not among the ancestors of HEAD~1");
    refused(&["steady", "HEAD", "main"], "are the same commit");
    refused(&["steady", "no-such-tag"], "there is no revision `no-such-tag`");
    refused(&["tiny", "HEAD~1"], "is in the names of 3 tests");
    refused(&["later", "HEAD~1"], "the good commit has no performance test `tiny::perf::later`");
    refused(&["other", "HEAD~1"], "the bad commit has no performance test with `other`");
}
