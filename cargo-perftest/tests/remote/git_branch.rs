//! What only a branch of git has: a repository that must stay as it is.

use crate::fleet::{BRANCH, Fleet, Kind, Machine, counts, ids};
use perftest_core::model::{BenchmarkId, Run};
use perftest_store::Store;
use perftest_store::conformance::example_run;
use perftest_tests::{Outcome, git};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

fn fleet(name: &str) -> Fleet {
    Fleet::new(Kind::Git, name)
}

/// Everything of a repository that a person can see: files, index, branches and the present commit.
fn state_of(clone: &Path) -> [String; 5] {
    [
        &["status", "--porcelain", "--untracked-files=all"][..],
        &["for-each-ref", "refs/heads", "refs/tags", "refs/stash"],
        &["ls-files", "--stage"],
        &["symbolic-ref", "HEAD"],
        &["config", "--local", "--list"],
    ]
    .map(|question| git(clone, question))
}

fn commit_a_file(clone: &Path) {
    fs::write(clone.join("lib.rs"), "fn main() {}\n").unwrap();
    git(clone, &["add", "lib.rs"]);
    git(clone, &["commit", "--quiet", "--message=Begin"]);
}

#[test]
fn files_index_and_branches_of_the_clone_stay_as_they_are() {
    let fleet = fleet("git-untouched");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    commit_a_file(&one.clone);
    fs::write(one.clone.join("lib.rs"), "changed\n").unwrap();
    fs::write(one.clone.join("new.rs"), "staged\n").unwrap();
    git(&one.clone, &["add", "new.rs"]);
    other.append([5]);
    other.push();
    let before = state_of(&one.clone);
    one.append([0]);
    one.push();
    one.pull();
    assert_eq!(state_of(&one.clone), before);
    assert!(!one.clone.join(".git/FETCH_HEAD").exists());
    assert!(!one.clone.join(".git/shallow").exists());
    assert_eq!(one.ids().len(), 2);
}

#[test]
fn the_branch_is_a_store_when_it_is_checked_out() {
    let fleet = fleet("git-store");
    let one = fleet.machine("one");
    one.append(0..3);
    one.push();
    let out = fleet.root.path().join("out");
    let origin = fleet.origin();
    let clone = ["clone", "--quiet", "--branch", BRANCH, origin.to_str().unwrap()];
    git(fleet.root.path(), &[&clone[..], &[out.to_str().unwrap()]].concat());
    let answer = one.run(&["history", "--store", out.to_str().unwrap()]);
    answer.prints(&["codec::frame::encode"]);
    assert_eq!(git(&out, &["log", "--format=%s"]), "Add 3 records\n");
    let attributes = fs::read_to_string(out.join(".gitattributes")).unwrap();
    assert_eq!(attributes, "*.jsonl -text merge=union\n");
}

#[test]
fn what_the_origin_of_another_clone_was_sent_counts_as_sent_there_only() {
    let fleet = fleet("git-origins");
    let one = fleet.machine("one");
    commit_a_file(&one.clone);
    let clone = fleet.root.path().join("clone");
    git(fleet.root.path(), &["clone", "--quiet", one.clone.to_str().unwrap(), "clone"]);
    // Of the same project, with the same store, and with the first clone as its origin.
    let other = Machine { clone, ..fleet.machine("one") };
    assert_eq!(other.project(), one.project());
    one.append(0..3);
    assert_eq!(counts(&other.push()), [3, 0, 0]);
    assert_eq!(counts(&one.push()), [3, 0, 0]);
    assert_eq!(counts(&one.push()), [0, 0, 0]);
    assert_eq!(fleet.lines().len(), 3);
}

#[test]
fn a_push_of_many_histories_is_one_commit() {
    let fleet = fleet("git-one-commit");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for number in 0..600 {
        let benchmark = BenchmarkId::from_recorded(format!("codec::frame::test{number}"));
        one.store().append(&Run { benchmark, ..example_run(number) }).unwrap();
    }
    one.append(0..2);
    assert_eq!(counts(&one.push()), [602, 0, 0]);
    let log = || git(&fleet.origin(), &["log", "--format=%s", BRANCH]);
    assert_eq!(log(), "Add 602 records\n");
    assert_eq!(counts(&other.pull()), [602, 0, 0]);
    other.append([2]);
    other.push();
    assert_eq!(log(), "Add 1 record\nAdd 602 records\n");
}

#[test]
fn a_branch_of_code_is_refused_and_stays_as_it_is() {
    let fleet = fleet("git-code");
    let one = fleet.machine("one");
    commit_a_file(&one.clone);
    git(&one.clone, &["push", "--quiet", "origin", "main"]);
    one.append([0]);
    let refused = one.run(&["push", "git:main"]).ended_with(5);
    refused.warns(&["`main` has `lib.rs`, so it is no branch of history"]);
    assert_eq!(git(&fleet.origin(), &["log", "--format=%s", "main"]), "Begin\n");
}

