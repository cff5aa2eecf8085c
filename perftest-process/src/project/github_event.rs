//! The event that started a job of GitHub Actions, as GitHub describes it to the job.

use perftest_store::line::Fields;
use perftest_store::read_regular_text;
use std::path::Path;

/// Largest size of the description.
const MOST_BYTES: u64 = 64 << 20;

/// The description of the event.
#[derive(Debug)]
pub(super) struct GitHubEvent {
    text: String,
}

impl GitHubEvent {
    /// Reads the description that the variables name which `get` looks up; an empty one counts as unset. `None` outside
    /// of GitHub Actions, and where it cannot be read, as in some containers.
    pub(super) fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        get("GITHUB_ACTIONS")?;
        let text = read_regular_text(Path::new(&get("GITHUB_EVENT_PATH")?), MOST_BYTES).ok()?;
        Some(Self { text })
    }

    /// The default branch of the repository.
    pub(super) fn default_branch(&self) -> Option<String> {
        self.fields()?.object("repository").ok()??.get("default_branch").ok()?
    }

    /// The number of the pull request.
    pub(super) fn request_number(&self) -> Option<u64> {
        self.request()?.get("number").ok()?
    }

    /// Returns whether this is an event of a pull request from another repository, which may be deleted meanwhile.
    pub(super) fn is_of_fork(&self) -> bool {
        let request = self.request();
        let repository = |side: &str| -> Option<u64> {
            let repository = request.as_ref()?.object(side).ok()??.object("repo").ok()??;
            repository.get("id").ok()?
        };
        repository("base").is_some_and(|base| repository("head") != Some(base))
    }

    fn request(&self) -> Option<Fields<'_>> {
        self.fields()?.object("pull_request").ok()?
    }

    fn fields(&self) -> Option<Fields<'_>> {
        Fields::parse(self.text.as_bytes()).ok()
    }
}
