//! Questions to git. Each takes some milliseconds, in which something else can be done.
//!
//! What an answer depends on is its key: an answer that still holds is not asked for again.

use perftest_store::Cache;
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

/// What git has answered to an earlier process, or is answering.
#[derive(Debug)]
pub(super) enum Answer {
    Kept(String),
    /// With all that the answer depends on, if that is known.
    Pending(Question, Option<Vec<String>>),
}

impl Answer {
    /// Asks unless the answer is kept. Nothing is kept without a key or a cache.
    pub(super) fn find(
        directory: &Path,
        arguments: &[&str],
        key: Option<Vec<String>>,
        cache: Option<&Cache>,
    ) -> Self {
        let kept = cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(&borrowed(key)));
        kept.map_or_else(|| Self::Pending(ask(directory, arguments), key), Self::Kept)
    }

    /// What git prints, kept from now on; `None` when it fails or is not there.
    pub(super) fn get(self, cache: Option<&Cache>) -> Option<String> {
        let (question, key) = match self {
            Self::Kept(answer) => return Some(answer),
            Self::Pending(question, key) => (question, key),
        };
        let answer = question.answer()?;
        if let Some((cache, key)) = cache.zip(key) {
            cache.put(&borrowed(&key), &answer);
        }
        Some(answer)
    }
}

fn borrowed(key: &[String]) -> Vec<&str> {
    key.iter().map(String::as_str).collect()
}

impl Question {
    /// What git prints; `None` when it fails or is not there.
    pub(super) fn answer(self) -> Option<String> {
        let output = self.0?.wait_with_output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
