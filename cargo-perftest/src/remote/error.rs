//! The error of a remote, without credentials.

use crate::exit::CommandError;
use perftest_core::words::one_line;
use perftest_store::StoreError;
use std::borrow::Cow;
use std::fmt;

/// Why a remote did not do what it was asked for, and what to do next. Contains no credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteError(String);

impl RemoteError {
    /// Creates the error with this text. Removes credentials from its addresses, and from its lines what a terminal or
    /// a CI system obeys: the text may be that of a foreign server.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        let lines: Vec<Cow<'_, str>> = text.as_ref().lines().map(one_line).collect();
        Self(without_credentials(&lines.join("\n")))
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<StoreError> for RemoteError {
    fn from(error: StoreError) -> Self {
        Self::new(match &error {
            // The remedies of the store of this machine are none of a remote.
            StoreError::Unwritable { path, source } => {
                format!(
                    "cannot write {}: {source}; allow it, or name another remote",
                    path.display()
                )
            }
            StoreError::Full { path, source } => format!(
                "{} {}; nothing sent before was lost; free some space there",
                StoreError::no_room_to_write(source),
                path.display()
            ),
            error => error.to_string(),
        })
    }
}

impl From<RemoteError> for CommandError {
    fn from(error: RemoteError) -> Self {
        Self::Remote(error.0)
    }
}

/// Removes `user:secret@` from each address in a text, as in messages of git.
fn without_credentials(text: &str) -> String {
    const SCHEME_END: &str = "://";
    let mut safe = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(SCHEME_END) {
        let (before, after) = rest.split_at(at + SCHEME_END.len());
        safe.push_str(before);
        let is_end = |it: char| it.is_whitespace() || it == '\'' || it == '"';
        let address = &after[..after.find(is_end).unwrap_or(after.len())];
        // A secret may contain the signs, too: the host is behind the last `@` of what may be the authority.
        rest = &after[end_of_credentials(address)..];
    }
    safe + rest
}

/// Where the host of `user:secret@host/path` begins. A secret with `/` has a colon before it, as a port has; but behind a
/// port are digits alone.
fn end_of_credentials(address: &str) -> usize {
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    let is_port = |it: &str| it.bytes().all(|digit| digit.is_ascii_digit());
    let has_open_secret =
        !authority.contains('@') && authority.split_once(':').is_some_and(|(_, it)| !is_port(it));
    let searched = if has_open_secret && path.contains('@') { address } else { authority };
    searched.rfind('@').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_keeps_its_credentials_and_no_line_has_commands() {
        for (text, expected) in [
            (
                "fatal: unable to access 'https://bot:s3cr@t@example.org/team/codec.git/': 403",
                "fatal: unable to access 'https://example.org/team/codec.git/': 403",
            ),
            ("https://token@a.org and ssh://git@b.org:22/c", "https://a.org and ssh://b.org:22/c"),
            ("https://a.org/x@y", "https://a.org/x@y"),
            ("https://a.org:8080/x@y", "https://a.org:8080/x@y"),
            ("unable to access 'https://bot:a/b@a.org/x'", "unable to access 'https://a.org/x'"),
            ("git@example.org:team/codec", "git@example.org:team/codec"),
            ("no address", "no address"),
            ("gone\u{1b}[2J\r\n::error::y\u{202e}\u{9b}2J", "gone [2J\n: :error::y 2J"),
        ] {
            assert_eq!(RemoteError::new(text).to_string(), expected);
        }
    }
}
