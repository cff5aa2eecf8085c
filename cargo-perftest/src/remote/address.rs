//! The address of a remote.

use crate::exit::{CommandError, Result};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Why an address is refused: command lines are in lists of processes and in logs.
pub(super) const NO_POSTGRES_PASSWORD: &str =
    "an address has no password: set PGPASSWORD, or write ~/.pgpass";
const NO_CLICKHOUSE_PASSWORD: &str =
    "an address has no password: set CLICKHOUSE_PASSWORD, or CLICKHOUSE_PASSWORD_FILE";
const NO_SSL_MODE: &str = "sslmode is `verify-full` or `require`, which both check the certificate and the name of the server, or \
                           `disable`";
const NO_CLICKHOUSE: &str = "an address of ClickHouse is clickhouse+http://USER@HOST:8123/DATABASE, or with \
                             clickhouse+https";

/// Where a remote is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RemoteAddress {
    /// `dir:PATH`: a directory that machines share, or that a job saves.
    Directory(PathBuf),
    /// `git:BRANCH`: a branch of the repository's origin with nothing but history.
    Git {
        /// The branch, without `refs/heads/`.
        branch: String,
    },
    /// `postgres://USER@HOST/DATABASE`: tables of a database.
    Postgres {
        /// Without a password.
        url: String,
    },
    /// `clickhouse+http://USER@HOST:PORT/DATABASE`: tables of a ClickHouse server.
    ClickHouse {
        /// Without a password.
        url: String,
    },
}

/// An address as a person gave it. It is read only when it is used: the message about an argument that cannot be
/// read repeats it, and it may have a password.
#[derive(Debug, Clone)]
pub(crate) struct GivenAddress(String);

impl From<&str> for GivenAddress {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl GivenAddress {
    /// # Errors
    /// When it is no address of a remote.
    pub(crate) fn read(&self) -> Result<RemoteAddress> {
        self.0.parse().map_err(CommandError::Usage)
    }
}

impl RemoteAddress {
    /// Returns the same text for the same place, wherever the tool runs.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Directory(path) => {
                let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Self::Directory(path).to_string()
            }
            Self::Git { .. } | Self::Postgres { .. } | Self::ClickHouse { .. } => self.to_string(),
        }
    }
}

impl FromStr for RemoteAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("dir", path)) if !path.is_empty() => Ok(Self::Directory(path.into())),
            Some(("git", branch)) if is_branch(branch) => Ok(Self::Git { branch: branch.into() }),
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => of_database(text),
            Some(("clickhouse+http" | "clickhouse+https", rest)) => of_clickhouse(text, rest),
            Some(("git", _)) => Err("git: needs a branch, such as git:perftest-history".into()),
            _ => Err("give dir:PATH, git:BRANCH, postgres://USER@HOST/DATABASE or \
                      clickhouse+http://USER@HOST:8123/DATABASE, such as git:perftest-history"
                .into()),
        }
    }
}

/// Writes the address as a person gives it, without credentials.
impl fmt::Display for RemoteAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "dir:{}", path.display()),
            Self::Git { branch } => write!(f, "git:{branch}"),
            Self::Postgres { url } | Self::ClickHouse { url } => f.write_str(url),
        }
    }
}

/// Whether a connection to a PostgreSQL server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SslMode {
    Disabled,
    /// With a server whose certificate is checked.
    Verified,
}

impl SslMode {
    /// Reads `sslmode` of an address.
    ///
    /// # Errors
    /// When it is another mode. Those of libpq that check less would only seem to protect the data.
    pub(super) fn of(url: &str) -> Result<Self, String> {
        let (_, options) = url.split_once('?').unwrap_or_default();
        let modes = options.split('&').filter_map(|option| option.strip_prefix("sslmode="));
        match modes.collect::<Vec<&str>>()[..] {
            [] | ["disable"] => Ok(Self::Disabled),
            ["require" | "verify-full"] => Ok(Self::Verified),
            // Of two modes the client takes another one than a person may expect.
            _ => Err(NO_SSL_MODE.into()),
        }
    }
}

/// Refuses a password. As for the client of the database, the user ends at the first `@`, whatever is before it.
fn of_database(url: &str) -> Result<RemoteAddress, String> {
    let rest = url.split_once("//").map_or("", |(_, rest)| rest);
    let user = rest.split_once('@').map_or("", |(user, _)| user);
    if user.contains(':') || url.contains("password=") {
        return Err(NO_POSTGRES_PASSWORD.into());
    }
    SslMode::of(url)?;
    Ok(RemoteAddress::Postgres { url: url.into() })
}

