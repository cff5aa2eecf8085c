//! `cargo perftest merge`: the stores of parallel jobs.

use crate::bench::{Bench, line_with, red};
use crate::export::formats::assert_events;
use perftest_core::model::{BenchmarkId, Run};
use perftest_process::find_project;
use perftest_store::Store;
use perftest_store::conformance::example_run;
use perftest_tests::Outcome;
use std::fs;

fn store_of(bench: &Bench) -> String {
    bench.root.join("store").to_str().unwrap().to_owned()
}

/// The stores of two jobs that had one project at one place.
fn jobs(name: &str) -> (Bench, [String; 2]) {
    let bench = Bench::new(name);
    let other = BenchmarkId::from_recorded("codec::frame::decode");
    let runs = [example_run(1), Run { benchmark: other, ..example_run(2) }];
    let stores = [0, 1].map(|job| {
        bench.append(&example_run(0));
        bench.append(&runs[job]);
        let saved = bench.root.join(format!("job-{job}"));
        fs::rename(store_of(&bench), &saved).unwrap();
        saved.to_str().unwrap().to_owned()
    });
    (bench, stores)
}

#[test]
fn the_runs_of_all_jobs_are_in_one_history_and_merging_again_adds_nothing() {
    let (bench, [one, other]) = jobs("merge");
    let text = bench.answer(&["merge", &one, &other]);
    assert!(text.contains("3 records of 2 stores added, 1 were there"), "{text}");
    let history = bench.answer(&["history"]);
    assert!(line_with(&history, "encode").contains("  2  "), "{history}");
    line_with(&history, "decode");
    let again = bench.json(&["merge", &one, &other, "--json"]);
    assert_events(&again[0].to_string());
    assert_eq!((&again[0]["added"], &again[0]["known"]), (&0.into(), &4.into()));
}

#[test]
fn a_damaged_line_is_reported_with_its_place_and_the_rest_is_merged() {
    let (bench, [one, other]) = jobs("merge-damage");
    let mut path = std::path::PathBuf::from(&one).join("v1");
    while path.is_dir() {
        let mut entries: Vec<_> =
            fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()).collect();
        entries.retain(|entry| !entry.ends_with("project.json"));
        path = entries.pop().unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("garbage\n{text}")).unwrap();
    let merged = bench.run(&["merge", &one, &other]).ended_with(0);
    merged.warns(&[&format!("({}:1)", path.display())]).prints(&["1 damaged line left out"]);
    assert_eq!(bench.json(&["history", "encode", "--json"]).len(), 2);
}

#[test]
fn runs_of_a_process_that_began_before_the_origin_get_a_hint_until_they_are_merged() {
    let bench = Bench::new("merge-left-behind");
    bench.git(&["init", "-q"]);
    let project = bench.root.join("project");
    let before = find_project(&project);
    bench.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let commit = bench.git(&["rev-parse", "HEAD"]);
    let run = |ordinal| {
        let mut run = example_run(ordinal);
        run.revision.commit.clone_from(&commit);
        run
    };
    let process = bench.store();
    process.append(&run(0)).unwrap();
    bench.git(&["remote", "add", "origin", "https://example.org/team/encoder"]);
    assert_eq!(bench.run(&["history"]).stderr, "", "the history has the name of the origin");
    process.append(&run(1)).unwrap();
    bench.append(&run(2));
    let split = bench.run(&["history"]).stderr;
    let hint = format!("cargo perftest merge --project {}\n", before.slug);
    assert!(split.starts_with("note: ") && split.ends_with(&hint), "{split}");
    let former = before.directory(&bench.root.join("store"));
    let profile = "profiles/0123456789abcdef-wall-89ab.lz4";
    for name in ["executables/0123456789abcdef.lz4", "cache/0123456789abcdef", profile] {
        fs::create_dir_all(former.join(name).parent().unwrap()).unwrap();
        fs::write(former.join(name), "left").unwrap();
    }
    let merged = bench.answer(&["merge", "--project", &before.slug]);
    let records = format!("1 record of project {} added, 0 were there\n", before.slug);
    assert_eq!(merged, records + "1 kept profile added\n");
    assert!(!former.exists(), "nothing is left under the former name");
    let now = find_project(&project).directory(&bench.root.join("store"));
    assert_eq!(fs::read(now.join(profile)).unwrap(), b"left");
    let whole = bench.run(&["history", "encode", "--json"]);
    assert_eq!((whole.stdout.matches('\n').count(), &*whole.stderr), (3, ""));
}

