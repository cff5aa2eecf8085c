//! The test target of a perf test.

use crate::args::CompileOptions;
use crate::cargo::metadata;
use crate::directory_lock::lock_directory;
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use perftest_core::model::{BenchmarkId, TargetKind};
use perftest_core::words::quoted;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A test target, and where it is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelinkTarget {
    /// Cargo's unique name of the package.
    pub(super) package: String,
    pub(crate) name: String,
    /// A separate directory for our builds: those of the user stay unchanged.
    pub(crate) build_directory: PathBuf,
    /// The perf test in the target's list.
    pub(crate) test: String,
    /// The requested stage; empty for the whole.
    pub(crate) stage: String,
    /// Tests of the package's library have names like those of this target.
    pub(super) shares_name_with_library: bool,
}

impl RelinkTarget {
    /// Finds the target whose name begins the name of the perf test.
    pub(crate) fn of_benchmark(benchmark: &BenchmarkId) -> Result<Self> {
        let metadata = metadata(&here()?)?;
        Self::in_metadata(&metadata, benchmark).ok_or_else(|| {
            CommandError::Usage(format!(
                "`{benchmark}` is in no test target here: `relink` links targets of tests/ with \
                 `harness = false`, in the workspace of the current directory"
            ))
        })
    }

    /// Locks the directory of our builds, which has the copy of the history, too. Waits while another call uses it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn lock(&self) -> Result<File> {
        let directory = &self.build_directory;
        lock_directory(directory, "`cargo perftest relink` in this workspace").map_err(|error| {
            CommandError::Usage(format!("cannot write in {}: {error}", directory.display()))
        })
    }

    /// Whether cargo has built anything in the directory of our builds: it then keeps this file there.
    pub(crate) fn has_builds(&self) -> bool {
        self.build_directory.join(".rustc_info.json").exists()
    }

    /// Why the test, which was linked with these options, has no verdict.
    pub(crate) fn without_verdict(&self, options: &CompileOptions) -> CommandError {
        let stage = match self.stage.as_str() {
            "" => String::new(),
            stage => format!(" on its stage `{stage}`"),
        };
        let library = match self.shares_name_with_library {
            true => ". It may be a test of the library, which `relink` does not link",
            false => "",
        };
        CommandError::Usage(format!(
            "`{}` gave no verdict{stage}: run it with `cargo test{} --test {}` and see why{library}",
            self.test,
            options.as_typed_for_tests(),
            quoted(&self.name)
        ))
    }

    fn in_metadata(metadata: &Value, benchmark: &BenchmarkId) -> Option<Self> {
        let build_directory =
            Path::new(metadata["target_directory"].as_str()?).join("perftest-relink");
        let packages = metadata["packages"].as_array()?.iter();
        let mut beginnings: Vec<_> =
            packages.flat_map(|package| Beginning::all_in(package, benchmark)).collect();
        // A target with the name of its package begins the names of the other targets' tests, too.
        let longest = beginnings.iter().map(|it| it.text.len()).max()?;
        beginnings.retain(|it| it.text.len() == longest);
        let found = beginnings.iter().find(|it| it.kind == TargetKind::Test)?;
        Some(Self {
            package: found.package["id"].as_str()?.to_owned(),
            name: found.target.to_owned(),
            build_directory,
            test: benchmark.whole()[longest..].strip_prefix("::")?.to_owned(),
            stage: benchmark.stage_name().unwrap_or_default().to_owned(),
            shares_name_with_library: beginnings.iter().any(|it| it.kind == TargetKind::Library),
        })
    }
}

/// The beginning of a perf test's name, if its target is this one.
struct Beginning<'a> {
    package: &'a Value,
    target: &'a str,
    kind: TargetKind,
    text: String,
}

impl<'a> Beginning<'a> {
    /// The targets of a package whose beginning the name has.
    fn all_in(package: &'a Value, benchmark: &BenchmarkId) -> Vec<Self> {
        let of_target = |json: &'a Value| {
            let (target, kind) = (json["name"].as_str()?, kind_of(json)?);
            let text = kind.target_name(package["name"].as_str()?, &target.replace('-', "_"));
            let rest = benchmark.whole().strip_prefix(&text)?;
            rest.starts_with("::").then_some(Self { package, target, kind, text })
        };
        let targets = package["targets"].as_array().into_iter().flatten();
        targets.filter_map(of_target).collect()
    }
}

