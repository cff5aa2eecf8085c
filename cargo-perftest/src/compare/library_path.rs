//! Where cargo lets the loader look first for the shared libraries of a test.

use perftest_process::artifact_directory;
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a build says about the directories of its libraries.
#[derive(Debug, Default)]
pub(super) struct LibraryDirectories {
    /// Those that build scripts have named.
    linked: Vec<PathBuf>,
    /// That of the standard library, which a library of the kind `dylib` needs.
    standard: Option<PathBuf>,
}

impl LibraryDirectories {
    /// Reads cargo's messages. `standard` is the result of [`standard_library`].
    pub(super) fn new<'a>(
        messages: impl IntoIterator<Item = &'a Value>,
        standard: Option<PathBuf>,
    ) -> Self {
        let linked = messages.into_iter().filter_map(|it| it["linked_paths"].as_array()).flatten();
        let linked = linked.filter_map(Value::as_str).map(without_kind).collect();
        Self { linked, standard }
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

/// Returns the directory of the standard library of the compiler that cargo uses in `directory`; `None` where that
/// compiler does not say.
pub(super) fn standard_library(directory: &Path, target: Option<&str>) -> Option<PathBuf> {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(directory).args(["--print", "target-libdir"]);
    rustc.args(target.iter().flat_map(|target| ["--target", target]));
    let output = rustc.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().into())
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
        let directories = LibraryDirectories::new(&messages, Some("/rust/lib".into()));
        let of = |executable| directories.of(Path::new(executable));
        let expected =
            ["/t/release/build/zlib-1f/out", "/t/release/deps", "/t/release", "/rust/lib"];
        assert_eq!(of("/t/release/deps/perf-1f"), expected.map(PathBuf::from));
        assert_eq!(of("/t/release/build/codec/0804/out/perf-1f")[2], Path::new("/t/release"));
    }
}
