//! Finds the history of a repository under another project.

use crate::{JsonlStore, Project, Store};
use perftest_core::model::Run;
use std::path::Path;

/// Histories of a project that are looked at.
const HISTORIES: usize = 3;
/// Newest runs of a history that are looked at: some may be of commits that were never merged.
const RUNS: usize = 20;

/// Returns another project of the store that has runs of known commits: the history of this repository from before
/// it was moved, or that of a fork. Of several projects, the one with the newest such run. Skips what cannot be read.
pub fn find_former_project(
    root: &Path,
    project: &Project,
    is_known: impl Fn(&str) -> bool,
) -> Option<Project> {
    let others = JsonlStore::all_below(root).ok()??;
    let others = others.into_iter().filter(|other| other.project().slug != project.slug);
    let newest = |other: &JsonlStore| {
        let histories = other.list(None).ok()?.series.value;
        let runs = histories.iter().take(HISTORIES);
        let runs = runs.filter_map(|series| other.load(&series.query(RUNS)).ok());
        let runs = runs.flat_map(|history| history.value.runs);
        let is_of_repository = |run: &Run| {
            let commit = &run.revision.commit;
            !commit.is_empty() && is_known(commit)
        };
        runs.filter(is_of_repository).map(|run| run.started_ms).max()
    };
    let dated = others.filter_map(|other| Some((newest(&other)?, other)));
    let former = dated.max_by_key(|(started_ms, _)| *started_ms);
    former.map(|(_, other)| other.project().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{example_run, scratch};

    #[test]
    fn the_project_with_the_newest_run_of_a_known_commit_is_found_and_no_other() {
        let root = scratch("former-project");
        let [own, older, newer, foreign] =
            ["own", "older", "newer", "foreign"].map(Project::of_identity);
        let record = |project: &Project, ordinal, commit: &str| {
            let mut run = example_run(ordinal);
            run.revision.commit = commit.to_owned();
            JsonlStore::open(&root, project).append(&run).unwrap();
        };
        let found = || {
            let found = find_former_project(&root, &own, |commit| commit == "known");
            found.map(|project| project.slug)
        };
        record(&own, 1, "known");
        record(&foreign, 9, "unknown");
        record(&foreign, 10, "");
        assert_eq!(found(), None);
        record(&older, 2, "known");
        record(&older, 3, "of a branch");
        assert_eq!(found(), Some(older.slug.clone()));
        record(&newer, 4, "known");
        assert_eq!(found(), Some(newer.slug.clone()));
    }
}
