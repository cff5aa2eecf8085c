//! One repository is one project, however one gets there. The repositories are written by hand,
//! as git writes them: most tests need no git.

use crate::bench::Bench;
use perftest_process::{
    GitQuestion, adopt_project, find_project, find_project_in_store, find_project_left_behind,
    git_command, project_root,
};
use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Project, Store};
use std::fs;
use std::path::{Path, PathBuf};

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn repository(root: &Path, origin: Option<&str>) {
    write(root.join(".git/HEAD"), "ref: refs/heads/main\n");
    let remote = origin.map(|url| format!("[remote \"origin\"]\n\turl = {url}\n"));
    let config = format!("[core]\n\tbare = false\n{}", remote.unwrap_or_default());
    write(root.join(".git/config"), &config);
    fs::create_dir_all(root.join("crates/deep")).unwrap();
}

fn worktree(repository: &Path, worktree: &Path) {
    let own = repository.join(".git/worktrees/side");
    write(own.join("HEAD"), "ref: refs/heads/side\n");
    write(own.join("commondir"), "../..\n");
    write(worktree.join(".git"), &format!("gitdir: {}\n", own.display()));
    fs::create_dir_all(worktree.join("crates/deep")).unwrap();
}

#[test]
fn two_clones_and_their_subdirectories_are_one_project() {
    let bench = Bench::new("clones");
    let (first, second) = (bench.root.join("first"), bench.root.join("second"));
    repository(&first, Some("git@example.org:team/codec.git"));
    repository(&second, Some("https://example.org/team/codec"));
    let project = find_project(&first);
    assert_eq!(project.name, "codec");
    for place in [first.join("crates/deep"), second.clone(), second.join("crates")] {
        assert_eq!(find_project(&place), project, "{}", place.display());
    }
}

#[test]
fn a_clone_of_a_clone_is_the_project_of_the_first_one() {
    let bench = Bench::new("clones-of-clones");
    for (origin, name) in [(Some("https://example.org/team/codec.git"), "codec"), (None, "one")] {
        let [one, two, three] = ["one", "two", "three"].map(|name| bench.root.join(name));
        repository(&one, origin);
        repository(&two, one.to_str());
        repository(&three, Some(&format!("file://{}/", two.display())));
        let project = find_project(&one);
        assert_eq!(project.name, name);
        for clone in [two, three.join("crates/deep")] {
            assert_eq!(find_project(&clone), project, "{}", clone.display());
        }
    }
}

#[test]
fn clones_of_each_other_have_a_project() {
    let bench = Bench::new("clones-in-a-ring");
    let [one, two] = ["one", "two"].map(|name| bench.root.join(name));
    repository(&one, Some("../two"));
    repository(&two, Some("../one"));
    assert!(["one", "two"].contains(&find_project(&one).name.as_str()));
}

#[test]
fn a_worktree_belongs_to_its_repository() {
    let bench = Bench::new("worktrees");
    for origin in [Some("https://example.org/team/codec.git"), None] {
        let (main, side) = (bench.root.join("main"), bench.root.join("side"));
        repository(&main, origin);
        worktree(&main, &side);
        let project = find_project(&main);
        assert_eq!(find_project(&side.join("crates/deep")), project, "{origin:?}");
        assert_eq!(project.name, if origin.is_some() { "codec" } else { "main" });
    }
}

#[test]
fn a_history_from_before_the_origin_is_read_on_and_gets_the_name_of_the_origin() {
    let bench = Bench::new("new-origin");
    let (store, here) = (bench.root.join("store"), bench.root.join("codec"));
    repository(&here, None);
    let before = find_project(&here);
    write(before.directory(&store).join("runs/local/a.jsonl"), "a run\n");
    assert_eq!(adopt_project(&store, &here), before);
    repository(&here, Some("https://example.org/team/codec"));
    assert_eq!(find_project_in_store(&store, &here), before);
    let project = find_project(&here);
    assert_ne!(project, before);
    assert_eq!(adopt_project(&store, &here), project);
    assert_eq!(find_project_in_store(&store, &here), project);
    let kept = fs::read_to_string(project.directory(&store).join("runs/local/a.jsonl"));
    assert_eq!(kept.unwrap(), "a run\n");
    assert!(!before.directory(&store).exists());
}

/// Creates a commit, and returns its hash.
fn commit(directory: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut command = git_command(directory);
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
        GitQuestion::ask(command).answer(GitQuestion::LONGEST).unwrap()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["rev-parse", "HEAD"]).trim().to_owned()
}

fn append(root: &Path, project: &Project, ordinal: u64, commit: &str) {
    let mut run = example_run(ordinal);
    run.revision.commit = commit.to_owned();
    JsonlStore::open(root, project).append(&run).unwrap();
}

