//! Finds the history of a repository under another project.

use crate::{JsonlStore, Project, Store};
use perftest_core::list::IntoList;
use perftest_core::model::Run;
use perftest_core::order::sort;
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
        let runs = recent_runs(other).into_iter();
        let of_repository = runs.filter(|run| has_commit(run) && is_known(&run.revision.commit));
        of_repository.map(|run| run.started_ms).max()
    };
    let dated = others.filter_map(|other| Some((newest(&other)?, other)));
    let former = dated.max_by_key(|(started_ms, _)| *started_ms);
    former.map(|(_, other)| other.project().clone())
}

/// Returns the commits of a project's newest runs, each once. Skips what cannot be read.
pub fn recent_commits(root: &Path, project: &Project) -> Vec<String> {
    let runs = recent_runs(&JsonlStore::open(root, project)).into_iter().filter(has_commit);
    let mut commits = runs.map(|run| run.revision.commit).into_list();
    sort(&mut commits);
    commits.dedup();
    commits
}

fn recent_runs(store: &JsonlStore) -> Vec<Run> {
    let Ok(histories) = store.list(None) else { return Vec::new() };
    let histories = histories.series.value.into_iter().take(HISTORIES);
    let runs = histories.filter_map(|series| store.load(&series.query(RUNS)).ok());
    runs.flat_map(|history| history.value.runs).into_list()
}

fn has_commit(run: &Run) -> bool {
    !run.revision.commit.is_empty()
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
