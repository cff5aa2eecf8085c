//! `cargo perftest compare`, `run`, `bisect` and `doctor --aa` over a tiny repository: real builds, real
//! processes.

// Elsewhere the place for what is built cannot be chosen.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acceptances;
mod base_runs;
mod bench;
mod bisect;
mod bootstrap;
mod build_script;
mod environment;
mod flame_graph;
mod noise_floor;
mod relink;

use bench::{Bench, line_of, manifest};
use perftest_process::find_project;
use perftest_tests::{ALIGNED, Outcome, TempStore, patiently, until_it_ends_with};
use serde_json::Value;
use std::fs;

const PERF: &str = "tests/perf.rs";
const STEADY: &str = "tiny::perf::steady";

/// So much more work that no noise hides it.
fn slow_down(bench: &Bench) {
    bench.replace(PERF, "work(1500)", "work(15000)");
}

/// Other code that takes as long.
fn rewrite(bench: &Bench) {
    bench.replace(PERF, "tiny::work(1500)", "tiny::work(1500).wrapping_add(tiny::work(1))");
}

/// Adds cases to the tests of the library: some that the attribute sees, some that it does not.
fn add_cases(bench: &Bench) {
    bench.replace(
        "src/lib.rs",
        "    #[perftest::perf_test]\n    fn inside()",
        "    #[perftest::perf_test(args = [1_000, 3_000])]\n    \
         fn grows(rounds: u64) -> u64 {\n        super::work(rounds)\n    }\n\n    \
         #[perftest::perf_test(args = hidden())]\n    \
         fn found(rounds: u64) -> u64 {\n        super::work(rounds)\n    }\n\n    \
         fn hidden() -> [u64; 2] {\n        [1_000, 3_000]\n    }\n\n    \
         #[perftest::perf_test]\n    fn inside()",
    );
}

fn slower(bench: &Bench, arguments: &[&str]) -> Outcome {
    let run = || bench.compare(arguments).run();
    let slower = until_it_ends_with(1, run);
    assert!(line_of(&slower, STEADY).contains("  slower"), "{slower}");
    slower
}

#[test]
fn slower_code_is_found_in_the_working_tree_and_between_commits() {
    let bench = Bench::new();
    slow_down(&bench);
    let before = bench.git(&["status", "--porcelain=v2"]);
    let dirty = slower(&bench, &["main"]).prints(&["the working tree, not committed"]);
    assert_eq!(bench.git(&["status", "--porcelain=v2"]), before);
    assert!(!line_of(&dirty, "tiny::perf::other").contains("  slower"), "{dirty}");
    bench.commit();
    slower(&bench, &["HEAD~1"]);
    slower(&bench, &["HEAD~1", "HEAD", "--", "steady"]);
    let faster = || bench.compare(&["HEAD", "HEAD~1", "--", "steady"]).run();
    let faster = patiently(faster, |it| line_of(it, STEADY).contains("faster")).ended_with(0);
    assert!(line_of(&faster, STEADY).contains("faster"), "{faster}");
}

/// A history whose decisions were written by a later version.
fn store_with_unreadable_decisions(bench: &Bench) -> TempStore {
    let store = TempStore::new();
    let history = find_project(&bench.repository()).directory(store.path());
    fs::create_dir_all(&history).unwrap();
    fs::write(history.join("events.jsonl"), "{\"v\":999}\n").unwrap();
    store
}

/// The beginning of a warning.
const DECISIONS_UNREADABLE: &str =
    "warning: testbeds have the names in the records, because decisions about them";

#[test]
fn a_comparison_needs_no_history_that_can_be_read() {
    let bench = Bench::new();
    let store = store_with_unreadable_decisions(&bench);
    let compared = bench.compare(&["main"]).store(&store).run().ended_with(0);
    let compared = compared.warns(&[DECISIONS_UNREADABLE]);
    assert!(line_of(&compared, STEADY).contains("same code"), "{compared}");
}

