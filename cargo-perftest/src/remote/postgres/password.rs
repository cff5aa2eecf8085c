//! The password of a user of a database, from where libpq has it.

use crate::remote::RemoteError;
use crate::remote::database::read_password_file;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// Returns the password from `PGPASSWORD`, or else from the file that `PGPASSFILE` names, or else from
/// `~/.pgpass`. `None` if none of them has one. An empty variable counts as missing, as it does for libpq.
///
/// # Errors
/// When the file can be read by others, or cannot be read.
pub(super) fn of(config: &Config) -> Result<Option<String>, RemoteError> {
    find(config, &|name| env::var_os(name))
}

fn find(
    config: &Config,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Option<String>, RemoteError> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(password) = variable("PGPASSWORD").and_then(|it| it.into_string().ok()) {
        return Ok(Some(password));
    }
    let named = variable("PGPASSFILE").map(PathBuf::from);
    let home = || directories::BaseDirs::new().map(|it| it.home_dir().join(".pgpass"));
    let Some(path) = named.or_else(home).filter(|path| path.exists()) else {
        return Ok(None);
    };
    let text = read_password_file(&path)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_empty_variable_does_not_hide_the_file() {
        // Only its owner can read it.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "db.example.org:5432:perf:bot:secret\n").unwrap();
        let config = "postgres://bot@db.example.org:5432/perf".parse().unwrap();
        let password = |value: &str| {
            find(&config, &|name| match name {
                "PGPASSWORD" => Some(value.into()),
                _ => Some(file.path().into()),
            })
        };
        assert_eq!(password("").unwrap().as_deref(), Some("secret"));
        assert_eq!(password("given").unwrap().as_deref(), Some("given"));
    }

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
