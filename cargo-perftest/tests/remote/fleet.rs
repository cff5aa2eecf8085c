//! Machines with a clone and a store each, and a remote that they share.

#[cfg(any(feature = "clickhouse", feature = "postgres"))]
use crate::databases::Database;
use perftest_core::model::{Run, RunId};
use perftest_process::find_project;
use perftest_store::conformance::example_run;
use perftest_store::{JsonlStore, Project, Query, Store};
use perftest_tests::{Outcome, clean_command, git, git_command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The testbed of the example runs.
pub(crate) const TESTBED: &str = "local/7f3a2b";
pub(crate) const BRANCH: &str = "perf/history";

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Directory,
    Git,
    #[cfg(any(feature = "clickhouse", feature = "postgres"))]
    Database(&'static dyn Database),
}

impl Kind {
    /// Returns whether the first push makes the place. Databases are made before.
    pub(crate) fn is_made_by_a_push(self) -> bool {
        matches!(self, Self::Directory | Self::Git)
    }
}

/// A remote and the directory of its machines; gone when dropped.
pub(crate) struct Fleet {
    pub(crate) root: tempfile::TempDir,
    pub(crate) kind: Kind,
}

/// A clone of the repository, and a store beside it.
pub(crate) struct Machine {
    pub(crate) clone: PathBuf,
    pub(crate) store: PathBuf,
    pub(crate) address: String,
    /// Further variables of its commands.
    pub(crate) environment: Vec<(&'static str, &'static str)>,
}

impl Fleet {
    pub(crate) fn new(kind: Kind, name: &str) -> Self {
        let root = tempfile::Builder::new().prefix(&format!("perftest-{name}-")).tempdir().unwrap();
        let fleet = Self { root, kind };
        git(
            fleet.root.path(),
            &["init", "--quiet", "--bare", "--initial-branch=main", "origin.git"],
        );
        fleet
    }

    pub(crate) fn origin(&self) -> PathBuf {
        self.root.path().join("origin.git")
    }

    fn shared(&self) -> PathBuf {
        self.root.path().join("shared")
    }

    /// A machine that is made when it is asked for first.
    pub(crate) fn machine(&self, name: &str) -> Machine {
        let clone = self.root.path().join(name);
        if !clone.exists() {
            fs::create_dir_all(&clone).unwrap();
            git(&clone, &["init", "--quiet", "--initial-branch=main"]);
            git(&clone, &["remote", "add", "origin", self.origin().to_str().unwrap()]);
        }
        let address = match self.kind {
            Kind::Directory => format!("dir:{}", self.shared().display()),
            Kind::Git => format!("git:{BRANCH}"),
            #[cfg(any(feature = "clickhouse", feature = "postgres"))]
            Kind::Database(database) => database.address(&find_project(&clone)),
        };
        let store = self.root.path().join(format!("{name}-store"));
        Machine { clone, store, address, environment: Vec::new() }
    }

    /// Makes the place of the remote, with another project in it. A database has its tables already.
    pub(crate) fn push_another_project(&self) {
        if !self.kind.is_made_by_a_push() {
            return;
        }
        let remote = self.machine("other");
        // The same repository under another name.
        let alias = format!("file://{}/./origin.git", self.root.path().display());
        git(&remote.clone, &["remote", "set-url", "origin", &alias]);
        assert_ne!(remote.project(), self.machine("one").project());
        remote.append([0]);
        remote.push();
    }

    /// The lines of the remote's history of `encode`.
    pub(crate) fn lines(&self) -> Vec<String> {
        #[cfg(any(feature = "clickhouse", feature = "postgres"))]
        if let Kind::Database(database) = self.kind {
            return database.lines(&self.machine("one").project());
        }
        let directory = self.checked_out();
        let text = fs::read_to_string(history_file(&directory)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Changes the remote's history of `encode` by hand.
    pub(crate) fn change(&self, change: impl FnOnce(String) -> String) {
        #[cfg(any(feature = "clickhouse", feature = "postgres"))]
        if let Kind::Database(database) = self.kind {
            let text = change(self.lines().iter().map(|line| format!("{line}\n")).collect());
            return database.replace(&self.machine("one").project(), &text);
        }
        let directory = self.checked_out();
        let file = history_file(&directory);
        let text = change(fs::read_to_string(&file).unwrap());
        fs::write(file, text).unwrap();
        if matches!(self.kind, Kind::Git) {
            git(&directory, &["commit", "--quiet", "--all", "--message=by hand"]);
            git(&directory, &["push", "--quiet", "origin", &format!("HEAD:refs/heads/{BRANCH}")]);
        }
    }

    /// A directory with the remote's files.
    fn checked_out(&self) -> PathBuf {
        if matches!(self.kind, Kind::Directory) {
            return self.shared();
        }
        let directory = self.root.path().join("checked-out");
        let _ = fs::remove_dir_all(&directory);
        let origin = self.origin();
        let from = ["clone", "--quiet", "--branch", BRANCH, origin.to_str().unwrap()];
        let cloned = Outcome::of(git_command(self.root.path()).args(from).arg(&directory));
        if cloned.code != Some(0) {
            fs::create_dir_all(&directory).unwrap();
        }
        directory
    }

    /// Moves the remote away. Returns the address at which nothing is then.
    pub(crate) fn move_away(&self) -> String {
        match self.kind {
            // Without the parent, as on a disk that is not mounted.
            Kind::Directory => format!("dir:{}", self.root.path().join("disk/shared").display()),
            Kind::Git => {
                fs::rename(self.origin(), self.root.path().join("away")).unwrap();
                format!("git:{BRANCH}")
            }
            #[cfg(any(feature = "clickhouse", feature = "postgres"))]
            Kind::Database(database) => database.gone().to_owned(),
        }
    }

    pub(crate) fn move_back(&self) {
        if matches!(self.kind, Kind::Git) {
            fs::rename(self.root.path().join("away"), self.origin()).unwrap();
        }
        assert!(!self.root.path().join("disk").exists());
    }

    /// Makes the remote refuse new runs of `encode`. Rights alone do not stop a superuser.
    pub(crate) fn refuse_writes(&self) {
        match self.kind {
            Kind::Git => {
                let hook = self.origin().join("hooks/pre-receive");
                fs::create_dir_all(hook.parent().unwrap()).unwrap();
                fs::write(&hook, "#!/bin/sh\necho 'read only' >&2\nexit 1\n").unwrap();
                make_executable(&hook);
            }
            Kind::Directory => {
                // A directory where the next file has to be.
                let file = history_file(&self.shared());
                let other = file.with_file_name(other_name(&file));
                fs::create_dir(other).unwrap();
            }
            #[cfg(any(feature = "clickhouse", feature = "postgres"))]
            Kind::Database(database) => database.refuse_writes(&self.machine("one").project()),
        }
    }

    /// Deletes everything that the remote has.
    pub(crate) fn empty(&self) {
        match self.kind {
            Kind::Git => {
                git(&self.origin(), &["update-ref", "-d", &format!("refs/heads/{BRANCH}")]);
            }
            Kind::Directory => fs::remove_dir_all(self.shared()).unwrap(),
            #[cfg(any(feature = "clickhouse", feature = "postgres"))]
            Kind::Database(database) => database.empty(&self.machine("one").project()),
        }
    }
}

impl Machine {
    pub(crate) fn project(&self) -> Project {
        find_project(&self.clone)
    }

    pub(crate) fn store(&self) -> JsonlStore {
        JsonlStore::open(&self.store, &self.project())
    }

    pub(crate) fn append(&self, ordinals: impl IntoIterator<Item = u64>) {
        ordinals.into_iter().for_each(|it| self.store().append(&example_run(it)).unwrap());
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
        command.arg("perftest").args(arguments).current_dir(&self.clone);
        command.env("PERFTEST_STORE", &self.store).envs(self.environment.iter().copied());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(&mut self.command(arguments))
    }

    /// Applies a rule to the recorded runs of all branches.
    pub(crate) fn check(&self) -> Outcome {
        let rule = "[[threshold]]\nname = \"latency\"\ntest = \"percentage\"\nupper = 0.5\n";
        fs::write(self.clone.join("perftest.toml"), rule).unwrap();
        self.run(&["check", "--branch", "*"])
    }

    /// What a command with these options answers as JSON; it has to succeed without a word beside it.
    pub(crate) fn exchange(&self, command: &str, options: &[&str]) -> Value {
        let arguments = [&[command, &self.address, "--json"], options].concat();
        serde_json::from_str(&self.run(&arguments).answer()).unwrap()
    }

    pub(crate) fn push(&self) -> Value {
        self.exchange("push", &[])
    }

    /// Receives the histories of the example's testbed.
    pub(crate) fn pull(&self) -> Value {
        self.exchange("pull", &["--testbed", TESTBED])
    }

    /// Code, answer and errors of a command with this machine's remote.
    pub(crate) fn ends(&self, command: &str, options: &[&str]) -> (i32, String, String) {
        let output = self.run(&[&[command, &self.address], options].concat());
        (output.code.unwrap(), output.stdout, output.stderr)
    }

    /// The runs like the example, in the order of the store.
    pub(crate) fn ids(&self) -> Vec<RunId> {
        self.ids_like(&example_run(0))
    }

    pub(crate) fn ids_like(&self, run: &Run) -> Vec<RunId> {
        let query = Query { limit: usize::MAX, ..Query::like(run) };
        let runs = self.store().load(&query).unwrap().value.runs;
        runs.into_iter().map(|run| run.id).collect()
    }

    /// The file of the example's history in the store.
    pub(crate) fn history_file(&self) -> PathBuf {
        history_file(&self.store)
    }

    /// Forgets what was exchanged, as a crash before the last moment does.
    pub(crate) fn forget_exchanges(&self) {
        fs::remove_dir_all(self.project().directory(&self.store).join("sync")).unwrap();
    }
}

pub(crate) fn ids(ordinals: impl IntoIterator<Item = u64>) -> Vec<RunId> {
    ordinals.into_iter().map(|ordinal| example_run(ordinal).id).collect()
}

/// The number of added, known and damaged records.
pub(crate) fn counts(answer: &Value) -> [u64; 3] {
    ["added", "known", "damaged"].map(|key| answer[key].as_u64().unwrap())
}

/// The history of `codec::frame::encode` on the example's testbed.
fn history_file(root: &Path) -> PathBuf {
    let project = fs::read_dir(root.join("v1")).ok().and_then(|mut it| it.next());
    let project = project.map_or(root.join("v1/none"), |entry| entry.unwrap().path());
    project.join("runs/local-7f3a2b.2334f36d/codec-frame-encode.159e77d7.jsonl")
}

/// The name of the file of `codec::frame::decode`.
fn other_name(file: &Path) -> String {
    let test = "codec::frame::decode";
    let hash = perftest_store::Digest::of(test.as_bytes()).hex8();
    assert!(file.ends_with("codec-frame-encode.159e77d7.jsonl"));
    format!("codec-frame-decode.{hash}.jsonl")
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}
