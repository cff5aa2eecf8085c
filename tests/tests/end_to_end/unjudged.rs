//! A pass means judged: what a test does that could not be judged or recorded for a reason outside of
//! its code.

use crate::{PROJECTS, SLOW, grows, learn, slow_grows};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently, until_it_prints};
use std::fs;
use std::path::Path;

/// In a CI job that has the history of this machine.
fn in_ci(run: Invocation) -> Invocation {
    run.env("CI", "true").env("PERFTEST_TESTBED", "local")
}

/// The test passes at home, fails in CI with a code of its own, and passes there if it may; each time it
/// prints `parts`, and never that it was recorded.
#[track_caller]
fn assert_hindered(run: impl Fn() -> Invocation, parts: &[&str]) {
    let runs: [(&dyn Fn() -> Invocation, i32); 3] = [
        (&run, 0),
        (&|| in_ci(run()), 4),
        (&|| in_ci(run()).env("PERFTEST_ON_UNJUDGED", "pass"), 0),
    ];
    for (run, code) in runs {
        let hindered = run().run().ended_with(code).prints(parts).warns(parts);
        let line = hindered.line_of("grows");
        assert_eq!(line.starts_with("FAILED"), code == 4, "{hindered}");
        assert!(!line.contains("recorded 1 of 5"), "{hindered}");
    }
}

#[test]
#[cfg(unix)]
fn a_device_as_store_and_a_store_below_a_file_record_nothing() {
    let directory = TempStore::new();
    let file = directory.path().join("file");
    fs::write(&file, "no directory").expect("a file can be written");
    for store in [Path::new("/dev/null"), Path::new("/dev/full"), &file, &file.join("below")] {
        let parts = ["not recorded because of the store", store.to_str().expect("it is UTF-8")];
        assert_hindered(|| grows().env("PERFTEST_STORE", store), &parts);
    }
}

#[test]
#[cfg(unix)]
fn where_nothing_could_be_recorded_nothing_is_promised_of_the_next_run() {
    let run = grows().env("PERFTEST_STORE", "/dev/null").env("PERFTEST_LEARN", "at-once").run();
    let output = run.ended_with(0).prints(&["not recorded because of the store"]);
    assert!(!output.line_of("grows").contains("the next run has a verdict"), "{output}");
}

#[test]
fn a_history_of_zeros_fails_everywhere_unless_it_may_pass() {
    let store = TempStore::new();
    grows().store(&store).run().ended_with(0);
    let history = store.history("grows");
    let zeros = vec![0; fs::metadata(&history).expect("it is there").len() as usize];
    fs::write(&history, &zeros).expect("it can be written");
    let run = || grows().store(&store);
    let parts = ["not judged because of its history", "none of its lines can be read"];
    for run in [run(), in_ci(run())] {
        let refused = run.run().ended_with(4).prints(&parts).warns(&parts);
        assert!(refused.line_of("grows").starts_with("FAILED"), "{refused}");
    }
    run().env("PERFTEST_ON_UNJUDGED", "pass").run().ended_with(0).warns(&parts);
    assert_eq!(fs::read(&history).ok(), Some(zeros), "it is left alone");
}

/// The test as if its package were in this repository.
fn grows_in(repository: &TempRepository, store: &TempStore) -> Invocation {
    in_repository(grows(), repository, store)
}

fn in_repository(run: Invocation, repository: &TempRepository, store: &TempStore) -> Invocation {
    run.env("CARGO_MANIFEST_DIR", repository.path()).store(store)
}

#[test]
fn a_repository_that_git_refuses_is_reported_with_the_message_of_git() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    // Git's own tests of another owner go this way.
    let run = || {
        store.clear();
        grows_in(&repository, &store).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    };
    assert_hindered(
        run,
        &[
            "not judged because its commit is not known",
            "git --no-optional-locks status",
            "safe.directory",
        ],
    );
}