#[test]
fn a_moved_repository_gets_a_hint_until_its_history_is_taken_over() {
    let bench = Bench::new("merge-moved");
    let git = |args: &[&str]| bench.git(args);
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["remote", "add", "origin", "https://example.org/team/codec"]);
    let former = find_project(&bench.root.join("project")).slug;
    let mut run = example_run(1);
    run.revision.commit = git(&["rev-parse", "HEAD"]);
    bench.append(&run);
    assert_eq!(bench.run(&["history"]).stderr, "");
    git(&["remote", "set-url", "origin", "https://example.org/team/encoder"]);
    let hint = format!("continue that history: cargo perftest merge --project {former}\n");
    let lost = bench.run(&["history"]).prints(&["nothing is recorded for encoder"]);
    assert!(lost.stderr.ends_with(&hint));
    let (code, text) = bench.refusal(&["merge", "--project", "codec.00000000"]);
    assert!(code == 2 && text.contains("the store has no such project"), "{text}");
    let merged = bench.answer(&["merge", "--project", &former]);
    assert_eq!(merged, format!("1 record of project {former} added, 0 were there\n"));
    line_with(&bench.answer(&["history"]), "encode");
    let again = bench.json(&["merge", "--project", &former, "--json"]);
    assert_eq!((&again[0]["added"], &again[0]["known"]), (&0.into(), &1.into()));
}

#[test]
fn a_history_that_was_received_in_part_is_so_under_its_new_name() {
    // A process that began before the origin, and a repository that was moved.
    for (name, former_origin) in
        [("merge-cut-left-behind", None), ("merge-cut-moved", Some("https://example.org/codec"))]
    {
        let bench = Bench::new(name);
        let (project, store) = (bench.root.join("project"), bench.root.join("store"));
        let git = |args: &[&str]| bench.git(args);
        let name_origin = |origin: Option<&str>| match origin {
            Some(url) => git(&["config", "remote.origin.url", url]),
            None => git(&["remote", "remove", "origin"]),
        };
        let done = |args: &[&str]| drop(bench.run(args).ended_with(0));
        git(&["init", "-q"]);
        git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        let commit = git(&["rev-parse", "HEAD"]);
        let append = |ordinal| {
            let mut run = example_run(ordinal);
            run.revision.commit.clone_from(&commit);
            bench.append(&run);
        };
        name_origin(Some("https://example.org/encoder"));
        append(0);
        name_origin(former_origin);
        (1..150).for_each(append);
        let former = find_project(&project);
        let remote = format!("dir:{}", bench.root.join("shared").display());
        done(&["push", &remote]);
        fs::remove_dir_all(former.directory(&store)).unwrap();
        done(&["pull", &remote, "--newest", "20", "--testbed", "local/7f3a2b"]);
        name_origin(Some("https://example.org/encoder"));
        done(&["merge", "--project", &former.slug]);
        assert_eq!(former.directory(&store).exists(), former_origin.is_some());
        let rule = "[[threshold]]\nname = \"latency\"\ntest = \"percentage\"\nupper = 0.5\n";
        fs::write(project.join("perftest.toml"), rule).unwrap();
        let (code, text) = bench.refusal(&["check", "--branch", "*"]);
        assert!(code == 2 && text.contains("`pull --newest` received only a part"), "{text}");
        // The remote lacks them under this name, too.
        done(&["push", &remote]);
        done(&["pull", &remote, "--testbed", "local/7f3a2b"]);
        done(&["check", "--branch", "*"]);
    }
}

#[test]
fn a_directory_that_is_no_store_is_refused() {
    let (bench, [one, _]) = jobs("merge-none");
    let missing = bench.root.join("missing");
    let (code, text) = bench.refusal(&["merge", &one, missing.to_str().unwrap()]);
    assert!(code == 2 && text.contains("it is no store"), "{text}");
    assert!(bench.answer(&["history"]).contains("nothing is recorded"));
    assert_eq!(bench.refusal(&["merge"]).0, 2);
}

