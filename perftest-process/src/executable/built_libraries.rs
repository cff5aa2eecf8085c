//! Shared libraries that cargo built, and that another build may have replaced.

use super::artifact_directory::artifact_directory;
use super::elf::Elf;
use perftest_core::list::IntoList;
use std::env::split_paths;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The variable with the directories in which the loader looks for shared libraries, as cargo sets it for tests.
///
/// Source: The Cargo Book, Environment Variables, Dynamic library paths.
pub const LIBRARY_PATH_VARIABLE: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_FALLBACK_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// Returns the directories of [`LIBRARY_PATH_VARIABLE`]; `get` returns the value of a variable. Where it is not set on
/// macOS, these are the loader's own, which it leaves out once the variable is set.
///
/// Source: dyld(1), `DYLD_FALLBACK_LIBRARY_PATH`.
pub fn library_path(get: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    if let Some(value) = get(LIBRARY_PATH_VARIABLE) {
        return split_paths(&value).into_list();
    }
    if !cfg!(target_os = "macos") {
        return Vec::new();
    }
    let home = get("HOME").map(|home| Path::new(&home).join("lib"));
    home.into_iter().chain(["/usr/local/lib", "/usr/lib"].map(PathBuf::from)).into_list()
}

/// Returns the shared libraries that `file` needs and that cargo built, also those that such a library needs. They are
/// where cargo puts what it has built together with `executable`, or where a build script has put them, which is in
/// `library_path`. Only ELF files name their libraries here.
pub fn built_libraries(file: &Path, executable: &Path, library_path: &[PathBuf]) -> Vec<PathBuf> {
    let directories = directories_of_build(executable, library_path);
    let find = |name: String| {
        let mut paths = directories.iter().map(|it| it.join(&name));
        paths.find(|path| path.is_file())
    };
    let mut libraries = Vec::new();
    let mut open = vec![file.to_owned()];
    while let Some(file) = open.pop() {
        for library in needed_libraries(&file).into_iter().filter_map(find) {
            if !libraries.contains(&library) {
                libraries.push(library.clone());
                open.push(library);
            }
        }
    }
    libraries
}

/// The loader looks in its path first.
fn directories_of_build(executable: &Path, library_path: &[PathBuf]) -> Vec<PathBuf> {
    let own = executable.parent().unwrap_or(Path::new("."));
    let artifacts = artifact_directory(executable).unwrap_or(own);
    let named = library_path.iter().filter(|it| it.starts_with(artifacts)).cloned();
    named.chain([own.to_owned(), artifacts.to_owned(), artifacts.join("deps")]).into_list()
}

fn needed_libraries(file: &Path) -> Vec<String> {
    let elf = File::open(file).ok().and_then(|file| Elf::open(file).ok());
    elf.map(|mut elf| elf.needed_libraries()).unwrap_or_default()
}
