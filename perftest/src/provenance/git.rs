//! Questions to git. Each takes some milliseconds, in which the caller can do other work.
//!
//! The inputs of an answer are its key: an answer that is still valid is not requested again.

use perftest_core::list::IntoList;
use perftest_process::{GitQuestion, git_command};
use perftest_store::Cache;
use std::path::Path;

/// Starts git in this directory.
fn ask(directory: &Path, arguments: &[&str]) -> GitQuestion {
    let mut command = git_command(directory);
    command.arg("--no-optional-locks").args(arguments);
    GitQuestion::ask(command)
}

/// A cached answer of git, or a running question.
#[derive(Debug)]
pub(super) enum GitAnswer {
    Kept(String),
    /// A running question, with all inputs of the answer if they are known.
    Pending(GitQuestion, Option<Vec<String>>),
}

impl GitAnswer {
    /// Asks unless the answer is cached. Without a key or a cache nothing is cached.
    pub(super) fn find(
        directory: &Path,
        arguments: &[&str],
        key: Option<Vec<String>>,
        cache: Option<&Cache>,
    ) -> Self {
        let kept = cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(&borrowed(key)));
        kept.map_or_else(|| Self::Pending(ask(directory, arguments), key), Self::Kept)
    }

    /// Returns git's output, and caches it.
    ///
    /// # Errors
    /// A message with the command, when git fails, hangs or is missing.
    pub(super) fn get(self, cache: Option<&Cache>) -> Result<String, String> {
        let (question, key) = match self {
            Self::Kept(answer) => return Ok(answer),
            Self::Pending(question, key) => (question, key),
        };
        let answer = question.answer(GitQuestion::LONGEST)?;
        if let Some((cache, key)) = cache.zip(key) {
            cache.put(&borrowed(&key), &answer);
        }
        Ok(answer)
    }
}

fn borrowed(key: &[String]) -> Vec<&str> {
    key.iter().map(String::as_str).into_list()
}
