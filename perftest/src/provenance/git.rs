//! Questions to git. Each takes some milliseconds, in which something else can be done.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A question that is being answered; `None` where there is no git.
#[derive(Debug)]
pub(super) struct Question(Option<Child>);

/// Asks git in this directory.
pub(super) fn ask(directory: &Path, arguments: &[&str]) -> Question {
    let asked = Command::new("git")
        .arg("--no-optional-locks")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    Question(asked.ok())
}

impl Question {
    /// What git prints; `None` when it fails or is not there.
    pub(super) fn answer(self) -> Option<String> {
        let output = self.0?.wait_with_output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
