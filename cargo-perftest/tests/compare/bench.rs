//! A tiny repository with perf tests, and the tool in it.

use perftest_store::Digest;
use perftest_tests::{ALIGNED, Invocation, Outcome, PROFILE, clean_command, git};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first commit of the repository, which all tests use one after the other: where files keep their
/// times, cargo builds only what a test changes.
static FIRST_COMMIT: Mutex<Option<String>> = Mutex::new(None);

/// A repository whose branch `main` has one commit: the perf tests `steady` and `other` in a target
/// of their own, `inside` among the library's ordinary tests.
pub(crate) struct Bench {
    root: PathBuf,
    first_commit: MutexGuard<'static, Option<String>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let mut bench = Self::alone();
        match bench.first_commit.clone() {
            Some(commit) => bench.go_back_to(&commit),
            None => bench.make(),
        }
        bench
    }

    /// The same in a repository that is made again at the same place.
    pub(crate) fn made_again() -> Self {
        let mut bench = Self::alone();
        bench.make();
        bench
    }

    fn alone() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
        let first_commit = FIRST_COMMIT.lock().unwrap_or_else(PoisonError::into_inner);
        Self { root, first_commit }
    }

    fn make(&mut self) {
        *self.first_commit = None;
        let _ = fs::remove_dir_all(self.repository());
        self.write("Cargo.toml", &manifest(&perftest()));
        self.write(".gitignore", "Cargo.lock\ntarget\n");
        self.write(".cargo/config.toml", ALIGNED);
        self.bring_lock_file();
        self.write("src/lib.rs", LIBRARY);
        self.write("tests/perf.rs", PERF);
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.commit();
        self.spare_dependencies();
        *self.first_commit = Some(self.git(&["rev-parse", "HEAD"]).trim().to_owned());
    }

    fn go_back_to(&self, commit: &str) {
        self.git(&["checkout", "--quiet", "--force", "-B", "main", commit]);
        self.git(&["clean", "-ffdxq"]);
        let branches = self.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        for branch in branches.lines().filter(|it| *it != "main") {
            self.git(&["branch", "--quiet", "-D", branch]);
        }
        self.bring_lock_file();
    }

    /// The versions that our workspace has are there without a network.
    fn bring_lock_file(&self) {
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(lock, self.repository().join("Cargo.lock")).unwrap();
    }

    /// Where the tool has built nothing yet, the base begins with the dependencies of the working tree's
    /// own build. The tool builds what is compiled from the sources, which it checks out later.
    fn spare_dependencies(&self) {
        let builds = self.builds();
        if builds.exists() {
            return;
        }
        self.build();
        self.copy_release_builds(&builds.join("base/target"));
    }

    /// Gives a target directory the release builds of the working tree's own one.
    fn copy_release_builds(&self, target: &Path) {
        fs::create_dir_all(target).unwrap();
        // With the times of the files, by which cargo sees what is up to date. Other tests build and unpack
        // there, and `cp` fails where one of their files is gone before it is copied: none is a dependency.
        let built = self.in_place().join("release");
        Command::new("cp").arg("-a").arg(built).arg(target).output().unwrap();
        assert!(target.join("release/deps").is_dir());
    }

    /// Where `relink` has built nothing yet, it begins with the dependencies, too.
    pub(crate) fn spare_dependencies_of_relink(&self) {
        let target = self.in_place().join("perftest-relink");
        if !target.exists() {
            self.build();
            self.copy_release_builds(&target);
        }
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.root.join("repository")
    }

    pub(crate) fn write(&self, file: &str, content: &str) {
        let path = self.repository().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Changes the working tree; there has to be something to change.
    pub(crate) fn replace(&self, file: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.repository().join(file)).unwrap();
        assert!(text.contains(old), "{file} lacks {old:?}");
        self.write(file, &text.replace(old, new));
    }

    /// Makes the repository a workspace with a second package, whose target `perf` has these tests.
    pub(crate) fn add_member(&self, tests: &str) {
        self.replace("Cargo.toml", "[workspace]", "[workspace]\nmembers = [\"member\"]");
        let manifest = format!(
            "[package]\nname = \"member\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [dev-dependencies]\n{}\ntiny = {{ path = \"..\" }}\n\
             [[test]]\nname = \"perf\"\nharness = false\n",
            perftest()
        );
        self.write("member/Cargo.toml", &manifest);
        self.write("member/src/lib.rs", "");
        let tests = format!("use perftest::perf_test;\n\n{tests}\nperftest::main!();\n");
        self.write("member/tests/perf.rs", &tests);
    }

    pub(crate) fn commit(&self) {
        self.commit_as("Change");
    }

    pub(crate) fn commit_as(&self, subject: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", subject]);
    }

    /// A commit that changes nothing.
    pub(crate) fn commit_empty(&self) {
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Nothing"]);
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.repository(), arguments)
    }

    /// Builds the tests of the working tree as cargo does, and keeps their executable under a name.
    pub(crate) fn executable(&self, name: &str) -> String {
        let kept = self.in_place().join(name);
        fs::copy(self.build(), &kept).unwrap();
        kept.to_str().unwrap().to_owned()
    }

    /// Builds the tests of the working tree, and gives their executable.
    fn build(&self) -> String {
        let output = clean_command(env!("CARGO"))
            .args(["test", "--test", "perf", "--no-run", "--release", "--offline"])
            .args(["--message-format", "json", "--target-dir"])
            .arg(self.in_place())
            .current_dir(self.repository())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer = String::from_utf8_lossy(&output.stdout);
        let messages = answer.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
        let mut built = messages.filter_map(|it| it["executable"].as_str().map(str::to_owned));
        built.next_back().unwrap()
    }

    /// What the tool is given to find out.
    pub(crate) fn compare(&self, arguments: &[&str]) -> Invocation {
        self.compare_in(&self.repository(), arguments)
    }

    pub(crate) fn compare_in(&self, directory: &Path, arguments: &[&str]) -> Invocation {
        self.tool_in(directory, &[&["compare"], arguments].concat())
    }

    /// Any command of the tool in the repository.
    pub(crate) fn tool(&self, arguments: &[&str]) -> Invocation {
        self.tool_in(&self.repository(), arguments)
    }

    /// Any command of the tool that builds the working tree itself.
    pub(crate) fn in_place_tool(&self, arguments: &[&str]) -> Invocation {
        self.tool(arguments).env("CARGO_TARGET_DIR", self.in_place())
    }

    /// The tool, given the perf tests of the working tree to run.
    pub(crate) fn run(&self, arguments: &[&str]) -> Invocation {
        self.in_place_tool(&[&["run"], arguments].concat())
    }

    /// The same on a terminal, whose output is standard output.
    pub(crate) fn run_on_terminal(&self) -> Invocation {
        let command = format!("'{}' perftest run", env!("CARGO_BIN_EXE_cargo-perftest"));
        let terminal = Invocation::new("script", &self.repository());
        let terminal = terminal.args(&["-qec", &command, "/dev/null"]).env("TERM", "xterm");
        self.at_home(terminal).env("CARGO_TARGET_DIR", self.in_place())
    }

    /// The perf tests of the working tree, as a user runs them.
    pub(crate) fn cargo_test(&self, tests: &[&str]) -> Invocation {
        let cargo = Invocation::new(env!("CARGO"), &self.repository());
        let cargo = cargo.args(&["test", "--release", "--test", "perf", "--"]).args(tests);
        self.at_home(cargo).env("CARGO_TARGET_DIR", self.in_place())
    }

    /// Where the working tree's own build is, kept from test to test: where the end-to-end tests build
    /// their tiny projects, so that the dependencies of both are compiled once.
    fn in_place(&self) -> PathBuf {
        self.root.join("../tiny-projects/target")
    }

    fn tool_in(&self, directory: &Path, arguments: &[&str]) -> Invocation {
        let tool = Invocation::new(env!("CARGO_BIN_EXE_cargo-perftest"), directory);
        self.at_home(tool.args(&["perftest"]).args(arguments))
    }

    fn at_home(&self, invocation: Invocation) -> Invocation {
        invocation
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            .env("XDG_CACHE_HOME", self.root.join("cache"))
            .env("XDG_RUNTIME_DIR", &self.root)
    }

    /// Where the tool checks out and builds both sides of this repository.
    pub(crate) fn builds(&self) -> PathBuf {
        let root = self.repository().canonicalize().unwrap();
        let name = Digest::of(root.to_string_lossy().as_bytes()).hex8();
        self.root.join(format!("cache/perftest/compare/repository-{name}"))
    }
}

