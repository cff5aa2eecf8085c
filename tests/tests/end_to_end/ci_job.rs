//! What a CI job gets beside the output: annotations and a summary under GitHub Actions, the message of a
//! failure in nextest's JUnit file, and last lines that sum up.

use crate::runners::inside_of_the_library;
use crate::{PROJECTS, grows, learn, red, slow_grows};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently};
use std::fs;
use std::path::Path;

/// In a job of GitHub Actions that has the history of this machine.
fn on_github(run: Invocation, summary: &Path) -> Invocation {
    run.env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", "push")
        .env("PERFTEST_TESTBED", "local")
        .env("GITHUB_STEP_SUMMARY", summary)
}

/// The line of the function in the sources of its project.
fn line_of(function: &str) -> usize {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/projects");
    let text = fs::read_to_string(sources.join("measured/tests/perf.rs")).expect("it is there");
    let begins = format!("fn {function}(");
    1 + text.lines().position(|line| line.contains(&begins)).expect("the function is there")
}

fn annotations(outcome: &Outcome) -> Vec<&str> {
    let all = outcome.stdout.lines().chain(outcome.stderr.lines());
    all.filter(|line| line.trim_start().starts_with("::")).collect()
}

#[test]
fn a_red_on_github_is_annotated_at_its_line_and_a_row_of_the_summary() {
    let (store, files) = (TempStore::new(), TempStore::new());
    let summary = files.path().join("summary.md");
    let slow = || {
        learn("grows", || PROJECTS.binary("measured", "perf"), &store);
        let _ = fs::remove_file(&summary);
        on_github(slow_grows(), &summary).store(&store)
    };
    let red = red(slow, &store).ended_with(3);
    let annotations = annotations(&red);
    assert_eq!(annotations.len(), 1, "{red}");
    let place = format!("measured/tests/perf.rs,line={}::grows ", line_of("grows"));
    for part in ["::error file=", &place, "x slower, at least "] {
        assert!(annotations[0].contains(part), "{part} in {red}");
    }
    let text = fs::read_to_string(&summary).expect("the summary is written");
    let row = text.lines().last().expect("there is a row");
    assert!(text.starts_with("| performance test | now | finding |\n"), "{text}");
    assert!(row.starts_with("| ❌ <code>grows</code> | ") && row.contains(" slower, "), "{text}");
}

#[test]
fn a_summary_that_cannot_be_written_changes_no_outcome() {
    let (store, files) = (TempStore::new(), TempStore::new());
    let slow = || {
        learn("grows", || PROJECTS.binary("measured", "perf"), &store);
        on_github(slow_grows(), files.path()).store(&store)
    };
    red(slow, &store).ended_with(3).warns(&["the summary of this step cannot be written"]);
}

#[test]
fn a_pull_request_that_records_nothing_for_the_baseline_does_not_claim_it() {
    let (repository, files) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    let store = TempStore::new();
    let run = || {
        store.clear();
        let run = on_github(grows(), &files.path().join("summary.md"));
        run.env("CARGO_MANIFEST_DIR", repository.path())
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_HEAD_REF", "faster")
            .env("GITHUB_REF_NAME", "12/merge")
            .env("PERFTEST_ON_UNJUDGED", "pass")
            .env("PERFTEST_DEFAULT_BRANCH", "main")
            .store(&store)
            .run()
    };
    let outcome = patiently(run, |outcome| outcome.has(&["no baseline yet"])).ended_with(0);
    let line = outcome.line_of("grows");
    assert!(line.contains("0 of 5 comparable runs before this one"), "{outcome}");
    assert!(line.contains("not counted for the baseline"), "{outcome}");
    assert!(!outcome.stdout.contains("recorded 1 of 5"), "{outcome}");
    assert_eq!(annotations(&outcome), [""; 0], "nothing failed");
}

#[test]
fn the_last_lines_count_the_verdicts_and_name_the_worst_test_and_the_command_for_it() {
    let store = TempStore::new();
    let slow = || {
        learn("grows", || PROJECTS.binary("measured", "perf"), &store);
        slow_grows().store(&store)
    };
    let red = red(slow, &store).ended_with(3);
    let (_, last) = red.stdout.split_once("test result: FAILED").expect("a result is printed");
    for part in [
        "\n  verdicts  1 red",
        "\n  worst     grows ",
        "\n  more      cargo perftest show measured::perf::grows\n",
    ] {
        assert!(last.contains(part), "{part:?} in {red}");
    }
    let smoke = grows().smoke().run().ended_with(0);
    assert!(!smoke.stdout.contains("verdicts"), "nothing was measured: {smoke}");
}

#[test]
fn the_last_lines_of_a_libtest_binary_are_printed_past_its_capture() {
    let store = TempStore::new();
    let run = || inside_of_the_library().args(&["--test-threads=1"]).store(&store).run();
    run().ended_with(0).warns(&["  verdicts  1 "]);
}

/// Runs the red test `name` under nextest and returns its JUnit file.
fn junit_of(name: &str, target: &[&str], binary: impl Fn() -> Invocation) -> String {
    let (store, files) = (TempStore::new(), TempStore::new());
    let (config, junit) = (files.path().join("nextest.toml"), files.path().join("junit.xml"));
    let text = format!("[profile.default.junit]\npath = '{}'\n", junit.display());
    fs::write(&config, text).expect("a file can be written");
    let config = config.to_str().expect("it is UTF-8");
    let slow = || {
        learn(name, &binary, &store);
        let nextest = PROJECTS.cargo("measured").store(&store);
        let nextest = nextest.args(&["nextest", "run", "--release", "--config-file", config]);
        nextest.args(target).args(&["--features", "slowed", name])
    };
    red(slow, &store).ended_with(100);
    fs::read_to_string(&junit).expect("nextest writes it")
}

#[test]
fn the_failure_in_nextests_junit_file_has_what_is_slower_and_by_how_much() {
    let perf = junit_of("grows", &["--test", "perf"], || PROJECTS.binary("measured", "perf"));
    let inner = junit_of("tests::inner", &["--lib"], inside_of_the_library);
    for (name, text) in [("grows", perf), ("tests::inner", inner)] {
        let failure = text.split_once("<failure ").expect("there is a failure").1;
        let message = failure.split_once("message=\"").expect("it has a message").1;
        let message = message.split('"').next().unwrap_or_default();
        assert!(message.starts_with(&format!("Error: {name} ")), "{text}");
        assert!(message.contains("x slower, at least "), "{text}");
    }
}