#[test]
fn a_worktree_whose_repository_is_out_of_reach_is_reported() {
    let (root, store) = (tempfile::TempDir::new().unwrap(), TempStore::new());
    fs::write(root.path().join(".git"), "gitdir: /nowhere/repository/.git/worktrees/one\n")
        .unwrap();
    let run = || {
        store.clear();
        grows().env("CARGO_MANIFEST_DIR", root.path()).store(&store)
    };
    assert_hindered(run, &["not judged because its commit is not known", "/nowhere/repository"]);
}

#[test]
fn slower_code_of_an_unknown_commit_is_not_judged_and_does_not_count() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    learn("grows", || grows_in(&repository, &store), &store);
    let learned = store.baseline_runs("grows");
    let slow = || in_repository(slow_grows().env(SLOW.0, SLOW.1), &repository, &store);
    let refused = || slow().env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    assert_hindered(refused, &["not judged because its commit is not known"]);
    assert_eq!(store.baseline_runs("grows"), learned);
}

#[test]
fn changed_files_in_ci_are_no_baseline_and_fail_no_test_that_has_one() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    repository.change("not committed");
    let at_home = grows_in(&repository, &store).run().ended_with(0);
    assert!(!at_home.stderr.contains("files differ"), "{at_home}");
    let in_ci = || in_ci(grows_in(&repository, &store));
    let first = || {
        store.clear();
        in_ci().run()
    };
    let parts =
        ["no baseline yet", "not counted for the baseline because files differ", "git status"];
    // A machine in no state to measure is a reason before that one.
    until_it_prints(&parts, first).ended_with(4);
    learn("grows", || grows_in(&repository, &store), &store);
    let judged = patiently(|| in_ci().run(), |outcome| outcome.line_of("grows").contains("x ["));
    judged.ended_with(0);
}

#[test]
fn variables_of_another_repository_change_nothing_of_the_record() {
    let (here, other, store) = (TempRepository::new(), TempRepository::new(), TempStore::new());
    let commit = here.commit("here");
    other.commit("other");
    let git_dir = other.path().join(".git");
    let run = grows_in(&here, &store)
        .env("GIT_DIR", &git_dir)
        .env("GIT_WORK_TREE", other.path())
        .env("GIT_INDEX_FILE", git_dir.join("index"))
        .env("GIT_COMMON_DIR", &git_dir);
    run.run().ended_with(0);
    let record = store.newest("grows");
    assert_eq!((&record["commit"], &record["dirty"]), (&commit.into(), &false.into()), "{record}");
}

#[test]
fn a_slowdown_that_no_fresh_process_can_confirm_is_no_pass_in_ci() {
    let store = TempStore::new();
    let name = "ends_the_fresh_process";
    let slowed = || {
        learn(name, || PROJECTS.binary("bodies", "perf"), &store);
        let slowed = PROJECTS.slowed("bodies", "perf").args(&[name, "--exact"]).store(&store);
        // A job that does not say what it builds is one of the default branch.
        in_ci(slowed).env(SLOW.0, SLOW.1).run()
    };
    let prints =
        |outcome: &Outcome| outcome.line_of(name).contains("no fresh process confirmed it");
    let slowed = patiently(slowed, prints);
    assert!(prints(&slowed), "{slowed}");
    slowed
        .ended_with(4)
        .warns(&["not judged because no fresh process could measure it", "status: 7"]);
}

#[test]
fn inside_libtest_a_test_that_is_not_recorded_fails_by_itself() {
    let library = || {
        let library = PROJECTS.binary("measured", "measured").args(&["tests::"]);
        library.env("PERFTEST_STORE", "/dev/null/store")
    };
    let parts = ["tests::inner: not recorded because of the store"];
    library().run().ended_with(0).warns(&parts);
    let failed = in_ci(library()).run().ended_with(101).warns(&parts);
    failed.prints(&["tests::inner ... FAILED", "tests::ordinary ... ok", "on_unjudged = \"pass\""]);
}
