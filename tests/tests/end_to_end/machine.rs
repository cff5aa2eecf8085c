//! What the harness notices about the machine and the body, and where it reports it.

use crate::front_end::json_lines;
use crate::other_speed::{BEGINS, FASTER, pretend_speed, recorded_at};
use crate::runners::inside_of_the_library;
use crate::{PROJECTS, grows, learn};
use perftest_core::model::{Grade, Tag};
use perftest_tests::{Invocation, Outcome, TempStore, patiently};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs among which quiet ones are looked for: some twenty seconds of a test that is not slowed.
const MOST_RUNS: u32 = 40;

fn watched() -> Invocation {
    PROJECTS.binary("watched", "perf")
}

/// The first run of a test, and its record.
#[track_caller]
fn first_run(test: &str) -> (Outcome, Value) {
    let store = TempStore::new();
    let outcome = watched().args(&["--exact", test]).store(&store).run().ended_with(0);
    let record = store.records_of_all_series(test).pop();
    (outcome, record.expect("a run is recorded"))
}

fn tags(record: &Value) -> Vec<&str> {
    record["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The file of the disk probe, as a body saw it.
#[track_caller]
fn probe_file(outcome: &Outcome) -> PathBuf {
    let line = outcome.stdout.lines().find_map(|line| line.split_once("probed by "));
    line.unwrap_or_else(|| panic!("no probe was seen\n{outcome}")).1.into()
}

#[test]
fn a_disk_is_probed_beside_the_measurements_of_a_test_that_asks_for_it() {
    let (outcome, record) = first_run("with_disk_probe");
    let disk_ns = record["disk"].as_array().expect("the disk was probed");
    assert_eq!(disk_ns.len(), record["samples"].as_array().unwrap().len());
    assert!(disk_ns.iter().all(|it| it.as_f64().is_some_and(|ns| ns > 0.0)), "{record}");
    assert!(!probe_file(&outcome).exists(), "{outcome}");
    let (_, record) = first_run("without_disk_probe");
    assert!(record["disk"].is_null(), "{record}");
}

#[test]
fn the_disk_probe_of_a_failing_body_leaves_no_file() {
    let failing = watched().args(&["--exact", "with_disk_probe"]).env("FAIL", "1");
    let failed = failing.run().ended_with(101).prints(&["asked to"]);
    assert!(!probe_file(&failed).exists(), "{failed}");
}

#[test]
fn times_that_fall_from_call_to_call_are_reported() {
    assert!(quiet_runs_agree("falling", reports_falling_times));
}

#[test]
fn times_that_stay_are_not_reported_to_fall() {
    assert!(quiet_runs_agree("flat", |run| !reports_falling_times(run)));
}

/// Whether one of the first five quiet runs is such. On a machine that is never quiet nothing can
/// be expected of any.
fn quiet_runs_agree(test: &str, is_such: impl Fn(&(Outcome, Value)) -> bool) -> bool {
    let runs = (0..MOST_RUNS).map(|_| first_run(test));
    let runs = runs.filter(|run| is_quiet(&run.1) && is_machine_steady());
    let mut answers = runs.take(5).map(|run| is_such(&run)).peekable();
    answers.peek().is_none() || answers.any(|is_such| is_such)
}

/// Whether a body that takes as long each time does: a neighbour on the same physical core is in no tag of a short
/// run, and its phases hide what falls slowly.
fn is_machine_steady() -> bool {
    let (_, record) = first_run("flat");
    let times = record["samples"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    let tenth = times.len() / 10;
    assert!(!times.is_empty(), "{record}");
    is_quiet(&record) && times[times.len() - 1 - tenth] < 1.05 * times[tenth]
}

/// Nothing happened on the machine for which times could fall or rise.
fn is_quiet(record: &Value) -> bool {
    let mut tags = tags(record).into_iter().filter_map(Tag::from_name);
    tags.all(|tag| tag.grade() < Grade::Suspect)
}

#[track_caller]
fn reports_falling_times((outcome, record): &(Outcome, Value)) -> bool {
    let is_reported = outcome.stderr.contains(": Times fall from");
    assert_eq!(is_reported, tags(record).contains(&Tag::LearnedInput.name()), "{outcome}{record}");
    is_reported
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_body_is_judged_on_processor_time_while_others_want_every_processor() {
    let store = TempStore::new();
    let run = || {
        learn("long", watched, &store);
        let run = || watched().args(&["--exact", "long"]).store(&store).run();
        beside_busy_threads(run).ended_with(0)
    };
    // A ratio with its bounds.
    let is_judged = |outcome: &Outcome| {
        let line = outcome.line_of("long");
        line.contains("x [") && line.contains("judged on the time it had the processor")
    };
    let judged = patiently(run, is_judged);
    assert!(is_judged(&judged), "{judged}");
    let record = store.newest("long");
    assert!(
        record["on_processor_time_samples"].as_array().is_some_and(|it| !it.is_empty()),
        "{record}"
    );
    assert!(!tags(&record).contains(&Tag::Busy.name()), "{record}");
}

/// Runs beside two threads for each processor, which spin all the time.
fn beside_busy_threads<T>(run: impl FnOnce() -> T) -> T {
    let threads = 2 * std::thread::available_parallelism().map_or(1, |it| it.get());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = run();
        over.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn json_has_the_grade_and_the_tags_of_the_machine() {
    let arguments = ["--format", "json", "-Z", "unstable-options"];
    let stop = || {
        let stopped = grows().args(&arguments).store(&recorded_at(FASTER)).run().ended_with(0);
        json_lines(&stopped)[2]["perftest"].take()
    };
    let is_slow = |evidence: &Value| {
        evidence["tags"].as_array().is_some_and(|it| it.contains(&"slow-machine".into()))
    };
    let evidence = patiently(stop, is_slow);
    assert!(is_slow(&evidence), "{evidence}");
    assert_eq!(evidence["verdict"], "untrusted", "{evidence}");
    assert_eq!(evidence["grade"], "untrusted", "{evidence}");
}

/// The first words of the story of a machine that became slower.
const STORY: &str = "!! SLOWER THAN ITS HISTORY: ";

/// Whether a slower machine stopped a run, and the story of it stands in its last two lines.
fn ends_with_story(outcome: &Outcome) -> bool {
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| !line.is_empty()).collect();
    let output = lines.iter().filter(|line| line.starts_with(STORY)).count();
    match lines.as_slice() {
        [.., story, advice] => {
            output == 1
                && story.starts_with(STORY)
                && story.contains("1 has no verdict.") | story.contains("1 test has no verdict.")
                && advice.starts_with("   Run again when")
        }
        _ => false,
    }
}

#[test]
fn a_session_stopped_by_the_machine_ends_with_its_story() {
    let run = |arguments: &[&str]| grows().args(arguments).store(&recorded_at(FASTER)).run();
    for arguments in [&[][..], &["--quiet"], &["--format=json"]] {
        let output = patiently(|| run(arguments), ends_with_story).ended_with(0);
        assert!(ends_with_story(&output), "{output}");
        if arguments == ["--format=json"] {
            let story = json_lines(&output).pop().expect("a suite ends")["perftest"].take();
            assert_eq!(story["tests_without_verdict"], 1, "{story}");
            // A busy machine is distrusted for that too.
            let distrusted = story["distrusted"].as_array().expect("a list of tags");
            assert!(distrusted.contains(&"slow-machine".into()), "{story}");
            assert!(story["clock_before_khz"].as_u64() > Some(0), "{story}");
        }
    }
}

#[test]
fn inside_libtest_the_story_is_reported_when_the_process_ends() {
    let run = || {
        let store = TempStore::new();
        learn("tests::inner", inside_of_the_library, &store);
        store.rewrite("inner", |record| pretend_speed(record, FASTER));
        inside_of_the_library().args(&["--test-threads=1"]).store(&store).run()
    };
    let output = patiently(run, ends_with_story).ended_with(0);
    assert!(ends_with_story(&output), "{output}");
}

#[test]
fn with_a_process_for_each_test_the_warning_is_the_whole_story() {
    let warning = "!! This machine runs at";
    let run = || {
        let store = recorded_at(FASTER);
        let grows = grows().store(&store).env("NEXTEST", "1").env("NEXTEST_RUN_ID", "a-run");
        grows.run().ended_with(0)
    };
    let output = patiently(run, |outcome| outcome.stderr.contains(warning)).warns(&[warning]);
    assert!(!output.stderr.contains(STORY), "{output}");
}

#[test]
fn remarks_and_warnings_go_past_standard_output() {
    for (arguments, beginnings) in [
        (
            &[][..],
            ["running 1 perf test", "test grows ... ok", "test result: ok.", "  verdicts  1 "],
        ),
        (&["--quiet"], ["running 1 perf test", ".", "test result: ok.", "  verdicts  1 "]),
    ] {
        let outcome = remarked(arguments);
        let lines: Vec<&str> = outcome.stdout.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), beginnings.len(), "{outcome}");
        for (line, beginning) in lines.iter().zip(beginnings) {
            assert!(line.starts_with(beginning), "{outcome}");
        }
    }
    let outcome = remarked(&["--format=json"]);
    assert_eq!(json_lines(&outcome).len(), 4, "{outcome}");
}

/// A run in which there is something to remark and something to warn of.
fn remarked(arguments: &[&str]) -> Outcome {
    let run = || {
        let store = recorded_at(FASTER);
        let run = || grows().args(arguments).store(&store);
        let warned = run().run().ended_with(0);
        let remarked = run().env("PERFTEST_EPOCH", "new").run().ended_with(0);
        (warned, remarked, store.newest("grows")["verdict"].take())
    };
    let warning = "!! This machine runs at";
    let remarks = ["   This machine ", BEGINS];
    // On a busy machine the first run of the new series is a finding, which standard output names.
    let (warned, remarked, _) = patiently(run, |(warned, remarked, verdict)| {
        let has_remarks = remarks.iter().all(|it| remarked.stderr.contains(it));
        warned.stderr.contains(warning) && has_remarks && *verdict == "no_baseline"
    });
    warned.warns(&[warning]);
    remarked.warns(&remarks)
}
