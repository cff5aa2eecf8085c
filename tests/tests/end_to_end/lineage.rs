//! Which runs a commit is compared with, under real git.

use crate::{PROJECTS, grows, learn};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore};
use serde_json::Value;
use std::fs;

/// The test as if its package were in this repository.
fn grows_in(repository: &TempRepository) -> Invocation {
    grows().env("CARGO_MANIFEST_DIR", repository.path())
}

/// The record of one run there.
fn recorded(run: Invocation, store: &TempStore) -> Value {
    run.store(store).run().ended_with(0);
    store.records_of_all_series("grows").pop().expect("the run is recorded")
}

fn teaching(store: &TempStore) -> usize {
    let records = store.records_of_all_series("grows");
    records.iter().filter(|record| record["teach"] == true).count()
}

/// Two commits on `main`: the first with five runs that teach, the second with three.
struct TwoCommits {
    repository: TempRepository,
    store: TempStore,
    first: String,
    second: String,
}

impl TwoCommits {
    fn learned() -> Self {
        let (repository, store) = (TempRepository::new(), TempStore::new());
        let first = repository.commit("first");
        let binary = || PROJECTS.binary("measured", "perf");
        let in_repository = || binary().env("CARGO_MANIFEST_DIR", repository.path());
        learn("grows", in_repository, &store);
        // All commits have the same executable here, of which only so many runs teach.
        store.rewrite("grows", |record| {
            record["exe"] = "0000000000000001".into();
            record["text"] = "0000000000000001".into();
        });
        let second = repository.commit("second");
        for _ in 0..30 {
            if teaching(&store) == 8 {
                return Self { repository, store, first, second };
            }
            recorded(grows_in(&repository), &store);
        }
        panic!("the second commit learned nothing in thirty runs");
    }

    /// Runs, newest commit and distance of the baseline a run has now.
    fn baseline(&self) -> (u64, String, Option<u64>) {
        let record = recorded(grows_in(&self.repository), &self.store);
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        (record["bln"].as_u64().unwrap_or(0), text("bcommit"), record["bdist"].as_u64())
    }
}

#[test]
fn a_branch_is_compared_with_where_it_began_and_the_default_branch_with_what_came_before() {
    let _alone = PROJECTS.alone();
    let two = TwoCommits::learned();
    two.repository.git(&["checkout", "--quiet", "-b", "topic", &two.first]);
    two.repository.commit("on a branch");
    assert_eq!(two.baseline(), (5, two.first.clone(), Some(0)));
    two.repository.git(&["checkout", "--quiet", "main"]);
    two.repository.commit("third");
    assert_eq!(two.baseline(), (8, two.second.clone(), Some(0)));
}

#[test]
fn changed_files_are_compared_with_their_commit_and_a_clean_commit_with_those_before_it() {
    let _alone = PROJECTS.alone();
    let two = TwoCommits::learned();
    assert_eq!(two.baseline(), (5, two.first.clone(), Some(0)));
    two.repository.change("not committed");
    assert_eq!(two.baseline(), (8, two.second.clone(), Some(0)));
}

/// A job of GitHub whose repository has the default branch `main`.
fn in_ci(run: Invocation, repository: &TempRepository, event: &str, head: &str) -> Invocation {
    let told = repository.path().join("event.json");
    fs::write(&told, r#"{"repository": {"default_branch": "main"}}"#).expect("it can be written");
    run.env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", event)
        .env("GITHUB_EVENT_PATH", told)
        .env("GITHUB_HEAD_REF", head)
        .env("GITHUB_REF_NAME", if head.is_empty() { "main" } else { "12/merge" })
}

#[test]
fn a_pull_request_does_not_teach_and_a_push_to_the_default_branch_does() {
    let _alone = PROJECTS.alone();
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    // As CI checks out: a commit and no branch.
    repository.git(&["checkout", "--quiet", "--detach"]);
    let run =
        |event, head| recorded(in_ci(grows_in(&repository), &repository, event, head), &store);
    let request = run("pull_request", "topic");
    assert_eq!((&request["branch"], &request["teach"]), (&"topic".into(), &false.into()));
    // A run that was disturbed from start to end does not teach.
    let pushed = (0..10).map(|_| run("push", "")).find(|record| record["teach"] == true);
    assert_eq!(pushed.expect("one of ten runs is undisturbed")["branch"], "main");
    assert_eq!(run("pull_request", "topic")["teach"], false);
}

#[test]
fn a_clone_that_does_not_reach_its_base_is_warned_of_in_ci() {
    let _alone = PROJECTS.alone();
    let origin = TempRepository::new();
    origin.commit("first");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    origin.commit("on a branch");
    let shallow = TempRepository::clone_of(&origin, "topic", &["--depth=1"]);
    let whole = TempRepository::clone_of(&origin, "topic", &[]);
    let store = TempStore::new();
    let in_ci = |clone: &TempRepository| -> Outcome {
        in_ci(grows_in(clone), clone, "pull_request", "topic").store(&store).run().ended_with(0)
    };
    in_ci(&shallow).warns(&["`topic` left the default branch", "fetch-depth: 0"]);
    let told = in_ci(&whole);
    assert!(!told.stderr.contains("fetch-depth"), "{told}");
    let at_home = grows_in(&shallow).store(&store).run().ended_with(0);
    assert!(!at_home.stderr.contains("fetch-depth"), "{at_home}");
}