#[test]
fn runs_that_a_process_wrote_under_the_name_before_the_origin_are_found_beside_those_under_the_origin()
 {
    let bench = Bench::new("left-behind");
    let (root, here) = (bench.root.join("store"), bench.root.join("codec"));
    repository(&here, None);
    let (before, own) = (find_project(&here), commit(&here));
    append(&root, &before, 0, &own);
    assert_eq!(find_project_left_behind(&root, &here), None);
    repository(&here, Some("https://example.org/team/codec"));
    assert_eq!(find_project_left_behind(&root, &here), None, "one name has all runs");
    let project = adopt_project(&root, &here);
    append(&root, &project, 1, &own);
    assert_eq!(find_project_left_behind(&root, &here), None, "one name has all runs");
    append(&root, &before, 2, &own);
    assert_eq!(find_project_left_behind(&root, &here), Some(before));
}

#[test]
fn the_history_of_another_repository_that_was_in_the_same_place_is_left_alone() {
    let bench = Bench::new("foreign-history");
    let (root, here) = (bench.root.join("store"), bench.root.join("codec"));
    repository(&here, None);
    let before = find_project(&here);
    append(&root, &before, 0, "1111111111111111111111111111111111111111");
    repository(&here, Some("https://example.org/team/codec"));
    let own = commit(&here);
    let project = find_project(&here);
    assert_eq!(adopt_project(&root, &here), project);
    append(&root, &project, 1, &own);
    assert_eq!(find_project_left_behind(&root, &here), None);
    assert!(before.directory(&root).exists());
}

#[test]
fn a_history_without_commits_is_of_the_repository_that_its_directory_became() {
    let bench = Bench::new("unversioned");
    let (root, here) = (bench.root.join("store"), bench.root.join("codec"));
    write(here.join("Cargo.toml"), "[package]\n");
    let before = find_project(&here);
    append(&root, &before, 0, "");
    repository(&here, Some("https://example.org/team/codec"));
    assert_eq!(adopt_project(&root, &here), find_project(&here));
    assert!(!before.directory(&root).exists());
}

#[test]
fn a_history_under_the_origin_is_left_alone_whatever_was_recorded_before_it() {
    let bench = Bench::new("both-origins");
    let (store, here) = (bench.root.join("store"), bench.root.join("codec"));
    repository(&here, None);
    let before = find_project(&here);
    repository(&here, Some("https://example.org/team/codec"));
    let project = find_project(&here);
    for (its, text) in [(&before, "before\n"), (&project, "now\n")] {
        write(its.directory(&store).join("runs/local/a.jsonl"), text);
    }
    assert_eq!(adopt_project(&store, &here), project);
    let kept = [&before, &project].map(|its| its.directory(&store).join("runs/local/a.jsonl"));
    assert_eq!(kept.map(|file| fs::read_to_string(file).unwrap()), ["before\n", "now\n"]);
}

#[test]
fn repositories_without_an_origin_are_kept_apart_by_their_place() {
    let bench = Bench::new("no-origin");
    let (first, second) = (bench.root.join("a/codec"), bench.root.join("b/codec"));
    repository(&first, None);
    repository(&second, None);
    assert_eq!(find_project(&first), find_project(&first.join("crates")));
    assert_ne!(find_project(&first).slug, find_project(&second).slug);
    assert_eq!(find_project(&first).name, find_project(&second).name);
}

#[test]
fn without_a_repository_the_outermost_package_is_the_project() {
    let bench = Bench::new("no-repository");
    let workspace = bench.root.join("workspace");
    write(workspace.join("Cargo.toml"), "[workspace]\n");
    write(workspace.join("member/Cargo.toml"), "[package]\n");
    fs::create_dir_all(workspace.join("member/src")).unwrap();
    let project = find_project(&workspace.join("member/src"));
    assert_eq!(project, find_project(&workspace));
    assert_eq!(project.name, "workspace");
}

#[test]
fn a_broken_link_to_a_repository_is_no_repository() {
    let bench = Bench::new("broken");
    for text in ["", "gitdir: /nowhere/at/all\n", "\0\0"] {
        write(bench.root.join("package/.git"), text);
        write(bench.root.join("package/Cargo.toml"), "[package]\n");
        assert_eq!(find_project(&bench.root.join("package")).name, "package");
    }
    assert!(!find_project(Path::new("/nowhere/at/all")).slug.is_empty());
}

#[test]
fn the_root_of_a_project_is_the_outermost_package_or_the_checkout_and_each_worktree_has_its_own() {
    let bench = Bench::new("roots");
    let packages = bench.root.join("packages");
    for package in [packages.clone(), packages.join("member")] {
        write(package.join("Cargo.toml"), "[package]\n");
    }
    fs::create_dir_all(packages.join("member/src")).unwrap();
    assert_eq!(project_root(&packages.join("member/src")), packages);
    let (main, side) = (bench.root.join("main"), bench.root.join("side"));
    repository(&main, None);
    worktree(&main, &side);
    assert_eq!(project_root(&main.join("crates/deep")), main);
    assert_eq!(project_root(&side.join("crates/deep")), side);
}