#[test]
fn runs_of_a_fork_are_shown_and_neither_judged_nor_accepted() {
    let bench = Bench::new("merge-fork");
    // Of the same test and session, red, and from the future.
    (0..12).for_each(|ordinal| bench.append(&red(example_run(100 + ordinal))));
    let fork = bench.root.join("fork");
    fs::rename(store_of(&bench), &fork).unwrap();
    (0..12).for_each(|ordinal| bench.append(&example_run(ordinal)));
    let judged = || ["drift", "power"].map(|command| bench.run(&[command]).stdout);
    let before = judged();
    let text = bench.answer(&["merge", fork.to_str().unwrap(), "--show-only"]);
    assert!(text.contains("12 records of 1 store added, 0 were there\n"), "{text}");
    assert!(text.contains("no run is compared with them\n"), "{text}");
    let history = bench.answer(&["history"]);
    assert!(line_with(&history, "show-only/local/7f3a2b").contains(" red "), "{history}");
    assert!(line_with(&history, " local/7f3a2b").contains(" green "), "{history}");
    assert_eq!(judged(), before);
    let text = bench.answer(&["accept", "--session", "last", "--dry-run"]);
    assert!(text.contains("nothing to accept: no test of 1 was red"), "{text}");
    let session = bench.json(&["export", "jsonl"]);
    assert!(session.iter().all(|line| line["verdict"] != "red"), "{session:?}");
    let shown = &bench.json(&["show", "encode", "--json"]);
    let marks = |line: &serde_json::Value| line["marks"].to_string().contains("show-only");
    assert_eq!(shown.iter().filter(|line| marks(line)).count(), 1);
    let again = bench.json(&["merge", fork.to_str().unwrap(), "--show-only", "--json"]);
    assert_events(&again[0].to_string());
    assert_eq!((&again[0]["added"], &again[0]["left_out"]), (&0.into(), &0.into()));
}

#[test]
fn where_only_runs_of_a_fork_are_recorded_the_answer_is_not_that_nothing_is() {
    let bench = Bench::new("merge-fork-alone");
    bench.append(&example_run(0));
    let fork = bench.root.join("fork");
    fs::rename(store_of(&bench), &fork).unwrap();
    let rule = "[[threshold]]\nname = \"any\"\ntest = \"static\"\nupper = 1\n";
    fs::write(bench.root.join("project/perftest.toml"), rule).unwrap();
    let commands: [&[&str]; 4] = [&["check"], &["check", "encode"], &["drift"], &["power"]];
    for command in commands {
        assert!(bench.answer(command).starts_with("nothing is recorded"), "{command:?}");
    }
    bench.answer(&["merge", fork.to_str().unwrap(), "--show-only"]);
    for command in commands {
        let text = bench.answer(command);
        assert!(text.starts_with("the recorded runs are only shown"), "{command:?}: {text}");
    }
    let in_ci = Outcome::of(bench.command().arg("check").env("CI", "true")).ended_with(4);
    in_ci.warns(&["error: the recorded runs are only shown, so this job"]);
}

#[test]
fn runs_that_a_fork_had_from_here_are_not_shown_a_second_time() {
    let bench = Bench::new("merge-fork-copy");
    (0..13).for_each(|ordinal| bench.append(&example_run(ordinal)));
    let fork = bench.root.join("fork");
    fs::rename(store_of(&bench), &fork).unwrap();
    (0..12).for_each(|ordinal| bench.append(&example_run(ordinal)));
    let text = bench.answer(&["merge", fork.to_str().unwrap(), "--show-only"]);
    assert!(text.contains("1 record of 1 store added, 12 were there\n"), "{text}");
}

#[test]
fn executables_of_a_fork_are_left_where_they_are() {
    let (bench, [one, _]) = jobs("merge-fork-executables");
    let projects = fs::read_dir(std::path::Path::new(&one).join("v1")).unwrap();
    let project = projects.map(|it| it.unwrap().path()).next().unwrap();
    let kept = project.join("executables");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("0123456789abcdef.lz4"), "code").unwrap();
    fs::write(kept.join("0123456789abcdef.json"), "{}").unwrap();
    let answer = &bench.json(&["merge", &one, "--show-only", "--json"])[0];
    assert_eq!((&answer["added"], &answer["executables"]), (&2.into(), &0.into()));
    let here = project.file_name().unwrap();
    assert!(!bench.root.join("store/v1").join(here).join("executables").exists());
}