#[test]
fn a_shallow_clone_sends_and_receives_and_so_does_one_of_its_directories() {
    let fleet = fleet("git-shallow");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    for _ in 0..2 {
        commit_a_file(&one.clone);
        fs::write(one.clone.join("lib.rs"), "again\n").unwrap();
        git(&one.clone, &["commit", "--quiet", "--all", "--message=Again"]);
    }
    git(&one.clone, &["push", "--quiet", "origin", "main"]);
    other.append(0..2);
    other.push();
    other.append([2]);
    other.push();
    fs::remove_dir_all(&one.clone).unwrap();
    let url = format!("file://{}", fleet.origin().display());
    let clone = ["clone", "--quiet", "--depth=1", "--branch=main", &url];
    git(fleet.root.path(), &[&clone[..], &[one.clone.to_str().unwrap()]].concat());
    assert_eq!(counts(&one.pull()), [3, 0, 0]);
    one.append([3]);
    fs::create_dir(one.clone.join("below")).unwrap();
    let mut below = one.command(&["push", &one.address]);
    Outcome::of(below.current_dir(one.clone.join("below"))).ended_with(0);
    assert_eq!(counts(&other.pull())[0], 1);
    assert_eq!(other.ids(), ids(0..4));
    let commits = git(&fleet.origin(), &["rev-list", "--count", BRANCH]);
    assert_eq!(commits.trim(), "3");
}

#[test]
fn two_processes_of_one_clone_do_not_disturb_each_other() {
    let fleet = fleet("git-one-clone");
    let one = fleet.machine("one");
    let stores: Vec<_> =
        (0..3).map(|number| fleet.root.path().join(format!("store-{number}"))).collect();
    thread::scope(|scope| {
        for (store, number) in stores.iter().zip(0..) {
            let mut machine = fleet.machine("one");
            machine.store.clone_from(store);
            scope.spawn(move || {
                for round in 0..3 {
                    machine.append([3 * number + round]);
                    assert_eq!(counts(&machine.push())[0], 1);
                }
            });
        }
    });
    one.pull();
    assert_eq!(one.ids(), ids(0..9));
}

#[test]
fn six_machines_that_push_at_once_on_one_branch_lose_nothing_and_double_nothing() {
    const MACHINES: u64 = 6;
    const TESTS: u64 = 30;
    let fleet = fleet("git-six");
    let machines: Vec<Machine> =
        (0..MACHINES).map(|number| fleet.machine(&format!("machine-{number}"))).collect();
    let named = |test: u64, ordinal| Run {
        benchmark: BenchmarkId::from_recorded(format!("codec::frame::test{test}")),
        ..example_run(ordinal)
    };
    thread::scope(|scope| {
        for (machine, ordinal) in machines.iter().zip(0..) {
            scope.spawn(move || {
                (0..TESTS).for_each(|test| machine.store().append(&named(test, ordinal)).unwrap());
                assert_eq!(counts(&machine.push()), [TESTS, 0, 0]);
            });
        }
    });
    let last = fleet.machine("last");
    assert_eq!(counts(&last.pull()), [MACHINES * TESTS, 0, 0]);
    for test in 0..TESTS {
        assert_eq!(last.ids_like(&named(test, 0)), ids(0..MACHINES));
    }
    let log = git(&fleet.origin(), &["log", "--format=%s", BRANCH]);
    assert_eq!(log, "Add 30 records\n".repeat(6));
}

/// Lets another machine be faster than the first so many pushes: a commit of its own is on the branch at the moment
/// when theirs arrives.
fn overtake(fleet: &Fleet, pushes: u64) {
    let hook = fleet.origin().join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\n\
         count=$(cat count 2>/dev/null || echo 0)\n\
         echo $((count + 1)) >count\n\
         [ $count -lt {pushes} ] || exit 0\n\
         unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n\
         export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a\n\
         old=$(git rev-parse refs/heads/{BRANCH})\n\
         git update-ref refs/heads/{BRANCH} $(git commit-tree -p $old -m other $old^{{tree}})\n"
    );
    fs::write(&hook, script).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&hook).status().unwrap().success());
}

#[test]
fn a_push_that_others_overtake_is_repeated_on_top_of_theirs() {
    let fleet = fleet("git-overtaken");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    other.append([0]);
    other.push();
    overtake(&fleet, 3);
    one.append([1, 2]);
    assert_eq!(counts(&one.push()), [2, 0, 0]);
    let log = git(&fleet.origin(), &["log", "--format=%s", BRANCH]);
    assert_eq!(log, format!("Add 2 records\n{}Add 1 record\n", "other\n".repeat(3)));
    assert_eq!(counts(&other.pull()), [2, 0, 0]);
    assert_eq!(other.ids(), ids(0..3));
}

