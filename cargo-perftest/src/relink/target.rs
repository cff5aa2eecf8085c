//! The test target of a perf test.

use crate::cargo::metadata;
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use perftest_core::model::{BenchmarkId, TargetKind};
use serde_json::Value;
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

    fn in_metadata(metadata: &Value, benchmark: &BenchmarkId) -> Option<Self> {
        let build_directory =
            Path::new(metadata["target_directory"].as_str()?).join("perftest-relink");
        let of_target = |package: &Value, target: &Value| {
            let name = target["name"].as_str().filter(|_| is_test(target))?;
            let (package_name, krate) = (package["name"].as_str()?, name.replace('-', "_"));
            let beginning = TargetKind::Test.target_name(package_name, &krate);
            let test = benchmark.whole().strip_prefix(&beginning)?.strip_prefix("::")?;
            Some(Self {
                package: package["id"].as_str()?.to_owned(),
                name: name.to_owned(),
                build_directory: build_directory.clone(),
                test: test.to_owned(),
                stage: benchmark.stage_name().unwrap_or_default().to_owned(),
            })
        };
        let of_package = |package: &Value| {
            let targets = package["targets"].as_array().into_iter().flatten();
            targets.filter_map(|target| of_target(package, target)).collect::<Vec<Self>>()
        };
        // A target with the name of its package begins the names of the other targets' tests, too.
        let found = metadata["packages"].as_array()?.iter().flat_map(of_package);
        found.min_by_key(|target| target.test.len())
    }
}

fn is_test(target: &Value) -> bool {
    target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "test"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn target_of(benchmark: &str) -> Option<(String, String, String)> {
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
            ],
        });
        let benchmark = BenchmarkId::from_recorded(benchmark);
        let target = RelinkTarget::in_metadata(&metadata, &benchmark)?;
        Some((target.name, target.test, target.stage))
    }

    #[test]
    fn the_name_of_a_perf_test_has_its_target_and_that_of_a_stage_its_test() {
        let expected = |stage: &str| {
            Some(("perf-fast".to_owned(), "frame::encode".to_owned(), stage.to_owned()))
        };
        assert_eq!(target_of("my-codec::perf_fast::frame::encode"), expected(""));
        assert_eq!(target_of("my-codec::perf_fast::frame::encode/pack"), expected("pack"));
    }

    #[test]
    fn a_target_may_have_the_name_of_its_package() {
        let of_target = |name: &str, test: &str| Some((name.into(), test.into(), String::new()));
        assert_eq!(target_of("lz-4::frame::encode"), of_target("lz-4", "frame::encode"));
        assert_eq!(target_of("lz-4::perf::encode"), of_target("perf", "encode"));
        assert_eq!(target_of("lz-4x::encode"), None);
    }

    #[test]
    fn a_librarys_own_tests_and_other_projects_have_no_test_target() {
        for benchmark in ["my-codec::frame::encode", "other::perf_fast::encode", "my-codec"] {
            assert_eq!(target_of(benchmark), None, "{benchmark}");
        }
    }
}
