//! Git for tests.

use crate::{Outcome, clean_command};
use std::path::Path;
use std::process::Command;

/// Returns git in a directory, with a name for commits.
pub fn git_command(directory: &Path) -> Command {
    let mut command = clean_command("git");
    command.args(["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]);
    command.current_dir(directory);
    command
}

/// Runs git in a directory, and returns its output.
///
/// # Panics
/// When git fails.
#[track_caller]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    Outcome::of(git_command(directory).args(arguments)).ended_with(0).stdout
}