#[test]
fn a_large_push_that_others_overtake_is_divided() {
    const TESTS: u64 = 12;
    let fleet = fleet("git-divided");
    let [one, other] = ["one", "other"].map(|name| fleet.machine(name));
    other.append([0]);
    other.push();
    overtake(&fleet, 3);
    let named = |test: u64| Run {
        benchmark: BenchmarkId::from_recorded(format!("codec::frame::test{test}")),
        // More than a megabyte.
        flags: vec!["x".repeat(1_100_000)],
        ..example_run(1)
    };
    (0..TESTS).for_each(|test| one.store().append(&named(test)).unwrap());
    assert_eq!(counts(&one.push()), [TESTS, 0, 0]);
    // Of 13 MB half, then 4 MiB.
    let log = git(&fleet.origin(), &["log", "--format=%s", BRANCH]);
    assert_eq!(
        log,
        format!("{}{}Add 1 record\n", "Add 4 records\n".repeat(3), "other\n".repeat(3))
    );
    assert_eq!(counts(&other.pull()), [TESTS, 0, 0]);
}

#[test]
fn no_message_has_the_credentials_of_the_origin() {
    let fleet = fleet("git-secret");
    let one = fleet.machine("one");
    one.append([0]);
    // Nobody listens at this port.
    let url = "http://bot:s3cret@127.0.0.1:9/team/codec.git";
    git(&one.clone, &["remote", "set-url", "origin", url]);
    for command in ["push", "pull", "sync"] {
        let (code, text) = one.run(&[command, &one.address]).in_all();
        assert_eq!(code, Some(5), "{text}");
        assert!(text.contains("127.0.0.1:9") && !text.contains("s3cret"), "{text}");
    }
}

#[test]
fn a_wrong_password_of_the_origin_is_refused_and_not_repeated() {
    let fleet = fleet("git-wrong-password");
    let one = fleet.machine("one");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.read(&mut [0; 16 * 1024]);
            let _ = client.write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    for (user, number) in ["bot:wr0ng@", "bot@", ""].into_iter().zip(0..) {
        let url = format!("http://{user}{place}/team/codec.git");
        git(&one.clone, &["remote", "set-url", "origin", &url]);
        one.append([number]);
        for command in ["push", "pull", "sync"] {
            let (code, answer, error) = one.ends(command, &[]);
            assert_eq!(code, 5, "{error}");
            let is_named =
                error.contains("Authentication failed") || error.contains("could not read");
            assert!(is_named && !(answer + &error).contains("wr0ng"), "{error}");
        }
    }
    assert_eq!(one.ids(), ids(0..3));
}

#[test]
fn no_message_has_the_password_of_an_address() {
    let fleet = fleet("git-password");
    let one = fleet.machine("one");
    for (address, variable) in [
        ("postgres://bot:s3cret@127.0.0.1:9/perf", "PGPASSWORD"),
        ("clickhouse+http://bot:s3cret@127.0.0.1:9/perf", "CLICKHOUSE_PASSWORD"),
        ("clickhouse+https://bot:s3cret@127.0.0.1:9/perf", "CLICKHOUSE_PASSWORD"),
        ("clickhouse+http://bot@127.0.0.1:9/perf?password=s3cret", "CLICKHOUSE_PASSWORD"),
    ] {
        for command in ["push", "pull", "sync", "setup-remote"] {
            let (code, text) = one.run(&[command, address]).in_all();
            assert_eq!(code, Some(2), "{text}");
            assert!(text.contains(variable) && !text.contains("s3cret"), "{text}");
        }
    }
}

#[test]
fn without_a_repository_or_an_origin_the_next_step_is_named() {
    let fleet = fleet("git-none");
    let one = fleet.machine("one");
    git(&one.clone, &["remote", "remove", "origin"]);
    let (code, _, error) = one.ends("push", &[]);
    assert!(code == 5 && error.contains("git remote add origin URL"), "{error}");
    fs::remove_dir_all(one.clone.join(".git")).unwrap();
    let (code, _, error) = one.ends("push", &[]);
    assert!(code == 5 && error.contains("not a git repository"), "{error}");
}

#[test]
fn a_hook_of_the_user_is_not_run() {
    let fleet = fleet("git-hook");
    let one = fleet.machine("one");
    let hooks = one.clone.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join("pre-push");
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&hook).status().unwrap().success());
    one.append([0]);
    assert_eq!(counts(&one.push()), [1, 0, 0]);
}