#[test]
fn instructions_stand_beside_the_answer_when_they_are_asked_for() {
    let bench = Bench::new();
    bench.replace(PERF, "work(1500)", "work(1875)");
    let arguments = ["main", "--instructions", "--json", "--", "steady"];
    let output = bench.compare(&arguments).run();
    let line: Value =
        serde_json::from_str(output.stdout.trim()).unwrap_or_else(|_| panic!("{output}"));
    assert_eq!(line["instructions_by"], "valgrind", "{output}");
    let count = |key: &str| line[key].as_f64().unwrap();
    // A quarter more of the loop, and as much around it.
    let ratio = count("instructions") / count("base_instructions");
    assert!((1.24..1.26).contains(&ratio), "{ratio} {output}");
    assert!(count("instructions_variation") < 0.001, "{output}");
    for entry in fs::read_dir(bench.builds().join("base/source")).unwrap().flatten() {
        assert!(!entry.file_name().to_string_lossy().contains("grind"), "{entry:?}");
    }
    let run = || bench.compare(&["main", "--instructions", "--", "steady"]).run();
    let slower = until_it_ends_with(1, run);
    slower.prints(&["steady: instructions ", " per iteration (+2", ": the code does more work"]);
}

#[test]
fn without_valgrind_nothing_is_built_to_count_instructions() {
    let bench = Bench::new();
    let only_git = bench.repository().join("only-git");
    let path = std::env::var_os("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|it| it.join("git")).find(|it| it.exists());
    fs::create_dir(&only_git).unwrap();
    std::os::unix::fs::symlink(git.unwrap(), only_git.join("git")).unwrap();
    let refused = bench.compare(&["main", "--instructions"]).env("PATH", only_git).run();
    let refused = refused.ended_with(2).warns(&["--instructions: valgrind is not installed"]);
    assert!(!refused.stderr.contains("building"), "{refused}");
}

#[test]
fn a_new_file_counts_without_being_added() {
    let bench = Bench::new();
    bench.write("tests/more.rs", "#[path = \"perf.rs\"]\nmod perf;\n");
    bench.replace(
        "Cargo.toml",
        "[workspace]",
        "[[test]]\nname = \"second\"\nharness = false\n[workspace]",
    );
    bench.write("tests/second.rs", &fs::read_to_string(bench.repository().join(PERF)).unwrap());
    let compared = bench.compare(&["main", "--", "second"]).run().ended_with(0);
    assert!(line_of(&compared, "tiny::second::steady").contains("only in head"), "{compared}");
}

#[test]
fn a_new_file_counts_where_git_does_not_show_new_files() {
    let bench = Bench::new();
    bench.write(
        "tests/second.rs",
        "#[perftest::perf_test]\nfn new() -> u64 {\n    tiny::work(9)\n}\n",
    );
    let compare = bench.compare(&["main", "--", "second"]).env("GIT_CONFIG_COUNT", "1");
    let compare = compare.env("GIT_CONFIG_KEY_0", "status.showUntrackedFiles");
    let compared = compare.env("GIT_CONFIG_VALUE_0", "no").run().ended_with(0);
    assert!(line_of(&compared, "tiny::second::new").contains("only in head"), "{compared}");
}

#[test]
fn a_comment_leaves_the_code_the_same_and_nothing_is_measured() {
    let bench = Bench::new();
    bench.replace(PERF, "use perftest", "// Only a comment.\n\nuse perftest");
    bench.replace("src/lib.rs", "pub fn", "/// Works.\npub fn");
    let same = bench.compare(&["main"]).run().ended_with(0);
    for test in [STEADY, "tiny::perf::other", "tiny::tests::inside"] {
        assert!(line_of(&same, test).contains("same code"), "{same}");
    }
    let asked = ["main", "--measure-same-code", "--pairs", "5", "--", "steady"];
    let measured = bench.compare(&asked).run();
    assert!(!line_of(&measured, STEADY).contains("same code"), "{measured}");
}

#[test]
fn another_first_value_of_a_variable_is_not_the_same_code() {
    let bench = Bench::new();
    let with = |value: u32| {
        format!(
            "use std::sync::atomic::{{AtomicU32, Ordering}};\n\
             static LEVEL: AtomicU32 = AtomicU32::new({value});\n\
             pub fn level() -> u32 {{ LEVEL.fetch_add(1, Ordering::Relaxed) }}\n"
        )
    };
    let library = fs::read_to_string(bench.repository().join("src/lib.rs")).unwrap();
    bench.write("src/lib.rs", &(with(7) + &library));
    bench.replace(PERF, "tiny::work(500)", "tiny::work(500) + u64::from(tiny::level())");
    bench.commit();
    bench.write("src/lib.rs", &(with(8) + &library));
    let compared = bench.compare(&["HEAD", "--pairs", "5", "--", "other"]).run();
    assert!(!line_of(&compared, "tiny::perf::other").contains("same code"), "{compared}");
}

#[test]
fn tests_of_one_side_are_listed_and_ordinary_tests_are_not_run() {
    let bench = Bench::new();
    bench.replace(PERF, "fn other", "fn renamed");
    let compared = bench.compare(&["main", "--pairs", "5"]).run().ended_with(0);
    assert!(line_of(&compared, "tiny::perf::other").contains("only in base"), "{compared}");
    assert!(line_of(&compared, "tiny::perf::renamed").contains("only in head"), "{compared}");
    assert!(line_of(&compared, "tiny::tests::inside").contains("same code"), "{compared}");
    assert!(!compared.stdout.contains("ordinary"), "{compared}");
    for side in ["base", "head"] {
        let source = bench.builds().join(side).join("source");
        assert!(source.join("tests/perf.rs").exists());
        assert!(!source.join("ordinary-test-ran").exists());
    }
}

#[test]
fn a_target_with_a_main_of_its_own_is_not_started() {
    let bench = Bench::new();
    let own = "[[test]]\nname = \"own\"\nharness = false\n[workspace]";
    bench.replace("Cargo.toml", "[workspace]", own);
    let main =
        "fn main() { std::fs::write(\"own-ran\", \"\").unwrap(); loop { std::thread::park() } }";
    bench.write("tests/own.rs", main);
    let compared = bench.compare(&["main", "--timeout", "20s", "--", "steady"]).run().ended_with(0);
    assert!(line_of(&compared, STEADY).contains("same code"), "{compared}");
    assert!(!bench.builds().join("head/source/own-ran").exists());
}

#[test]
fn a_test_among_ordinary_ones_is_measured_too() {
    let bench = Bench::new();
    bench.replace("src/lib.rs", "work(1000)", "work(20000)");
    let run = || bench.compare(&["main", "--", "inside"]).run();
    let slower = until_it_ends_with(1, run);
    assert!(line_of(&slower, "tiny::tests::inside").contains("  slower"), "{slower}");
}

#[test]
fn features_are_handed_on_to_both_sides() {
    let bench = Bench::new();
    bench.replace(
        PERF,
        "#[perf_test]\nfn other",
        "#[cfg(feature = \"heavy\")]\n#[perf_test]\nfn other",
    );
    bench.commit();
    let neither = bench.compare(&["HEAD", "--", "other"]).run().ended_with(2);
    neither.warns(&["neither side has a performance test of this name"]);
    let both = bench.compare(&["HEAD", "--features", "heavy", "--", "other"]).run().ended_with(0);
    assert!(line_of(&both, "tiny::perf::other").contains("same code"), "{both}");
}

#[test]
fn a_shared_target_directory_is_overridden() {
    let bench = Bench::new();
    let shared = bench.repository().join("../shared");
    // With the flags as before, so that no dependency is compiled again.
    bench.write(".cargo/config.toml", &format!("{ALIGNED}target-dir = {shared:?}\n"));
    bench.commit();
    slow_down(&bench);
    let run = || {
        let compared = bench.compare(&["main", "--", "steady"]);
        compared.env("CARGO_TARGET_DIR", &shared).env("CARGO_BUILD_BUILD_DIR", &shared).run()
    };
    until_it_ends_with(1, run);
    assert!(!shared.exists());
}

#[test]
fn flags_of_the_users_own_are_kept() {
    let bench = Bench::new();
    // Other flags build all dependencies again: this package has none.
    bench.write("Cargo.toml", &manifest(""));
    bench.write(PERF, "fn main() {}\n");
    let needs_own = "#[cfg(not(own))]\ncompile_error!(\"a flag is missing\");\n";
    for (config, source) in [
        // Given twice, the compiler would refuse it and nothing could be asked for its tests.
        ("target.'cfg(all())'.rustflags = ['-Cllvm-args=-align-all-functions=5']", ""),
        ("build.rustflags = '--cfg own'", needs_own),
        ("target.'cfg(all())'.rustflags = '--cfg own'", needs_own),
        ("build.rustflags = ['--cfg', 'own']\ntarget.'cfg(any())'.rustflags = ['-g']", needs_own),
    ] {
        bench.write("src/lib.rs", source);
        bench.write(".cargo/config.toml", config);
        bench.commit();
        let built = bench.compare(&["HEAD"]).run().ended_with(2);
        built.warns(&["neither side has a performance test"]);
    }
}

#[test]
fn executables_that_were_built_before_are_compared() {
    let bench = Bench::new();
    let base = bench.executable("base");
    slow_down(&bench);
    let head = bench.executable("head");
    let both = ["--executables", &base, &head, "--", "steady"];
    // Without a repository around it.
    let nowhere = bench.repository().join("..");
    let run = || bench.compare_in(&nowhere, &both).run();
    let slower = until_it_ends_with(1, run);
    assert!(line_of(&slower, STEADY).contains("  slower"), "{slower}");
    assert!(slower.stdout.contains(&base) && slower.stdout.contains(&head), "{slower}");
    assert!(!slower.stdout.contains("tiny::perf::other"), "{slower}");
}

#[test]
fn the_same_executable_is_measured_only_when_asked_for() {
    let bench = Bench::new();
    let executable = bench.executable("base");
    let twice = ["--executables", &executable, &executable, "--pairs", "5", "--json"];
    let answers = |more: &[&str]| {
        let output = bench.compare(&[&twice[..], more].concat()).run().stdout;
        let lines = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|line| line["answer"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(answers(&[]), ["same_code", "same_code"]);
    let measured = answers(&["--measure-same-code"]);
    assert!(measured.len() == 2 && !measured.contains(&"same_code".into()), "{measured:?}");
}

#[test]
fn executables_that_cannot_be_compared_are_reported_why() {
    let bench = Bench::new();
    let refused = |arguments: &[&str]| bench.compare(arguments).run().ended_with(2);
    refused(&["--executables", "gone", "gone"]).warns(&["gone` could not be started"]);
    refused(&["--executables", "/bin/true", "/bin/true"]).warns(&["neither side has"]);
    refused(&["--executables", "one"]).warns(&["2 values required"]);
    refused(&["--executables", "one", "two", "main"]).warns(&["cannot be used with"]);
    refused(&["--executables", "one", "two", "--all-features"]).warns(&["cannot be used with"]);
}

#[test]
fn an_unknown_revision_is_named_with_a_way_out() {
    let bench = Bench::new();
    for arguments in [&["no-such-branch"][..], &["main", "no-such-branch"], &["--", "-x"]] {
        let refused = bench.compare(arguments).run().ended_with(2);
        assert_eq!(refused.stdout, "");
    }
    let refused = bench.compare(&["no-such-branch"]).run();
    refused.warns(&["there is no revision `no-such-branch`", "git fetch"]);
}

#[test]
fn a_shallow_clone_is_reported_how_to_fetch_the_rest() {
    let bench = Bench::new();
    slow_down(&bench);
    bench.commit();
    let clone = bench.repository().join("clone");
    let address = format!("file://{}", bench.repository().display());
    bench.git(&["clone", "--quiet", "--depth", "1", &address, "clone"]);
    let refused = bench.compare_in(&clone, &["HEAD~1"]).run().ended_with(2);
    refused.warns(&["`HEAD~1`", "fetch-depth: 0"]);
}

#[test]
fn outside_of_a_repository_nothing_is_compared() {
    let bench = Bench::new();
    let elsewhere = std::env::temp_dir();
    let refused = bench.compare_in(&elsewhere, &["main"]).run().ended_with(2);
    let refused = refused.warns(&["is in no git repository", "compare --executables BASE HEAD"]);
    assert!(!refused.stderr.contains("rev-parse"), "{refused}");
}

/// Begins what is printed before the first build.
const FIRST_BUILD: &str = "nothing is built for comparisons of this checkout yet";

#[test]
fn a_first_comparison_is_announced_to_take_minutes() {
    let bench = Bench::new();
    let cache = bench.repository().with_file_name("empty-cache");
    let _ = fs::remove_dir_all(&cache);
    let without_builds = |arguments| bench.compare(arguments).env("XDG_CACHE_HOME", &cache).run();
    let refused = without_builds(&["main", "--profile", "no-such-profile"]).ended_with(2);
    refused.warns(&[FIRST_BUILD, "building the base"]);
    without_builds(&["--clean"]).ended_with(0);
}

#[test]
fn code_that_does_not_compile_is_reported_with_its_side() {
    let bench = Bench::new();
    bench.replace(PERF, "tiny::work(500)", "tiny::missing()");
    let refused = bench.compare(&["main"]).run().ended_with(2);
    let refused = refused.warns(&["the head (the working tree) cannot be built", "missing"]);
    let again = bench.compare(&["main"]).run();
    assert!(!again.stderr.contains(FIRST_BUILD), "after {refused}: {again}");
}

#[test]
fn a_hanging_test_is_ended_in_time_and_the_others_are_compared() {
    let bench = Bench::new();
    bench.replace(PERF, "tiny::work(500)", "loop { std::thread::park() }");
    rewrite(&bench);
    let arguments = ["main", "--timeout", "2s", "--test-budget", "3s"];
    let compare = || bench.compare(&arguments).run().ended_with(2);
    // On a very busy machine an answer takes long.
    let hangs = ["tiny::perf::other: head: a fresh process of `other` gave no answer for "];
    let as_if_alone =
        |outcome: &Outcome| !line_of(outcome, STEADY).contains("failed") && outcome.has(&hangs);
    let compared = patiently(compare, as_if_alone).prints(&hangs);
    assert!(!line_of(&compared, STEADY).contains("failed"), "{compared}");
    assert!(line_of(&compared, "tiny::perf::other").contains("failed"), "{compared}");
}

#[test]
fn a_crash_is_reported_with_its_last_words() {
    let bench = Bench::new();
    bench.replace(
        PERF,
        "tiny::work(500)",
        "{ eprintln!(\"the catalogue is gone\"); std::process::abort() }",
    );
    let compared = bench.compare(&["main", "--", "other"]).run().ended_with(2);
    compared.prints(&["head: a fresh process ended too early (signal: 6", "the catalogue is gone"]);
}

#[test]
fn what_is_not_decided_fails_when_asked_to() {
    let bench = Bench::new();
    rewrite(&bench);
    // Five pairs cannot tell so little.
    let arguments = ["main", "--pairs", "5", "--tolerance", "0.1%"];
    bench.compare(&arguments).args(&["--", "steady"]).run().ended_with(0);
    let strict = || bench.compare(&arguments).args(&["--undecided=fail", "--", "steady"]).run();
    // By chance the rewritten code may be a little faster in all five.
    let failed = patiently(strict, |outcome| outcome.code == Some(3)).ended_with(3);
    failed.prints(&["not everything could be decided"]);
}

#[test]
fn programs_get_one_line_a_test() {
    let bench = Bench::new();
    bench.replace(PERF, "fn other", "fn renamed");
    rewrite(&bench);
    let tell = || {
        let output = bench.compare(&["main", "--json", "--pairs", "5", "--", "perf"]).run();
        let lines = output.json();
        assert_eq!(lines.len(), 3, "{output}");
        lines.into_iter().find(|line| line["benchmark"] == STEADY).unwrap()
    };
    // Those that other work disturbed do not count.
    let steady = patiently(tell, |steady| steady["pairs"] == 5);
    assert!(steady["base_value"].as_f64().unwrap() > 0.0 && steady["pairs"] == 5, "{steady}");
    assert_eq!((&steady["base"]["name"], &steady["head"]["dirty"]), (&"main".into(), &true.into()));
}

#[test]
fn a_checkout_that_was_killed_is_made_again_and_can_be_removed() {
    let bench = Bench::new();
    let compare = || bench.compare(&["main", "--", "steady"]).run().ended_with(0);
    compare();
    // As git leaves them when it is killed.
    let kill_checkouts = || {
        for entry in fs::read_dir(bench.repository().join(".git/worktrees")).unwrap().flatten() {
            fs::write(entry.path().join("locked"), "initializing").unwrap();
            fs::write(entry.path().join("index.lock"), "").unwrap();
        }
    };
    kill_checkouts();
    compare();
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 3);
    kill_checkouts();
    without_builds(&bench, || bench.compare(&["--clean"]).run().ended_with(0));
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1);
}

/// Puts aside what was built for the other tests, while `clean` removes the rest.
fn without_builds(bench: &Bench, clean: impl FnOnce() -> Outcome) {
    let slot = bench.builds();
    let kept = slot.with_file_name("kept-by-the-test");
    let _ = fs::remove_dir_all(&kept);
    fs::create_dir_all(&kept).unwrap();
    for side in ["base", "head"] {
        fs::rename(slot.join(side).join("target"), kept.join(side)).unwrap();
    }
    clean();
    let left: Vec<_> = fs::read_dir(&slot).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"], "others may wait for it");
    for side in ["base", "head"] {
        fs::create_dir_all(slot.join(side)).unwrap();
        fs::rename(kept.join(side), slot.join(side).join("target")).unwrap();
    }
    fs::remove_dir_all(&kept).unwrap();
}

#[test]
fn what_was_checked_out_can_be_removed() {
    let bench = Bench::new();
    bench.compare(&["main", "--", "steady"]).run().ended_with(0);
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 3);
    without_builds(&bench, || bench.compare(&["--clean"]).run().ended_with(0));
    assert_eq!(bench.git(&["worktree", "list"]).lines().count(), 1);
}
