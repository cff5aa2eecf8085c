//! Questions to git. Each takes some milliseconds, in which something else can be done.
//!
//! What an answer depends on is its key: an answer that still holds is not asked for again.

use perftest_core::list::IntoList;
use perftest_process::{GitQuestion, git_command};
use perftest_store::Cache;
use std::path::Path;

/// Asks git in this directory.
pub(super) fn ask(directory: &Path, arguments: &[&str]) -> GitQuestion {
    let mut command = git_command(directory);
    command.arg("--no-optional-locks").args(arguments);
    GitQuestion::ask(command)
}

/// What git has answered to an earlier process, or is answering.
#[derive(Debug)]
pub(super) enum GitAnswer {
    Kept(String),
    /// With all that the answer depends on, if that is known.
    Pending(GitQuestion, Option<Vec<String>>),
}

impl GitAnswer {
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

    /// What git prints, kept from now on.
    ///
    /// # Errors
    /// A message that names the command, when git fails, hangs or is not there.
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
