//! Spares the second side the first build of all dependencies.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;

/// Copies what the other side has built to a new side.
///
/// Only before the sources of the new side are written: all of them are then newer than what is
/// copied, and cargo builds again what is compiled from them. Dependencies keep their times and
/// stay. Copies, as cargo writes into some files in place.
pub(super) fn seed(target: &Path, built: &Path) {
    // Half of it, left by a call that was interrupted, must not be taken for all.
    let unfinished = target.with_file_name("seed");
    let _ = fs::remove_dir_all(&unfinished);
    let copied = copy(built, &unfinished);
    if copied.and_then(|()| fs::rename(&unfinished, target)).is_err() {
        // Then cargo builds all of it.
        let _ = fs::remove_dir_all(&unfinished);
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
            continue;
        }
        fs::copy(&from, &to)?;
        let times = FileTimes::new().set_modified(entry.metadata()?.modified()?);
        File::options().append(true).open(&to)?.set_times(times)?;
    }
    Ok(())
}