/// Accepts `//USER@HOST:PORT/DATABASE` and `//HOST:PORT/DATABASE` alone, so that nothing else in an address is
/// sent or printed.
fn of_clickhouse(url: &str, rest: &str) -> Result<RemoteAddress, String> {
    let has_only = |part: &str, others: &str| {
        let is_plain = |it: char| it.is_ascii_alphanumeric() || others.contains(it);
        !part.is_empty() && part.chars().all(is_plain)
    };
    let after = rest.strip_prefix("//").unwrap_or_default();
    let (user, place) = after.rsplit_once('@').unwrap_or(("default", after));
    if user.contains(':') || after.contains("password=") {
        return Err(NO_CLICKHOUSE_PASSWORD.into());
    }
    let (host, database) = place.split_once('/').unwrap_or_default();
    if has_only(user, "_-.") && has_only(host, "_-.:[]") && has_only(database, "_") {
        return Ok(RemoteAddress::ClickHouse { url: url.into() });
    }
    Err(NO_CLICKHOUSE.into())
}

/// Returns whether git accepts this name of a branch, and nothing in it looks like an option.
///
/// Source of the rules: git-check-ref-format(1).
fn is_branch(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.ends_with(".lock")
    };
    let is_plain = |it: char| !it.is_control() && !it.is_whitespace() && !"~^:?*[\\".contains(it);
    name.split('/').all(is_part)
        && name.chars().all(is_plain)
        && !name.starts_with('-')
        && !name.contains("..")
        && !name.contains("@{")
        && name != "HEAD"
        && name != "@"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_it_was_given() {
        for text in [
            "dir:/srv/perf",
            "dir:perf history",
            "git:perftest-history",
            "git:perf/main",
            "postgres://bot@db.example.org:5433/perf",
            "postgres://bot@db.example.org/perf?sslmode=verify-full",
            "clickhouse+http://bot@db.example.org:8123/perf",
            "clickhouse+https://[::1]:8443/perf",
        ] {
            assert_eq!(text.parse::<RemoteAddress>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_connection_is_encrypted_where_the_address_says_so() {
        let mode = |options: &str| SslMode::of(&format!("postgres://bot@db/perf{options}"));
        for options in ["?sslmode=require", "?connect_timeout=3&sslmode=verify-full"] {
            assert_eq!(mode(options), Ok(SslMode::Verified), "{options}");
        }
        for options in ["", "?connect_timeout=3", "?sslmode=disable"] {
            assert_eq!(mode(options), Ok(SslMode::Disabled), "{options}");
        }
    }

    #[test]
    fn another_address_is_refused_with_what_is_one() {
        for text in ["", "dir:", "/srv/perf", "origin", "ftp://host/x"] {
            assert!(text.parse::<RemoteAddress>().unwrap_err().contains("dir:PATH"), "{text}");
        }
        for url in [
            "postgres://bot:secret@db/perf",
            "postgres://bot:/secret@db/perf",
            "postgres://bot@db/perf?password=secret",
        ] {
            let refused = url.parse::<RemoteAddress>().unwrap_err();
            assert!(refused.contains("PGPASSWORD") && !refused.contains("secret"), "{refused}");
        }
        for mode in ["allow", "prefer", "verify-ca", "", "require&sslmode=disable"] {
            let url = format!("postgres://bot@db/perf?application_name=x&sslmode={mode}");
            assert!(url.parse::<RemoteAddress>().unwrap_err().contains("verify-full"), "{mode}");
        }
        for url in [
            "clickhouse+http://bot:secret@db:8123/perf",
            "clickhouse+https://bot:/secret@db:8443/perf",
            "clickhouse+http://bot:sec@secret@db:8123/perf",
            "clickhouse+http://bot@db:8123/perf?password=secret",
        ] {
            let refused = url.parse::<RemoteAddress>().unwrap_err();
            let names_it = refused.contains("CLICKHOUSE_PASSWORD");
            assert!(names_it && !refused.contains("secret"), "{refused}");
        }
        for rest in
            ["", "//", "//db:8123", "//db:8123/", "//db/a/b", "//a b@db/perf", "//db/perf?x=secret"]
        {
            let refused = format!("clickhouse+http:{rest}").parse::<RemoteAddress>().unwrap_err();
            assert!(refused.contains(":8123/DATABASE") && !refused.contains("secret"), "{rest}");
        }
        for branch in ["", "-x", "a..b", "a b", "a:b", "a.lock", "/a", "a/", "HEAD", "@{1}"] {
            let refused = format!("git:{branch}").parse::<RemoteAddress>().unwrap_err();
            assert!(refused.contains("git:perftest-history"), "{branch}");
        }
    }
}
