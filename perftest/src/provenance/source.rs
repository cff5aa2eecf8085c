//! Where a test is in the repository: CI providers and editors want a path from its root.

use perftest_core::list::IntoList;
use perftest_core::model::SourcePlace;
use perftest_core::text::Text;
use perftest_process::project_root;
use std::path::Path;

/// The place of a line of `file`, which the compiler names from the root of the workspace. `package` is
/// the directory of a package in it.
///
/// Where the sources are not at hand, as for tests from an archive, the file is as the compiler
/// names it.
pub(crate) fn source_place(file: &str, line: u32, package: &Path) -> SourcePlace {
    let from_root = file_from_root(Path::new(file), package);
    SourcePlace { file: from_root.unwrap_or_else(|| file.replaced("\\", "/")), line }
}

fn file_from_root(file: &Path, package: &Path) -> Option<String> {
    let mut candidates = package.ancestors().map(|directory| directory.join(file));
    let found = candidates.find(|candidate| candidate.is_file())?.canonicalize().ok()?;
    let below = found.strip_prefix(project_root(package)).ok()?;
    let parts = below.iter().map(|part| part.to_str()).into_list_of_some()?;
    Some(parts.iter().joined("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::fs;

    #[test]
    fn a_workspace_inside_a_repository_has_its_directory_in_the_path() {
        let root = scratch("source-place");
        let package = root.join("rust/codec");
        fs::create_dir_all(package.join("tests")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(package.join("tests/perf.rs"), "").unwrap();
        let place = |file| source_place(file, 37, &package).file;
        assert_eq!(place("codec/tests/perf.rs"), "rust/codec/tests/perf.rs");
        assert_eq!(place("tests/perf.rs"), "rust/codec/tests/perf.rs");
    }

    #[test]
    fn without_the_sources_the_file_is_as_the_compiler_names_it() {
        let package = scratch("source-place-archive");
        assert_eq!(source_place("codec/src/lib.rs", 1, &package).file, "codec/src/lib.rs");
        assert_eq!(source_place(r"codec\src\lib.rs", 1, &package).file, "codec/src/lib.rs");
    }
}
