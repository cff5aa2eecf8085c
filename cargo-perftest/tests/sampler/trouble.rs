//! What cannot be sampled, or only in part: the answer is honest and comes in time.

use crate::sampled_package::SampledPackage;
use perftest_tests::patiently;
use std::fs;
use std::time::{Duration, Instant};

#[test]
fn a_test_that_hangs_is_ended_and_one_that_crashes_is_reported() {
    let package = SampledPackage::get();
    let began = Instant::now();
    let options = ["--time", "2s", "--timeout", "4s"];
    let hung =
        package.tool(&[&["profile", "record", "hangs_after_a_while"][..], &options].concat());
    hung.ended_with(2).warns(&["no profile of `sampled::perf::hangs_after_a_while`", "was ended"]);
    // With a build before it, and half of the time that the test hangs.
    assert!(began.elapsed() < Duration::from_secs(300));
    let crashed =
        package.tool(&[&["profile", "record", "aborts_after_a_while"][..], &options].concat());
    crashed.ended_with(2).warns(&["ended too early"]);
}

#[test]
fn no_sample_is_written_into_a_file_that_a_panicking_body_opens() {
    let package = SampledPackage::get();
    let panicked = package.tool(&["profile", "record", "panics_after_a_while", "--time", "2s"]);
    panicked.ended_with(2).warns(&["no more work"]);
    let note = fs::read(package.scratch().join("note")).unwrap();
    assert_eq!(String::from_utf8_lossy(&note), "left");
}

#[test]
fn a_thousand_threads_have_a_profile() {
    let package = SampledPackage::get();
    let weights = || {
        let options = ["--wall", "--time", "2s"];
        let recorded = package.record_with("beside_a_crowd::1000", &options, &[]);
        let waiting = recorded
            .weight_of_stacks(|stack| stack[0] == "crowd" && stack.last() == Some(&"[waiting]"));
        (waiting, recorded.weight_of("main", "::spin"))
    };
    let is_seen = |(waiting, main): &(f64, f64)| *main > 0.0 && *waiting > 100.0 * main;
    let weights = patiently(weights, is_seen);
    assert!(is_seen(&weights), "{weights:?}");
}

#[test]
fn threads_that_come_and_go_are_sampled_or_their_time_is_missed_aloud() {
    let package = SampledPackage::get();
    let options = ["--cpu", "--time", "2s", "--rate", "499"];
    let recorded = package.record_with("threads_that_come_and_go", &options, &[]);
    let spin =
        recorded.weight_of_stacks(|stack| stack.iter().any(|frame| frame.ends_with("::spin")));
    assert!(spin > 0.0 || recorded.notes().contains("is in no sample"), "{recorded:?}");
}

#[test]
fn a_thread_that_blocks_signals_is_not_silently_missing() {
    let package = SampledPackage::get();
    let recorded = package.record("beside_a_thread_that_blocks_signals", &["--wall"]);
    assert_eq!(recorded.weight_of("deaf", ""), 0.0);
    assert!(
        recorded.notes().contains("1 threads are not sampled: they block signals"),
        "{recorded:?}"
    );
}

#[test]
fn missing_debug_information_is_named_with_its_remedy_and_the_file_keeps_the_note() {
    let package = SampledPackage::get();
    package.configure("debug = false\n");
    let recorded = package.record("with_an_inlined_function", &["--cpu"]);
    let remedy = "Write debug = \"limited\" below [profile.release] in Cargo.toml";
    assert!(recorded.notes().contains(remedy), "{recorded:?}");
    assert!(recorded.weight_of("main", "::around_inlined") > 0.0, "{recorded:?}");
    assert_eq!(recorded.weight_of_stacks(|stack| stack.contains(&"inlined")), 0.0);
    let shown = package.tool(&["profile", "show", &recorded.file]).ended_with(0);
    assert!(shown.stdout.contains(remedy), "{shown}");
    // Beside a build with debug information.
    let without = package.path("without.folded");
    fs::copy(&recorded.file, &without).unwrap();
    package.configure("debug = \"limited\"\n");
    let with = package.record("with_an_inlined_function", &["--cpu"]);
    let difference = package.json(&["profile", "diff", &without, &with.file]);
    let cause = difference[0]["cause"].as_str().unwrap();
    assert!(cause.starts_with("only one profile has frames of inlined functions"), "{cause}");
}

#[test]
#[ignore = "long: ci/campaigns/stories.sh"]
fn a_stripped_executable_has_addresses_and_a_note_with_the_remedy() {
    let package = SampledPackage::get();
    package.configure("debug = \"limited\"\nstrip = true\n");
    let recorded = package.record("with_an_inlined_function", &["--cpu"]);
    let remedy = "is stripped: its functions have no names. Remove `strip` from [profile.release]";
    assert!(recorded.notes().contains(remedy), "{recorded:?}");
    let is_address = |stack: &[&str]| stack.iter().any(|frame| frame.contains("+0x"));
    assert!(recorded.weight_of_stacks(is_address) > 0.0, "{recorded:?}");
    // Addresses of a build are in no other one, and no cause.
    let difference = package.json(&["profile", "diff", &recorded.file, &recorded.file]);
    assert!(!difference[0]["cause"].as_str().unwrap().contains("+0x"), "{difference:?}");
}

#[test]
fn a_refused_timer_is_an_error_with_the_limit_behind_it() {
    let package = SampledPackage::get();
    let refused = package.tool(&["profile", "record", "without_timers"]).ended_with(2);
    refused.warns(&["no profile of `sampled::perf::without_timers`", "no timer", "`ulimit -i`"]);
}

#[test]
fn a_name_that_is_no_test_is_refused_with_the_way_to_the_names() {
    let package = SampledPackage::get();
    let refused = package.tool(&["profile", "record", "no_such_test"]).ended_with(2);
    refused.warns(&["no performance test is named `no_such_test`", "cargo perftest history"]);
    let refused = package.tool(&["flamegraph", "threads"]).ended_with(2);
    refused.warns(&["is in the names of"]);
}
