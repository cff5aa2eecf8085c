//! The tool with a store of its own.

use perftest_core::model::{Acceptance, BenchmarkId, Interval, Measurement, Reason, Run};
use perftest_process::find_project;
use perftest_store::conformance::example_run;
use perftest_store::{AcceptanceFile, JsonlStore, Store};
use perftest_tests::{Outcome, clean_command, git_command};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project directory with a store beside it; gone with its files when dropped.
pub(crate) struct Bench {
    pub(crate) root: PathBuf,
}

impl Bench {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("cargo-perftest-{name}-{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("project")).unwrap();
        fs::write(root.join("project/Cargo.toml"), "[package]\n").unwrap();
        Self { root: fs::canonicalize(root).unwrap() }
    }

    /// With runs of `encode` (the last one red), `decode` and `index::insert`.
    pub(crate) fn filled(name: &str) -> Self {
        let bench = Self::new(name);
        for ordinal in 0..9 {
            bench.append(&example_run(ordinal));
        }
        bench.append(&red(example_run(9)));
        for (ordinal, test) in [(20, "codec::frame::decode"), (21, "codec::index::insert")] {
            let benchmark = BenchmarkId::from_recorded(test);
            bench.append(&Run { benchmark, ..example_run(ordinal) });
        }
        bench
    }

    pub(crate) fn store(&self) -> JsonlStore {
        let project = find_project(&self.root.join("project"));
        JsonlStore::open(&self.root.join("store"), &project)
    }

    pub(crate) fn acceptances(&self) -> Vec<Acceptance> {
        AcceptanceFile::in_root(&self.root.join("project")).load().unwrap().value
    }

    pub(crate) fn append(&self, run: &Run) {
        self.store().append(run).unwrap();
    }

    /// The file whose name begins so.
    pub(crate) fn history_file(&self, beginning: &str) -> PathBuf {
        let below = |path: &Path| fs::read_dir(path).unwrap().map(|it| it.unwrap().path());
        let projects = below(&self.root.join("store/v1")).map(|project| project.join("runs"));
        let testbeds = projects.flat_map(|it| below(&it).collect::<Vec<_>>());
        let mut files = testbeds.flat_map(|it| below(&it).collect::<Vec<_>>());
        let is_such = |file: &PathBuf| {
            // Beside it may be what a killed process did not finish.
            let name = file.file_name().unwrap().to_string_lossy();
            name.starts_with(beginning) && !name.ends_with("-unfinished")
        };
        files.find(is_such).unwrap_or_else(|| panic!("there is no file {beginning}.."))
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_cargo-perftest"));
        command.arg("perftest").current_dir(self.root.join("project"));
        command.env("PERFTEST_STORE", self.root.join("store"));
        command
    }

    /// What git answers in the project; it has to succeed.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_at(None, args)
    }

    /// The same, with this time for commits.
    pub(crate) fn git_at(&self, date: Option<&str>, args: &[&str]) -> String {
        let mut command = git_command(&self.root.join("project"));
        for variable in ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"] {
            command.envs(date.map(|date| (variable, date)));
        }
        Outcome::of(command.args(args)).ended_with(0).stdout.trim().to_owned()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome::of(self.command().args(args))
    }

    /// What it answers; it has to succeed.
    #[track_caller]
    pub(crate) fn answer(&self, args: &[&str]) -> String {
        self.run(args).answer()
    }

    /// Code and text of its refusal; its answer has to be empty.
    #[track_caller]
    pub(crate) fn refusal(&self, args: &[&str]) -> (i32, String) {
        self.run(args).refusal()
    }

    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        let outcome = self.run(args);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome}");
        outcome.json()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// An example run with other measurements, none of them suspect, and without flags.
pub(crate) fn measured(ordinal: u64, measurements: Vec<Measurement>) -> Run {
    Run {
        measurements,
        suspects: Vec::new(),
        on_processor_time: Vec::new(),
        flags: Vec::new(),
        ..example_run(ordinal)
    }
}

/// Green, with processes that were all alike and no limit.
pub(crate) fn green(mut run: Run) -> Run {
    let evidence = run.evidence.as_mut().unwrap();
    evidence.reason = Reason::Green;
    evidence.slow_processes = 0;
    evidence.limit = None;
    run
}

pub(crate) fn red(mut run: Run) -> Run {
    let evidence = run.evidence.as_mut().unwrap();
    evidence.reason = Reason::Red;
    evidence.degradation = Some(Interval { estimate: 1.25, lower: 1.21, upper: 1.264 });
    evidence.notes.clear();
    run
}

pub(crate) fn line_with<'a>(text: &'a str, part: &str) -> &'a str {
    text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part} in {text}"))
}
