//! The directories of a user, where each system keeps them.

use std::env::home_dir;
use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use {crate::owner::Owner, std::fs, std::path::Path};

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
///
/// On Linux a service has no variable for it, but the directory of a login session of the same user: both find the same
/// one.
///
/// Sources: XDG Base Directory Specification; pam_systemd(8).
pub fn runtime_directory(get: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    absolute(get("XDG_RUNTIME_DIR")).or_else(session_directory)
}

#[cfg(target_os = "linux")]
fn session_directory() -> Option<PathBuf> {
    session_directory_below(Path::new("/run/user"), Path::new("/proc/self"))
}

#[cfg(not(target_os = "linux"))]
fn session_directory() -> Option<PathBuf> {
    None
}

/// The directory of the user that `process` belongs to, below that of all users.
#[cfg(target_os = "linux")]
fn session_directory_below(users: &Path, process: &Path) -> Option<PathBuf> {
    use std::os::linux::fs::MetadataExt;
    let user = fs::metadata(process).ok()?.st_uid();
    let directory = users.join(user.to_string());
    // A service may be forbidden to write there.
    let owner = Owner::of_process(&directory).ok()?;
    owner.refusal_of_directory(&directory).ok()?.is_none().then_some(directory)
}

fn absolute(path: Option<OsString>) -> Option<PathBuf> {
    path.map(PathBuf::from).filter(|path| path.is_absolute())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn variables_name_the_directories_and_count_only_with_absolute_paths() {
        let set = |name: &str| Some(OsString::from(format!("/of/{name}")));
        assert_eq!(state_directory(&set), Some("/of/XDG_STATE_HOME/perftest".into()));
        assert_eq!(runtime_directory(&set), Some("/of/XDG_RUNTIME_DIR".into()));
        let relative = |_: &str| Some(OsString::from("state"));
        let below_home = home_dir().map(|home| home.join(".local/state/perftest"));
        assert_eq!(state_directory(&relative), below_home);
        assert_eq!(runtime_directory(&relative), session_directory());
    }

    #[test]
    fn a_user_without_the_variable_has_the_directory_of_a_session_if_it_is_his_own() {
        let users = scratch("session-directory");
        let found = || session_directory_below(&users, &users);
        assert_eq!(found(), None, "no session");
        let own = users.join(fs::metadata(&users).unwrap().uid().to_string());
        symlink(&users, &own).unwrap();
        assert_eq!(found(), None, "a link");
        fs::remove_file(&own).unwrap();
        fs::create_dir(&own).unwrap();
        assert_eq!(found(), Some(own.clone()));
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(found(), None, "others can write it");
        assert_eq!(session_directory_below(&users, &users.join("no process")), None);
    }
}
