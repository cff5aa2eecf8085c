//! Where cargo lets the loader look first for the shared libraries of a test.

use crate::target_platform::TargetPlatform;
use perftest_process::artifact_directory;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What a build says about the directories of its libraries.
#[derive(Debug, Default)]
pub(super) struct LibraryDirectories {
    /// Those that build scripts have named.
    linked: Vec<PathBuf>,
    /// That of the standard library.
    standard: Option<PathBuf>,
}

impl LibraryDirectories {
    /// Reads cargo's messages of a build for this platform.
    pub(super) fn new<'a>(
        messages: impl IntoIterator<Item = &'a Value>,
        platform: &TargetPlatform,
    ) -> Self {
        let linked = messages.into_iter().filter_map(|it| it["linked_paths"].as_array()).flatten();
        let linked = linked.filter_map(Value::as_str).map(without_kind).collect();
        Self { linked, standard: platform.library_directory().map(Path::to_owned) }
    }

    /// Returns the directories for a test executable of the build, in cargo's order: of the linked ones those that are
    /// in the directory of the build.
    ///
    /// Source: The Cargo Book, Environment Variables, Dynamic library paths.
    pub(super) fn of(&self, executable: &Path) -> Vec<PathBuf> {
        let own = executable.parent();
        let artifacts = artifact_directory(executable).or(own);
        let is_built = |it: &&PathBuf| artifacts.is_some_and(|artifacts| it.starts_with(artifacts));
        let linked = self.linked.iter().filter(is_built).map(PathBuf::as_path);
        let built = own.into_iter().chain(artifacts).chain(self.standard.as_deref());
        linked.chain(built).map(Path::to_owned).collect()
    }
}

/// Returns a path without the kind that a build script may have written before it: `native=/w/target/..`.
fn without_kind(path: &str) -> PathBuf {
    let kinds = ["dependency", "crate", "native", "framework", "all"];
    let path =
        path.split_once('=').filter(|(kind, _)| kinds.contains(kind)).map_or(path, |it| it.1);
    path.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn libraries_are_looked_for_as_under_cargo() {
        let messages = [
            json!({ "reason": "build-script-executed",
                    "linked_paths": ["native=/t/release/build/zlib-1f/out", "/usr/lib/zlib"] }),
            json!({ "reason": "build-finished" }),
        ];
        let directories = LibraryDirectories::new(&messages, &TargetPlatform::linux());
        let of = |executable| directories.of(Path::new(executable));
        let expected =
            ["/t/release/build/zlib-1f/out", "/t/release/deps", "/t/release", "/rust/lib"];
        assert_eq!(of("/t/release/deps/perf-1f"), expected.map(PathBuf::from));
        assert_eq!(of("/t/release/build/codec/0804/out/perf-1f")[2], Path::new("/t/release"));
    }
}
