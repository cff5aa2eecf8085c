//! The password of a user of a database, from where libpq has it.

use crate::remote::RemoteError;
use perftest_store::read_regular_text;
use postgres::Config;
use postgres::config::Host;
use std::env;
use std::path::{Path, PathBuf};

/// A larger file is none of passwords.
const MOST_BYTES: u64 = 1 << 20;

/// Returns the password from `PGPASSWORD`, or else from the file that `PGPASSFILE` names, or else from
/// `~/.pgpass`. `None` if none of them has one.
///
/// # Errors
/// When the file can be read by others, or cannot be read.
pub(super) fn of(config: &Config) -> Result<Option<String>, RemoteError> {
    if let Ok(password) = env::var("PGPASSWORD") {
        return Ok(Some(password));
    }
    let named = env::var_os("PGPASSFILE").map(PathBuf::from);
    let home = || directories::BaseDirs::new().map(|it| it.home_dir().join(".pgpass"));
    let Some(path) = named.or_else(home).filter(|path| path.exists()) else {
        return Ok(None);
    };
    refuse_readable_by_others(&path)?;
    let text = read_regular_text(&path, MOST_BYTES).map_err(|error| {
        RemoteError::new(format!("the passwords in {} cannot be read: {error}", path.display()))
    })?;
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().unwrap_or(&5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    Ok(text.lines().find_map(|line| password_in(line, [&host, &port, database, user])))
}

/// Returns the password of a line, if its other parts fit.
///
/// Source of the form: the chapter "The Password File" of PostgreSQL's manual.
fn password_in(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let (mut parts, mut part, mut characters) = (Vec::new(), String::new(), line.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => part.extend(characters.next()),
            ':' if parts.len() < wanted.len() => parts.push(std::mem::take(&mut part)),
            other => part.push(other),
        }
    }
    let fits = |(part, wanted): (&String, &str)| part == "*" || part == wanted;
    (parts.len() == wanted.len() && parts.iter().zip(wanted).all(fits)).then_some(part)
}

#[cfg(unix)]
fn refuse_readable_by_others(path: &Path) -> Result<(), RemoteError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let path = path.display();
    Err(RemoteError::new(format!("others can read the passwords in {path}: chmod 600 '{path}'")))
}

#[cfg(not(unix))]
fn refuse_readable_by_others(_: &Path) -> Result<(), RemoteError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_the_first_line_that_fits_is_taken() {
        let wanted = ["db.example.org", "5432", "perf", "bot"];
        for (line, expected) in [
            ("db.example.org:5432:perf:bot:secret", Some("secret")),
            ("*:*:*:bot:se:cr\\:et\\\\", Some("se:cr:et\\")),
            ("*:*:*:*:", Some("")),
            ("other:5432:perf:bot:secret", None),
            ("*:5433:perf:bot:secret", None),
            ("# *:*:*:*:secret", None),
            ("db.example.org:5432:perf", None),
        ] {
            assert_eq!(password_in(line, wanted).as_deref(), expected, "{line}");
        }
    }
}