/// `None` for a build script, which has no tests.
fn kind_of(target: &Value) -> Option<TargetKind> {
    match target["kind"][0].as_str()? {
        "test" => Some(TargetKind::Test),
        "bench" => Some(TargetKind::Bench),
        "bin" | "example" => Some(TargetKind::Binary),
        "custom-build" => None,
        _ => Some(TargetKind::Library),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args as CommandLine, CliCommand, HistoryCommand};
    use clap::Parser;
    use serde_json::json;

    fn target_of(benchmark: &str) -> Option<RelinkTarget> {
        let metadata = json!({
            "target_directory": "/w/target",
            "packages": [
                { "name": "my-codec", "id": "path+x#my-codec",
                  "targets": [
                    { "name": "my_codec", "kind": ["lib"] },
                    { "name": "perf-fast", "kind": ["test"] },
                    { "name": "frame", "kind": ["bench"] },
                  ] },
                { "name": "lz-4", "id": "path+x#lz-4",
                  "targets": [
                    { "name": "lz-4", "kind": ["test"] },
                    { "name": "perf", "kind": ["test"] },
                  ] },
                { "name": "codec", "id": "path+x#codec",
                  "targets": [
                    { "name": "codec", "kind": ["rlib", "cdylib"] },
                    { "name": "codec", "kind": ["bin"] },
                    { "name": "pack", "kind": ["example"] },
                    { "name": "codec", "kind": ["test"] },
                    { "name": "perf", "kind": ["bench"] },
                    { "name": "build-script-build", "kind": ["custom-build"] },
                  ] },
            ],
        });
        RelinkTarget::in_metadata(&metadata, &BenchmarkId::from_recorded(benchmark))
    }

    fn names_of_target(benchmark: &str) -> Option<(String, String, String)> {
        target_of(benchmark).map(|target| (target.name, target.test, target.stage))
    }

    #[test]
    fn the_name_of_a_perf_test_has_its_target_and_that_of_a_stage_its_test() {
        let expected = |stage: &str| {
            Some(("perf-fast".to_owned(), "frame::encode".to_owned(), stage.to_owned()))
        };
        assert_eq!(names_of_target("my-codec::perf_fast::frame::encode"), expected(""));
        assert_eq!(names_of_target("my-codec::perf_fast::frame::encode/pack"), expected("pack"));
    }

    #[test]
    fn a_target_may_have_the_name_of_its_package() {
        let of_target = |name: &str, test: &str| Some((name.into(), test.into(), String::new()));
        assert_eq!(names_of_target("lz-4::frame::encode"), of_target("lz-4", "frame::encode"));
        assert_eq!(names_of_target("lz-4::perf::encode"), of_target("perf", "encode"));
        assert_eq!(names_of_target("lz-4x::encode"), None);
    }

    #[test]
    fn a_librarys_own_tests_and_other_projects_have_no_test_target() {
        for benchmark in ["my-codec::frame::encode", "other::perf_fast::encode", "my-codec"] {
            assert_eq!(names_of_target(benchmark), None, "{benchmark}");
        }
    }

    #[test]
    fn tests_of_other_targets_are_not_those_of_the_test_target_with_the_name_of_the_package() {
        for benchmark in
            ["codec::bench::perf::encode", "codec::bin::codec::encode", "codec::bin::pack::encode"]
        {
            assert_eq!(target_of(benchmark), None, "{benchmark}");
        }
    }

    #[test]
    fn a_test_of_the_library_may_have_the_name_of_one_of_the_test_target() {
        assert!(target_of("codec::frame::encode").unwrap().shares_name_with_library);
        for benchmark in ["my-codec::perf_fast::encode", "lz-4::encode"] {
            assert!(!target_of(benchmark).unwrap().shares_name_with_library, "{benchmark}");
        }
    }

    fn without_verdict(benchmark: &str, options: &str) -> String {
        let line = format!("cargo-perftest relink encode {options}");
        let parsed = CommandLine::parse_from(line.split_whitespace());
        let CliCommand::OfHistory(HistoryCommand::Relink(args)) = parsed.command else {
            panic!("another command")
        };
        target_of(benchmark).unwrap().without_verdict(&args.compile).to_string()
    }

    #[test]
    fn the_command_for_a_test_without_a_verdict_builds_what_was_linked() {
        let message = without_verdict("lz-4::perf::encode/pack", "");
        let expected = "`encode` gave no verdict on its stage `pack`: run it with `cargo test \
                        --release --test perf` and see why";
        assert_eq!(message, expected);
        let options = "--profile bench --features heavy --target x86_64-unknown-linux-musl";
        let message = without_verdict("lz-4::perf::encode", options);
        assert!(message.contains(&format!("`cargo test {options} --test perf`")), "{message}");
        let message = without_verdict("lz-4::perf::encode", "--features dep?/fast");
        assert!(message.contains("--features 'dep?/fast' --test perf`"), "{message}");
    }

    #[test]
    fn one_call_at_a_time_builds_in_the_directory_of_a_workspace() {
        let directory = tempfile::tempdir().unwrap();
        let build_directory = directory.path().join("perftest-relink");
        let target = RelinkTarget { build_directory, ..target_of("lz-4::perf::encode").unwrap() };
        let lock = target.lock().unwrap();
        let other = File::open(target.build_directory.join("lock")).unwrap();
        assert!(other.try_lock().is_err());
        drop(lock);
        // A program that another test starts may hold the lock for a moment.
        other.lock().unwrap();
    }

    #[test]
    fn a_test_without_a_verdict_may_be_one_of_the_library_of_the_same_name() {
        let message = without_verdict("codec::frame::encode", "");
        assert!(message.ends_with("It may be a test of the library, which `relink` does not link"));
    }
}
