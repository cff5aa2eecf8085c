//! The directories of a project that may have sources.

use crate::exit::{Result, refuse};
use perftest_process::find_project;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file by which cargo and others mark a directory of what can be made again: <https://bford.info/cachedir/>.
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// The directory of git.
const GIT: &str = ".git";

/// Returns a directory and all below it, but those of git, of other repositories and of caches such as `target`.
/// Follows no link.
///
/// # Errors
/// When a directory cannot be read that may be entered.
pub(crate) fn project_directories(root: &Path) -> Result<Vec<PathBuf>> {
    let (mut all, mut open) = (Vec::new(), vec![root.to_owned()]);
    let project = find_project(root);
    let is_of_project = |it: &PathBuf| !it.join(GIT).exists() || find_project(it) == project;
    while let Some(directory) = open.pop() {
        open.extend(directories_in(&directory)?.into_iter().filter(is_of_project));
        all.push(directory);
    }
    Ok(all)
}

/// The directories with sources in a directory.
fn directories_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        // Removed meanwhile, or nobody can work in it here.
        Err(error) if error.kind() == ErrorKind::NotFound || is_closed(directory) => {
            return Ok(Vec::new());
        }
        Err(error) => {
            return refuse(format!("{} cannot be read: {error}", directory.display()));
        }
    };
    let directories = entries.flatten().filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    let is_source = |path: &PathBuf| !path.ends_with(GIT) && !path.join(CACHE_MARK).exists();
    Ok(directories.map(|entry| entry.path()).filter(is_source).collect())
}

/// Whether a directory may not be entered.
fn is_closed(directory: &Path) -> bool {
    let inside = directory.join(GIT).symlink_metadata();
    inside.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}
