//! The directories of a user, where each system keeps them.

use std::env::home_dir;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the directory of the histories, which survives `cargo clean`; `None` for a user without a home.
/// `get` reads an environment variable.
///
/// Sources: XDG Base Directory Specification; Apple, File System Programming Guide; Microsoft, Known Folders.
pub fn state_directory(get: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let (variable, below_home, name) = if cfg!(windows) {
        ("LOCALAPPDATA", "AppData/Local", "perftest/data")
    } else if cfg!(target_os = "macos") {
        ("", "Library/Application Support", "perftest")
    } else {
        ("XDG_STATE_HOME", ".local/state", "perftest")
    };
    let home = || home_dir().filter(|it| !it.as_os_str().is_empty());
    let place = absolute(get(variable)).or_else(|| Some(home()?.join(below_home)))?;
    Some(place.join(name))
}

/// Returns the directory of files that end with the user's session; `None` where the system has none. `get`
/// reads an environment variable.
pub fn runtime_directory(get: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(get("XDG_RUNTIME_DIR"))
}

fn absolute(path: Option<OsString>) -> Option<PathBuf> {
    path.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn variables_name_the_directories_and_count_only_with_absolute_paths() {
        let set = |name: &str| Some(OsString::from(format!("/of/{name}")));
        assert_eq!(state_directory(&set), Some("/of/XDG_STATE_HOME/perftest".into()));
        assert_eq!(runtime_directory(&set), Some("/of/XDG_RUNTIME_DIR".into()));
        let relative = |_: &str| Some(OsString::from("state"));
        let below_home = home_dir().map(|home| home.join(".local/state/perftest"));
        assert_eq!(state_directory(&relative), below_home);
        assert_eq!(runtime_directory(&relative), None);
    }
}
