//! Writes what a plan says.

use super::plan::{Change, Plan};
use crate::exit::Failure;
use std::fs;
use std::io;
use std::path::Path;

/// Writes every file of the plan, each as a whole.
///
/// # Errors
/// When a file cannot be written; those before it are.
pub(crate) fn write(plan: &Plan) -> Result<(), Failure> {
    for Change { path, after, .. } in &plan.changes {
        replace(path, after).map_err(|error| {
            Failure::Usage(format!("{} cannot be written: {error}", path.display()))
        })?;
    }
    Ok(())
}

/// Whoever reads sees all of the old or all of the new file. A link stays one, and so do the
/// permissions.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    let unfinished = path.with_extension(format!("{}.tmp", std::process::id()));
    let permissions = fs::metadata(&path).map(|it| it.permissions());
    let written = fs::write(&unfinished, text)
        .and_then(|()| permissions.map_or(Ok(()), |it| fs::set_permissions(&unfinished, it)))
        .and_then(|()| fs::rename(&unfinished, &path));
    if written.is_err() {
        // Nobody knows the file by this name; the first error is the one to report.
        let _ = fs::remove_file(&unfinished);
    }
    written
}
