//! `cargo perftest doctor --aa` over the tests of a tiny repository.

use crate::PERF;
use crate::bench::{Bench, line_of};
use perftest_tests::{patiently, until_it_prints};
use serde_json::Value;
use std::time::{Duration, Instant};

#[test]
fn the_tests_of_the_working_tree_are_compared_with_themselves_in_a_bounded_time() {
    let bench = Bench::new();
    bench.replace(PERF, "fn other", "fn not_committed");
    let before = bench.git(&["status", "--porcelain=v2"]);
    let tests = ["tiny::perf::steady", "tiny::perf::not_committed", "tiny::tests::inside"];
    let run = || bench.tool(&["doctor", "--aa", "--budget", "8s"]).run().ended_with(0);
    // A test has no row while other work disturbs all of its pairs.
    let output = until_it_prints(&tests, run);
    assert_eq!(bench.git(&["status", "--porcelain=v2"]), before);
    for test in tests {
        let cells: Vec<&str> = line_of(&output, test).split_whitespace().collect();
        let (comparisons, pairs): (u32, u32) =
            (cells[1].parse().unwrap(), cells[2].parse().unwrap());
        assert!(comparisons >= 1 && pairs >= 1, "{output}");
    }
    output.prints(&["comparisons of the same executable were wrong", "with 95% certainty"]);
}

#[test]
fn programs_get_one_line_a_test_and_one_for_all() {
    let bench = Bench::new();
    let arguments = ["doctor", "--aa", "steady", "--budget", "6s", "--json"];
    let compare = || {
        let began = Instant::now();
        let output = bench.tool(&arguments).run().ended_with(0);
        let lines = output.json();
        (output, lines, began.elapsed() < Duration::from_secs(300))
    };
    // The first time everything is built, beside whatever else is built, and other work may disturb nearly
    // all pairs.
    let has_pairs = |lines: &[Value]| lines[0]["process_spread"].as_f64() > Some(0.0);
    let (output, lines, is_in_time) =
        patiently(compare, |(_, lines, is_in_time)| *is_in_time && has_pairs(lines));
    assert!(is_in_time, "{output}");
    let [test, all] = lines.as_slice() else { panic!("{output}") };
    assert_eq!(
        (&test["benchmark"], &test["event"]),
        (&"tiny::perf::steady".into(), &"noise_floor".into())
    );
    assert!(test["process_spread"].as_f64().unwrap() > 0.0, "{output}");
    assert!(
        test["smallest_detectable"].as_f64().unwrap() > test["tolerance"].as_f64().unwrap(),
        "{output}"
    );
    let of_answers = ["green", "red", "improved", "undecided"].map(|it| test[it].as_u64().unwrap());
    assert_eq!(Some(of_answers.iter().sum::<u64>()), all["comparisons"].as_u64());
    assert!(all["rate_upper"].as_f64().unwrap() > 0.0, "{output}");
}

#[test]
fn a_test_that_cannot_be_measured_is_named_and_the_others_are_reported() {
    let bench = Bench::new();
    bench.replace(PERF, "tiny::work(500)", "std::process::abort()");
    let run = || bench.tool(&["doctor", "--aa", "perf", "--budget", "5s"]).run().ended_with(2);
    let output = until_it_prints(&["tiny::perf::steady"], run);
    line_of(&output, "tiny::perf::steady");
    assert!(!output.stdout.contains("tiny::perf::other"), "{output}");
    output.warns(&["tiny::perf::other could not be measured", "a fresh process ended too early"]);
}

#[test]
fn names_without_aa_and_names_of_no_test_are_refused() {
    let bench = Bench::new();
    bench.tool(&["doctor", "steady"]).run().ended_with(2).warns(&["--aa"]);
    let refused = bench.tool(&["doctor", "--aa", "no-such-test"]).run().ended_with(2);
    refused.warns(&["the working tree has no performance test of this name"]);
}

#[test]
fn a_repository_made_again_at_the_same_place_has_checkouts_of_its_own() {
    let bench = Bench::new();
    bench.compare(&["HEAD", "--", "steady"]).run().ended_with(0);
    drop(bench);
    // What is left of the base's checkout names the one that the head's is now.
    let bench = Bench::made_again();
    bench.tool(&["doctor", "--aa", "steady", "--budget", "1s"]).run().ended_with(0);
    bench.compare(&["HEAD", "--", "steady"]).run().ended_with(0);
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 3);
}
