//! `cargo perftest init` through the whole tool: on packages of several shapes, and up to a first
//! performance test that runs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_tests::{Invocation, Outcome, PROFILE};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HEAD: &str = "[package]\nname = \"my-lib\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const FLAGS: &str = "[build]\nrustflags = [\"-C\", \"llvm-args=-align-all-functions=6\"]\n";

/// A directory with the files of a project.
struct Files {
    directory: TempDir,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let it = Self { directory: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            it.write(path, text);
        }
        it
    }

    fn library() -> Self {
        Self::new(&[("Cargo.toml", HEAD), ("src/lib.rs", "")])
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    fn init(&self, arguments: &[&str]) -> Outcome {
        self.init_in("", arguments, &[])
    }

    fn init_in(&self, inside: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let tool = self.tool(inside);
        let tool = variables.iter().fold(tool, |tool, (name, value)| tool.env(name, value));
        tool.args(arguments).run()
    }

    fn tool(&self, inside: &str) -> Invocation {
        let tool = Invocation::new(env!("CARGO_BIN_EXE_cargo-perftest"), &self.path(inside));
        tool.env("CARGO_HOME", self.path("cargo-home")).args(&["perftest", "init"])
    }

    /// Every file, for comparing.
    fn all(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut directories = vec![self.path("")];
        let mut files = Vec::new();
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap().flatten() {
                let path = entry.path();
                // Cargo's own.
                if path.ends_with("cargo-home") || path.ends_with("target") {
                } else if path.is_dir() {
                    directories.push(path);
                } else {
                    files.push((path.clone(), fs::read(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    }
}

#[test]
fn the_plan_shows_every_line_and_changes_nothing() {
    let files = Files::library();
    let before = files.all();
    let plan = files.init(&["--dry-run", "--nextest"]).ended_with(0);
    assert_eq!(plan.stdout, PLAN);
    assert_eq!(files.all(), before);
}

const PLAN: &str = r#".cargo/config.toml (new)
  + [build]
  + rustflags = ["-C", "llvm-args=-align-all-functions=6"]
tests/perf.rs (new)
  + //! Performance tests of `my-lib`. Run them with `cargo test --release --test perf`.
  +
  + use perftest::{black_box, perf_test};
  +
  + /// An example: replace it with a call of a function that has to stay fast, such as
  + /// `my_lib::parse(black_box(&text))`.
  + #[perf_test]
  + fn primes() -> usize {
  +     let is_prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
  +     (2..black_box(1_000)).filter(is_prime).count()
  + }
  +
  + perftest::main!();
Cargo.toml
  +
  + [dev-dependencies]
  + perftest = "0.1"
  +
  + [[test]]
  + name = "perf"
  + harness = false
.config/nextest.toml (new)
  + [test-groups]
  + perf = { max-threads = 1 }
  +
  + [[profile.default.overrides]]
  + # The target with perf tests, and modules of that name in `src/`.
  + filter = "binary(perf) | test(/(^|::)perf::/)"
  + test-group = "perf"
  + # Alone, and not only the single one of its group.
  + threads-required = "num-test-threads"
  + # What a passing test prints: recorded, unclear, unstable, a warning about the machine.
  + success-output = "final"
  + # Waiting for the measuring lock counts.
  + slow-timeout = { period = "120s" }
  + # A retry of a red continues with its evidence; nothing is won by it.
  + retries = 0
"#;

/// The next commands of the page name its test.
#[test]
fn the_page_on_the_first_test_shows_the_files_that_are_written() {
    let files =
        Files::new(&[("Cargo.toml", &HEAD.replace("my-lib", "numbers")), ("src/lib.rs", "")]);
    files.init(&["--yes"]).ended_with(0);
    let page = include_str!("../../docs/guide/1-first-test.md");
    let manifest = files.read("Cargo.toml");
    let (_, added) = manifest.split_once("\n\n").unwrap();
    for text in [added, &files.read(".cargo/config.toml"), &files.read("tests/perf.rs")] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn without_a_terminal_and_without_yes_the_plan_is_shown_and_nothing_changes() {
    let files = Files::library();
    let before = files.all();
    let refused = files.init(&[]).ended_with(2).prints(&["+ harness = false"]);
    refused.warns(&["nothing was changed", "add --yes to change the files", "--dry-run"]);
    assert_eq!(files.all(), before);
}

#[test]
fn a_pipe_may_answer_and_only_a_yes_changes_the_files() {
    let files = Files::library();
    let before = files.all();
    let answer = |answer: &str| files.tool("").input(answer).run();
    answer("n\n").ended_with(0).prints(&["Make these changes? [y/N] \nnothing was changed\n"]);
    assert_eq!(files.all(), before);
    answer("yes\n").ended_with(0).prints(&["done; run it: cargo test --release --test perf"]);
    assert_eq!(files.read(".cargo/config.toml"), FLAGS);
}

#[test]
fn a_second_call_reports_that_nothing_is_left_to_do() {
    let files = Files::library();
    files.init(&["--yes"]).ended_with(0).prints(&["cargo test --release --test perf"]);
    assert_eq!(files.read(".cargo/config.toml"), FLAGS);
    assert!(!files.path(".config").exists(), "nextest was not asked for");
    let once = files.all();
    let again = files.init(&[]).ended_with(0);
    assert_eq!(again.stdout, "nothing is left to do for `my-lib`\n");
    assert_eq!(files.all(), once);
}

#[test]
fn nextest_is_configured_where_it_is_used() {
    let files = Files::library();
    files.write(".config/nextest.toml", "[profile.default]\nretries = 1\n");
    files.init(&["--yes"]).ended_with(0);
    let nextest = files.read(".config/nextest.toml");
    assert!(nextest.starts_with("[profile.default]\nretries = 1\n\n[test-groups]\n"), "{nextest}");
}

#[test]
fn a_configuration_of_nextest_that_hides_passing_tests_is_noted() {
    let files = Files::library();
    let own = "[[profile.default.overrides]]\nfilter = 'binary(perf)'\ntest-group = 'own'\n\
               threads-required = 'num-test-threads'\n\n[test-groups]\nown = { max-threads = 1 }\n";
    files.write(".config/nextest.toml", own);
    files.init(&["--yes"]).ended_with(0);
    let noted = files.init(&["--nextest"]).ended_with(0);
    noted.prints(&["note: ", "set success-output = \"final\" in", "nothing else is left to do"]);
    assert_eq!(files.read(".config/nextest.toml"), own);
}

#[test]
fn files_of_windows_keep_their_line_ends() {
    let files = Files::library();
    let in_files = ["Cargo.toml", ".cargo/config.toml", ".config/nextest.toml"];
    files.write(in_files[1], "[alias]\r\nb = \"build\"\r\n");
    files.write(in_files[2], "[profile.default]\r\nretries = 1\r\n");
    files.write(in_files[0], &files.read(in_files[0]).replace('\n', "\r\n"));
    files.init(&["--yes"]).ended_with(0);
    for file in in_files {
        let text = files.read(file);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{file}: {text:?}");
    }
    let once = files.all();
    files.init(&[]).ended_with(0).prints(&["nothing is left to do"]);
    assert_eq!(files.all(), once);
}

#[test]
fn in_a_workspace_flags_and_nextest_are_at_its_root_and_the_rest_in_the_package() {
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"lib\", \"app\"]\n\
                     [workspace.dependencies]\nperftest = \"0.1\"\n";
    let files = Files::new(&[
        ("Cargo.toml", workspace),
        ("lib/Cargo.toml", HEAD),
        ("lib/src/lib.rs", ""),
        ("app/Cargo.toml", &HEAD.replace("my-lib", "app")),
        ("app/src/main.rs", "fn main() {}"),
    ]);
    let nameless = files.init(&["--yes"]).ended_with(2);
    nameless.warns(&["name a package: ", "-p my-lib", "-p app"]);
    files.init(&["--yes", "-p", "ap"]).ended_with(2).warns(&["no package `ap`", "-p app"]);

    files.init_in("lib/src", &["--yes", "--nextest"], &[]).ended_with(0);
    assert_eq!(files.read(".cargo/config.toml"), FLAGS);
    assert!(files.read("lib/Cargo.toml").contains("perftest = { workspace = true }"));
    assert!(files.path("lib/tests/perf.rs").exists() && !files.path("lib/.cargo").exists());
    assert_eq!(files.read("Cargo.toml"), workspace);

    let second = files.init(&["--yes", "-p", "app"]).ended_with(0);
    assert!(!second.stdout.contains("rustflags") && !second.stdout.contains("nextest"), "{second}");
    second.prints(&["cargo test --release -p app --test perf"]);
    let first_test = files.read("app/tests/perf.rs");
    assert!(first_test.contains("cannot call\n/// functions of a program"), "{first_test}");
}

#[test]
fn tests_that_are_there_are_not_taken_over() {
    let files = Files::library();
    files.write("tests/perf.rs", "#[test]\nfn fast() {}\n");
    let before = files.all();
    files.init(&["--yes"]).ended_with(2).warns(&["perf.rs is there already", "--test perf_tests"]);
    assert_eq!(files.all(), before);
    files.init(&["--yes", "--test", "perf_tests"]).ended_with(0);
    assert!(files.read("Cargo.toml").contains("name = \"perf_tests\"\nharness = false"));
    assert!(files.path("tests/perf_tests.rs").exists());
}

#[test]
fn a_performance_test_without_its_target_gets_one_and_stays() {
    let files = Files::library();
    let own = "#[perftest::perf_test]\nfn fast() {}\nperftest::main!();\n";
    files.write("tests/perf/main.rs", own);
    files.init(&["--yes"]).ended_with(0);
    assert_eq!(files.read("tests/perf/main.rs"), own);
    assert!(!files.path("tests/perf.rs").exists());
    assert!(files.read("Cargo.toml").contains("[[test]]\nname = \"perf\"\nharness = false"));
    files.init(&[]).ended_with(0).prints(&["nothing is left to do"]);
}

#[test]
fn the_other_tests_of_the_first_edition_are_still_found() {
    let head = HEAD.replace("edition = \"2024\"\n", "");
    let files = Files::new(&[("Cargo.toml", &head), ("src/lib.rs", ""), ("tests/api.rs", "")]);
    files.init(&["--yes"]).ended_with(0);
    let manifest = files.read("Cargo.toml");
    assert!(manifest.starts_with(&format!("{head}autotests = true\n")), "{manifest}");
    let metadata = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let found = Invocation::new(env!("CARGO"), &files.path("")).args(&metadata).run().ended_with(0);
    found.prints(&["\"name\":\"api\"", "\"name\":\"perf\""]);
    files.init(&[]).ended_with(0).prints(&["nothing is left to do"]);

    let only_test = Files::new(&[("Cargo.toml", &head), ("src/lib.rs", "")]);
    only_test.init(&["--yes"]).ended_with(0);
    assert!(!only_test.read("Cargo.toml").contains("autotests"), "no other test");
}

#[test]
fn a_variable_that_hides_the_flag_is_noted() {
    let files = Files::library();
    let noted = files.init_in("", &["--yes"], &[("RUSTFLAGS", "-Dwarnings")]).ended_with(0);
    noted.prints(&["note: the variable RUSTFLAGS is set", "-C llvm-args=-align-all-functions=6"]);
    assert_eq!(files.read(".cargo/config.toml"), FLAGS);
    let again = files.init_in("", &[], &[("RUSTFLAGS", "-Dwarnings")]).ended_with(0);
    again.prints(&["note: the variable RUSTFLAGS is set", "nothing else is left to do"]);
    let flags = "-Cllvm-args=-align-all-functions=6";
    let aligned = files.init_in("", &[], &[("RUSTFLAGS", flags)]).ended_with(0);
    assert!(!aligned.stdout.contains("note"), "{aligned}");
}

#[test]
fn variables_that_add_flags_count_as_a_file_does() {
    let flag = "-Cllvm-args=-align-all-functions=6";
    let files = Files::library();
    // Given twice, the compiler would refuse it.
    files.init_in("", &["--yes"], &[("CARGO_BUILD_RUSTFLAGS", flag)]).ended_with(0);
    assert!(!files.path(".cargo/config.toml").exists());
    files.write(".cargo/config.toml", "build.rustflags = '-g'\n");
    let again = files.init_in("", &["--yes"], &[("CARGO_BUILD_RUSTFLAGS", flag)]).ended_with(0);
    assert_eq!(again.stdout, "nothing is left to do for `my-lib`\n");
    fs::remove_file(files.path(".cargo/config.toml")).unwrap();
    let target = [
        ("CARGO_BUILD_TARGET", "x86_64-unknown-linux-gnu"),
        ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-g"),
    ];
    files.init_in("", &["--yes"], &target).ended_with(0);
    assert!(files.read(".cargo/config.toml").starts_with("[target.\"cfg(all())\"]\n"));
}

#[test]
fn what_cannot_be_done_is_reported_with_the_way_out() {
    let nowhere = Files::new(&[]);
    nowhere.init(&["--yes"]).ended_with(2).warns(&["no Cargo.toml", "cargo init"]);
    let files = Files::library();
    let no_checkout = files.init(&["--yes", "--path", "src"]).ended_with(2);
    no_checkout.warns(&["src is no checkout of perftest", "perftest/Cargo.toml"]);
    files.write(".cargo/config.toml", "[alias]\n");
    files.write(".config/nextest.toml", "[profile.default\n");
    let before = files.all();
    files.init(&["--yes"]).ended_with(2).warns(&["nextest.toml cannot be changed"]);
    assert_eq!(files.all(), before, "no file is changed where another one cannot be");
    files.init(&["--yes", "--test", "../x"]).ended_with(2).warns(&["letters, digits"]);
}

#[test]
fn overrides_of_nextest_in_one_line_stay_and_everything_else_is_set_up() {
    let files = Files::library();
    let overrides = "[profile.default]\noverrides = [{ filter = 'test(slow)', retries = 2 }]\n";
    files.write(".config/nextest.toml", overrides);
    let noted = files.init(&["--yes"]).ended_with(0);
    noted.prints(&[
        "by hand: { filter = \"binary(perf) ",
        "threads-required = \"num-test-threads\"",
    ]);
    assert_eq!(files.read(".config/nextest.toml"), overrides);
    assert!(files.path("tests/perf.rs").exists());
}

#[cfg(unix)]
#[test]
fn a_linked_file_stays_a_link_and_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let files = Files::library();
    fs::rename(files.path("Cargo.toml"), files.path("real.toml")).unwrap();
    fs::set_permissions(files.path("real.toml"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real.toml", files.path("Cargo.toml")).unwrap();
    files.init(&["--yes"]).ended_with(0);
    assert!(files.path("Cargo.toml").is_symlink());
    assert!(files.read("real.toml").contains("perftest"));
    let mode = fs::metadata(files.path("real.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Built where the end-to-end tests build their tiny projects, so that the dependencies are compiled
/// once.
#[test]
fn the_first_test_compiles_and_runs_in_a_library_and_in_a_program() {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let oldest = HEAD.replace("2024", "2015");
    for (source, head) in [("src/lib.rs", HEAD), ("src/main.rs", &oldest)] {
        let manifest = format!("{head}\n{PROFILE}");
        let files = Files::new(&[("Cargo.toml", &manifest), (source, "fn main() {}")]);
        // The versions that our workspace has are there without a network.
        fs::copy(workspace.join("Cargo.lock"), files.path("Cargo.lock")).unwrap();
        files.init(&["--yes", "--path", workspace.to_str().unwrap()]).ended_with(0);
        let cargo = Invocation::new(env!("CARGO"), &files.path(""))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", temporary.join("tiny-projects/target"))
            .env("XDG_RUNTIME_DIR", files.path(""))
            .env("PERFTEST_STORE", files.path("store"));
        let run = cargo.args(&["test", "--release", "--test", "perf"]).run().ended_with(0);
        assert!(run.line_of("primes").starts_with("ok "), "{run}");
        assert!(!run.line_of("primes").contains("not measured"), "{run}");
    }
}
