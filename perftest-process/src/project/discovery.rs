//! Finds the project of a directory.

use super::git::has_any_commit;
use super::repository::{LONGEST_CHAIN, Repository, resolve};
use perftest_core::text::Text;
use perftest_store::{JsonlStore, Project, Store, recent_commits};
use std::fs;
use std::path::{Path, PathBuf};

/// The project that contains `start_dir`.
///
/// In a git repository the project is the address of the remote `origin`, without the parts that
/// differ between ways to reach it (scheme, user, port, `.git`). So every clone, worktree and
/// subdirectory gives the same answer, and so does a clone of a clone on this machine. Without an
/// origin the project is the directory of the repository; without a repository the outermost
/// directory with a `Cargo.toml`.
///
/// Reads only a few small files of git, and starts no process.
pub fn find_project(start_dir: &Path) -> Project {
    let start_dir = fs::canonicalize(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    match Repository::containing(&start_dir) {
        Some(repository) => of_origin(&original(repository, LONGEST_CHAIN)),
        None => of_directory(&outermost_package(&start_dir)),
    }
}

/// The project that contains `start_dir`, by the name under which a store has its history: that of the directory
/// of the repository, if the history began before the repository had an origin.
///
/// Asks git only if there is a history under that name, and none under the name of the origin.
pub fn find_project_in_store(root: &Path, start_dir: &Path) -> Project {
    let project = find_project(start_dir);
    let is_there = |project: &Project| project.directory(root).exists();
    let before = project_before_origin(start_dir).filter(|before| {
        !is_there(&project) && is_there(before) && has_history_of(before, root, start_dir)
    });
    before.unwrap_or(project)
}

/// As [`find_project_in_store`], after a history that began before the repository had an origin got the name that all
/// clones share.
pub fn adopt_project(root: &Path, start_dir: &Path) -> Project {
    let (found, project) = (find_project_in_store(root, start_dir), find_project(start_dir));
    if found == project {
        return project;
    }
    match fs::rename(found.directory(root), project.directory(root)) {
        Ok(()) => project,
        // It is read under its old name, or another process was faster.
        Err(_) => find_project_in_store(root, start_dir),
    }
}

/// Finds runs from before the repository had an origin that are still under the name of that time, beside those under
/// the name that all clones share. A process that ran while the origin was added has written them.
pub fn find_project_left_behind(root: &Path, start_dir: &Path) -> Option<Project> {
    let (before, project) = (project_before_origin(start_dir)?, find_project(start_dir));
    let is_there = |project: &Project| project.directory(root).exists();
    if before == project || !is_there(&before) || !is_there(&project) {
        return None;
    }
    let listed = JsonlStore::open(root, &before).list(None);
    let has_runs = listed.is_ok_and(|all| !all.series.value.is_empty());
    (has_runs && has_history_of(&before, root, start_dir)).then_some(before)
}

/// Returns whether a project named after a directory has the history of the repository that is there now: a commit of
/// its newest runs is in that repository, or they have no commit. Another repository may have been there before.
fn has_history_of(before: &Project, root: &Path, start_dir: &Path) -> bool {
    let commits = recent_commits(root, before);
    commits.is_empty() || has_any_commit(start_dir, &commits)
}

/// The project of `start_dir` as long as its repository has no origin; `None` where it has none to begin with.
fn project_before_origin(start_dir: &Path) -> Option<Project> {
    let start_dir = fs::canonicalize(start_dir).ok()?;
    let repository = Repository::containing(&start_dir)?;
    repository.origin().map(|_| of_directory(&repository.root))
}

/// Returns the repository from which `clone` came by clones on this machine.
fn original(clone: Repository, longest_chain: usize) -> Repository {
    let directory = clone.origin().map(|url| clone.root.join(url.trim_start_matches("file://")));
    let upstream = directory.and_then(|it| Repository::at(&fs::canonicalize(it).ok()?));
    match upstream.filter(|_| longest_chain > 0) {
        Some(upstream) => original(upstream, longest_chain - 1),
        None => clone,
    }
}

fn of_origin(repository: &Repository) -> Project {
    match repository.origin() {
        Some(url) => Project::of_identity(&normalise_url(&url, &repository.root)),
        None => of_directory(&repository.root),
    }
}

fn of_directory(directory: &Path) -> Project {
    Project::of_identity(&directory.to_string_lossy())
}

/// Returns the directory of the project around `start_dir`, in this clone and worktree: the root of
/// the git checkout, or else the outermost directory with a `Cargo.toml`.
pub fn project_root(start_dir: &Path) -> PathBuf {
    let start_dir = fs::canonicalize(start_dir).unwrap_or_else(|_| start_dir.to_owned());
    let checkout = start_dir.ancestors().find(|it| Repository::at(it).is_some());
    checkout.map_or_else(|| outermost_package(&start_dir), Path::to_owned)
}

/// Returns the same text for all ways to reach one repository, without credentials. A path is meant from `root`.
pub fn normalise_url(url: &str, root: &Path) -> String {
    let url = url.trim_end_matches('/');
    let url = url.strip_suffix(".git").unwrap_or(url).trim_end_matches('/');
    if let Some(path) = url.strip_prefix("file://") {
        return path.to_owned();
    }
    let host_and_path = match url.cut_at("://") {
        // A server may have its one repository at the root.
        Some((_, rest)) => Some(rest.cut('/').unwrap_or((rest, ""))),
        None => scp_like(url),
    };
    let Some((authority, path)) = host_and_path else {
        return resolve(root, url).to_string_lossy().into_owned();
    };
    let host = authority.cut_last('@').map_or(authority, |(_, host)| host);
    let host = host.cut(':').map_or(host, |(host, _port)| host);
    format!("{}/{}", host.to_lowercase(), path.trim_matches('/')).trim_end_matches('/').to_owned()
}

/// Splits `user@host:path`. A colon after a slash belongs to a path, and after a single letter to a
/// Windows drive.
fn scp_like(url: &str) -> Option<(&str, &str)> {
    url.cut(':').filter(|(host, _)| host.len() > 1 && !host.contains(['/', '\\']))
}

fn outermost_package(start_dir: &Path) -> PathBuf {
    let packages = start_dir.ancestors().filter(|directory| directory.join("Cargo.toml").is_file());
    packages.last().unwrap_or(start_dir).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_reach_a_repository_is_the_same_project() {
        for url in [
            "https://example.org/team/codec",
            "https://example.org/team/codec.git",
            "https://example.org/team/codec.git/",
            "https://user:secret@Example.ORG:443/team/codec.git",
            "git@example.org:team/codec.git",
            "git@example.org:/team/codec.git",
            "ssh://git@example.org:2222/team/codec.git",
            "git://example.org/team/codec",
        ] {
            assert_eq!(
                normalise_url(url, Path::new("/nowhere")),
                "example.org/team/codec",
                "{url}"
            );
        }
    }

    #[test]
    fn a_repository_at_the_root_of_a_server_is_named_without_its_credentials() {
        for url in [
            "https://bot:secret@git.internal/",
            "https://bot:secret@git.internal",
            "ssh://git@git.internal:22",
        ] {
            assert_eq!(normalise_url(url, Path::new("/nowhere")), "git.internal", "{url}");
        }
    }

    #[test]
    fn a_path_as_origin_is_that_path() {
        let root = Path::new("/nowhere/codec");
        assert_eq!(normalise_url("/srv/git/codec.git", root), "/srv/git/codec");
        assert_eq!(normalise_url("file:///srv/git/codec.git", root), "/srv/git/codec");
        assert_eq!(normalise_url("../upstream.git", root), "/nowhere/upstream");
    }
}
