//! Which runs a commit is compared with, under real git.

use crate::{IN_ONE_GO, PROJECTS, grows, learn};
use perftest_tests::{Invocation, Outcome, TempRepository, TempStore, patiently};
use serde_json::{Value, json};
use std::fs;

/// The test as if its package were in this repository.
fn grows_in(repository: &TempRepository) -> Invocation {
    grows().env("CARGO_MANIFEST_DIR", repository.path())
}

/// The record of one run there.
fn recorded(run: Invocation, store: &TempStore) -> Value {
    run.store(store).run().ended_with(0);
    store.newest("grows")
}

/// Two commits on `main`: the first with five runs that count for the baseline, the second with three.
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
        // All commits have the same executable here, of which only this many runs count for the baseline.
        store.rewrite("grows", |record| {
            record["executable"] = "0000000000000001".into();
            record["machine_code"] = "0000000000000001".into();
        });
        let second = repository.commit("second");
        let record = |_: &usize| {
            recorded(grows_in(&repository), &store);
            store.baseline_runs("grows").len() == 8
        };
        (0..IN_ONE_GO).find(record);
        Self { repository, store, first, second }
    }

    /// Runs, newest commit and distance of the baseline a run has now.
    fn baseline(&self) -> Base {
        let record = recorded(grows_in(&self.repository), &self.store);
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        (
            record["baseline_runs"].as_u64().unwrap_or(0),
            text("baseline_commit"),
            record["commits_before_base"].as_u64(),
        )
    }

    /// The base of all five runs of the first commit.
    fn first(&self) -> Base {
        (5, self.first.clone(), Some(0))
    }

    /// The base of the three runs of the second commit too.
    fn second(&self) -> Base {
        (8, self.second.clone(), Some(0))
    }
}

type Base = (u64, String, Option<u64>);

/// Asks of two commits, each time of others, until the answer is what it is to be.
#[track_caller]
fn assert_bases(found_and_expected: impl Fn(TwoCommits) -> [(Base, Base); 2]) {
    let bases = || found_and_expected(TwoCommits::learned());
    let is_expected = |bases: &[(Base, Base); 2]| bases.iter().all(|(it, to_be)| it == to_be);
    let bases = patiently(bases, is_expected);
    assert!(is_expected(&bases), "{bases:?}");
}

#[test]
fn a_branch_is_compared_with_where_it_began_and_the_default_branch_with_what_came_before() {
    assert_bases(|two| {
        two.repository.git(&["checkout", "--quiet", "-b", "topic", &two.first]);
        two.repository.commit("on a branch");
        let on_branch = two.baseline();
        two.repository.git(&["checkout", "--quiet", "main"]);
        two.repository.commit("third");
        [(on_branch, two.first()), (two.baseline(), two.second())]
    });
}

#[test]
fn changed_files_are_compared_with_their_commit_and_a_clean_commit_with_those_before_it() {
    assert_bases(|two| {
        let clean = two.baseline();
        two.repository.change("not committed");
        [(clean, two.first()), (two.baseline(), two.second())]
    });
}

#[test]
fn within_one_run_of_nextest_git_is_asked_again_after_a_commit_and_in_each_new_run() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    let first = repository.commit("first");
    let in_run = |run: &str| {
        let record = recorded(grows_in(&repository).env("NEXTEST_RUN_ID", run), &store);
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        (text("commit"), text("parent"), record["dirty"] == true)
    };
    let at_first = |dirty| (first.clone(), String::new(), dirty);
    assert_eq!(in_run("one"), at_first(false));
    // After the executables of the run were built.
    repository.change("not committed");
    assert_eq!([in_run("one"), in_run("two")], [at_first(false), at_first(true)]);
    let second = repository.commit("second");
    assert_eq!(in_run("one"), (second.clone(), first.clone(), false));
    repository.change("not committed");
    // Without a runner that names its runs.
    assert_eq!(in_run(""), (second, first, true));
}

