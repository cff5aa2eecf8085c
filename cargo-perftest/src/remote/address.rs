//! The address of a remote.

use crate::exit::CommandError;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Why an address is refused: command lines are in lists of processes and in logs.
pub(super) const NO_PASSWORD: &str =
    "an address has no password: set PGPASSWORD, or write ~/.pgpass";

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
    pub(crate) fn read(&self) -> Result<RemoteAddress, CommandError> {
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
            Self::Git { .. } | Self::Postgres { .. } => self.to_string(),
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
            Some(("git", _)) => Err("git: needs a branch, such as git:perftest-history".into()),
            _ => Err("give dir:PATH, git:BRANCH or postgres://USER@HOST/DATABASE, such as \
                      git:perftest-history"
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
            Self::Postgres { url } => f.write_str(url),
        }
    }
}

/// Refuses a password. As for the client of the database, the user ends at the first `@`, whatever is before it.
fn of_database(url: &str) -> Result<RemoteAddress, String> {
    let rest = url.split_once("//").map_or("", |(_, rest)| rest);
    let user = rest.split_once('@').map_or("", |(user, _)| user);
    if user.contains(':') || url.contains("password=") {
        return Err(NO_PASSWORD.into());
    }
    Ok(RemoteAddress::Postgres { url: url.into() })
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
        ] {
            assert_eq!(text.parse::<RemoteAddress>().unwrap().to_string(), text);
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
        for branch in ["", "-x", "a..b", "a b", "a:b", "a.lock", "/a", "a/", "HEAD", "@{1}"] {
            let refused = format!("git:{branch}").parse::<RemoteAddress>().unwrap_err();
            assert!(refused.contains("git:perftest-history"), "{branch}");
        }
    }
}
