//! Shows a file in the program that the user chose for its kind.

use crate::report::print_progress;
use std::path::Path;
use std::process::{Command, Stdio};

/// Shows a file that was written. Warns where that fails: `what` is written all the same.
pub(crate) fn show(path: &Path, what: &str) {
    if let Err(why) = open(path) {
        print_progress(&format_args!("warning: the {what} is written and not shown: {why}"));
    }
}

/// Starts the platform's opener, and waits until it has handed the file on.
///
/// # Errors
/// Why it is not shown, in words.
fn open(path: &Path) -> Result<(), String> {
    let (program, arguments): (&str, &[&str]) = match () {
        () if cfg!(target_os = "macos") => ("open", &[]),
        // `start` of cmd would read `&` in a path as the end of its command.
        () if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        () => ("xdg-open", &[]),
    };
    // A path that begins with a dash is no option.
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    // The opener names each browser that it looked for in vain.
    command
        .args(arguments)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("{program} cannot be started: {error}")),
    }
}