#[test]
#[cfg(unix)]
fn a_process_asks_git_one_question_and_those_of_one_run_of_nextest_ask_together() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    let (tools, asked) = (repository.path().join("tools"), repository.path().join("asked"));
    fs::create_dir(&tools).unwrap();
    let real = repository.path().join("real");
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|directory| directory.join("git"))
        .find(|git| git.is_file());
    std::os::unix::fs::symlink(found.unwrap(), &real).unwrap();
    let script =
        format!("#!/bin/sh\necho \"$2\" >>{}\nexec {} \"$@\"\n", asked.display(), real.display());
    fs::write(tools.join("git"), script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(tools.join("git"), executable).unwrap();
    let questions = |run: &str| {
        fs::write(&asked, "").unwrap();
        let run = grows_in(&repository).env("NEXTEST_RUN_ID", run).env("PATH", &tools);
        recorded(run, &store);
        let mut questions: Vec<String> =
            fs::read_to_string(&asked).unwrap().lines().map(str::to_owned).collect();
        questions.sort_unstable();
        questions.join(" ")
    };
    assert_eq!(questions(""), "rev-list status");
    assert_eq!(questions(""), "status", "the ancestors of a commit never change");
    assert_eq!([questions("one"), questions("one")], ["status", ""]);
}

/// A job of GitHub whose repository has the default branch `main`.
fn in_ci(run: Invocation, repository: &TempRepository, event: &str, head: &str) -> Invocation {
    let output = repository.path().join("event.json");
    fs::write(&output, r#"{"repository": {"default_branch": "main"}}"#).expect("it can be written");
    run.env("CI", "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_EVENT_NAME", event)
        .env("GITHUB_EVENT_PATH", output)
        .env("GITHUB_HEAD_REF", head)
        .env("GITHUB_REF_NAME", if head.is_empty() { "main" } else { "12/merge" })
}

#[test]
fn a_pull_request_does_not_count_for_the_baseline_and_a_push_to_the_default_branch_does() {
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    // As CI checks out: a commit and no branch.
    repository.git(&["checkout", "--quiet", "--detach"]);
    let run =
        |event, head| recorded(in_ci(grows_in(&repository), &repository, event, head), &store);
    let says_why = |record: &Value| {
        let notes = record["notes"].as_array();
        notes.is_some_and(|it| it.contains(&json!(["not_counted", "other_branch"])))
    };
    let request = patiently(|| run("pull_request", "topic"), says_why);
    assert!(says_why(&request), "{request}");
    assert_eq!(
        (&request["branch"], &request["counts_for_baseline"]),
        (&"topic".into(), &false.into())
    );
    let first_push = || {
        store.clear();
        run("push", "")
    };
    let pushed = patiently(first_push, |record| record["counts_for_baseline"] == true);
    assert_eq!(
        (&pushed["branch"], &pushed["counts_for_baseline"]),
        (&"main".into(), &true.into()),
        "{pushed}"
    );
    assert_eq!(run("pull_request", "topic")["counts_for_baseline"], false);
}

/// What a job of a provider other than GitHub and GitLab checks out: a commit, without any branch of its own.
fn checkout_of_job(origin: &TempRepository, commit: &str) -> TempRepository {
    let job = TempRepository::new();
    let address = format!("file://{}", origin.path().display());
    job.git(&["fetch", "--quiet", &address, "+refs/heads/*:refs/remotes/origin/*"]);
    job.git(&["checkout", "--quiet", "--detach", commit]);
    job
}

#[test]
fn a_pull_request_counts_in_no_job_that_checks_out_a_commit_whatever_runs_it() {
    let (origin, store) = (TempRepository::new(), TempStore::new());
    let merged = origin.commit("first");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    let requested = origin.commit("on a branch");
    let run = |commit: &str| {
        store.clear();
        recorded(grows_in(&checkout_of_job(&origin, commit)).env("CI", "true"), &store)
    };
    let request = run(&requested);
    assert_eq!(
        (&request["branch"], &request["counts_for_baseline"]),
        (&"HEAD".into(), &false.into()),
        "{request}"
    );
    // Drone and others merge a request into the default branch.
    let drone = checkout_of_job(&origin, &requested);
    drone.git(&["checkout", "--quiet", "-B", "main"]);
    let drone = || grows_in(&drone).env("CI", "true").env("DRONE_PULL_REQUEST", "12");
    let drone = recorded(drone(), &store);
    assert_eq!(
        (&drone["branch"], &drone["ci"], &drone["counts_for_baseline"]),
        (&"main".into(), &"ci/pull_request".into(), &false.into()),
        "{drone}"
    );
    let pushed = patiently(|| run(&merged), |record| record["counts_for_baseline"] == true);
    assert_eq!(
        (&pushed["branch"], &pushed["counts_for_baseline"]),
        (&"main".into(), &true.into()),
        "{pushed}"
    );
}

#[test]
fn a_job_without_a_known_default_branch_is_warned_and_counts_no_request_when_it_is_named() {
    let (origin, store) = (TempRepository::new(), TempStore::new());
    origin.git(&["checkout", "--quiet", "-b", "trunk"]);
    origin.commit("first");
    origin.git(&["checkout", "--quiet", "-b", "topic"]);
    let job = checkout_of_job(&origin, &origin.commit("on a branch"));
    let job = || grows_in(&job).env("CI", "true").store(&store);
    job().run().ended_with(0).warns(&["Set PERFTEST_DEFAULT_BRANCH=NAME"]);
    let shallow = TempRepository::clone_of(&origin, "topic", &["--depth=1"]);
    shallow.git(&["checkout", "--quiet", "--detach"]);
    shallow.git(&["remote", "remove", "origin"]);
    shallow.git(&["branch", "--quiet", "-D", "topic"]);
    let of_shallow = |name| {
        let job = grows_in(&shallow).env("CI", "true").env("PERFTEST_DEFAULT_BRANCH", name);
        job.store(&store).run().ended_with(0)
    };
    of_shallow("").warns(&["Set PERFTEST_DEFAULT_BRANCH=NAME"]);
    of_shallow("trunk").warns(&["git fetch origin trunk:refs/remotes/origin/trunk"]);
    let named = job().env("PERFTEST_DEFAULT_BRANCH", "trunk").run().ended_with(0);
    assert!(!named.stderr.contains("PERFTEST_DEFAULT_BRANCH"), "{named}");
    let request = store.newest("grows");
    assert_eq!(
        (&request["branch"], &request["counts_for_baseline"]),
        (&"HEAD".into(), &false.into()),
        "{request}"
    );
}

#[test]
fn a_clone_that_does_not_reach_its_base_is_warned_of_in_ci() {
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
    let output = in_ci(&whole);
    assert!(!output.stderr.contains("fetch-depth"), "{output}");
    let at_home = grows_in(&shallow).store(&store).run().ended_with(0);
    assert!(!at_home.stderr.contains("fetch-depth"), "{at_home}");
}

#[test]
fn runs_of_a_process_that_began_before_the_repository_had_an_origin_are_named_with_the_way_to_them()
{
    let (repository, store) = (TempRepository::new(), TempStore::new());
    repository.commit("first");
    let run = || grows_in(&repository).store(&store).run().ended_with(0);
    let project = || {
        let mut projects = fs::read_dir(store.path().join("v1")).unwrap();
        projects.next().unwrap().unwrap().path()
    };
    run();
    let old = project();
    repository.git(&["remote", "add", "origin", "https://example.org/team/codec"]);
    let renamed = run();
    assert!(!renamed.stderr.contains("cargo perftest merge"), "{renamed}");
    // As the other process writes it.
    let (new, history) = (project(), store.history("grows"));
    let again = old.join(history.strip_prefix(&new).unwrap());
    fs::create_dir_all(again.parent().unwrap()).unwrap();
    fs::copy(&history, &again).unwrap();
    let slug = old.file_name().unwrap().to_str().unwrap();
    run().warns(&[&format!("cargo perftest merge --project {slug}")]);
}