/// The line of the table for a test.
pub(crate) fn line_of<'a>(outcome: &'a Outcome, test: &str) -> &'a str {
    let mut lines = outcome.stdout.lines();
    let line = lines.find(|line| line.split_whitespace().next() == Some(test));
    line.unwrap_or_else(|| panic!("no line begins with {test:?}\n{outcome}"))
}

/// A workspace of its own, wherever it is, with these dependencies of its tests.
pub(crate) fn manifest(dependencies: &str) -> String {
    format!(
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [features]\nheavy = []\n\
         [dev-dependencies]\n{dependencies}\n\
         [[test]]\nname = \"perf\"\nharness = false\n\
         [workspace]\n{PROFILE}"
    )
}

fn perftest() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../perftest");
    format!("perftest = {{ path = {:?} }}", path.canonicalize().unwrap())
}

const LIBRARY: &str = r#"
/// Keeps its state in a register. Newer processors take a state that goes through memory in each round,
/// as `black_box` sends it, at several speeds.
pub fn work(rounds: u64) -> u64 {
    let step = |state: u64, round: u64| (state ^ round).wrapping_mul(0x9e37_79b9);
    (0..rounds).fold(std::hint::black_box(1), step)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ordinary() {
        std::fs::write("ordinary-test-ran", "").unwrap();
    }

    #[perftest::perf_test]
    fn inside() -> u64 {
        super::work(1000)
    }
}
"#;

const PERF: &str = "
use perftest::perf_test;

#[perf_test]
fn steady() -> u64 {
    tiny::work(1500)
}

#[perf_test]
fn other() -> u64 {
    tiny::work(500)
}

perftest::main!();
";
