//! Shared libraries that cargo built, and that another build may have replaced.

use super::elf::Elf;
use perftest_core::list::IntoList;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Returns the shared libraries that this file needs and that cargo built: they are in `place`, the directory of the
/// test executables, or where cargo puts what it has built. Only ELF files name their libraries here.
pub(super) fn built_libraries(file: &Path, place: &Path) -> Vec<PathBuf> {
    let elf = File::open(file).ok().and_then(|file| Elf::open(file).ok());
    let needed = elf.map(|mut elf| elf.needed_libraries()).unwrap_or_default();
    let built = |name: String| {
        let mut paths =
            [Some(place), place.parent()].into_iter().flatten().map(|it| it.join(&name));
        paths.find(|path| path.is_file())
    };
    needed.into_iter().filter_map(built).into_list()
}
