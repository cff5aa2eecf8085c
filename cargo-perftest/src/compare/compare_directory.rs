//! The directory in which both sides are checked out and built.

use super::SourceRevision;
use super::build_scripts::run_build_scripts_again;
use crate::directory_lock::{DIRECTORY_LOCK, lock_directory, lock_if_free};
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::report::print_progress;
use perftest_core::judge::Side;
use perftest_store::Digest;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file with the path of the checkout.
const CHECKOUT_FILE: &str = "checkout";

/// The file that a checkout gets of an uncommitted one.
const LOCK_FILE: &str = "Cargo.lock";

/// A directory of the user's cache for the comparisons of one checkout. Locked while this exists.
///
/// It is outside the repository: cargo's settings there belong to one revision, and must not affect
/// the other one.
#[derive(Debug)]
pub(crate) struct CompareDirectory {
    root: PathBuf,
    _lock: File,
}

/// The part of the directory for one side. It stays after the comparison, so that the next one
/// builds only changes.
#[derive(Debug)]
pub(super) struct SideDirectory {
    /// The directory of the side. Both sides' names have the same length, so that paths do not make equal
    /// executables different.
    pub(super) root: PathBuf,
}

impl CompareDirectory {
    /// Locks the directory for this checkout; waits while another comparison uses it.
    pub(crate) fn of(repository: &GitCheckout) -> Result<Self> {
        let cache = directories::ProjectDirs::from("", "", "perftest").ok_or_else(|| {
            CommandError::Usage(
                "the user has no home directory, and so no place to build in".into(),
            )
        })?;
        let identity = repository.root.to_string_lossy();
        let name = repository.root.file_name().map_or_else(String::new, plain);
        let name = format!("{name}-{}", Digest::of(identity.as_bytes()).hex8());
        let all = cache.cache_dir().join("compare");
        fs::create_dir_all(&all).map_err(|error| cannot("write", &all, &error))?;
        // Cargo writes the path without links into executables. Windows has a form for such paths that cargo refuses.
        let all = if cfg!(unix) { fs::canonicalize(&all).unwrap_or(all) } else { all };
        let root = all.join(name);
        Self::at(root, repository)
    }

    fn at(root: PathBuf, repository: &GitCheckout) -> Result<Self> {
        let failed = |error| cannot("write", &root, &error);
        let lock = lock_directory(&root, "comparison of this checkout").map_err(failed)?;
        if let Some(checkout) = repository.root.to_str() {
            fs::write(root.join(CHECKOUT_FILE), checkout).map_err(failed)?;
        }
        Ok(Self { root, _lock: lock })
    }

    pub(super) fn side(&self, side: Side) -> SideDirectory {
        let name = match side {
            Side::Base => "base",
            Side::Head => "head",
        };
        SideDirectory { root: self.root.join(name) }
    }

    pub(super) fn sides(&self) -> [SideDirectory; 2] {
        [Side::Base, Side::Head].map(|side| self.side(side))
    }

    /// A file that only this comparison uses.
    pub(crate) fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// Removes all checkouts and builds of this checkout, and those of checkouts that are gone.
    pub(crate) fn clean(self, repository: &GitCheckout) -> Result<()> {
        for side in self.sides() {
            // A killed checkout is locked, and git would not forget it. Any other has no lock to give up.
            let source = side.source();
            let _ = repository.git_work(&[], &["worktree", "unlock", &source.to_string_lossy()]);
        }
        remove_content(&self.root)?;
        for gone in self.builds_of_gone_checkouts() {
            // Another process may be at work in it.
            let Some(_lock) = lock_if_free(&gone) else { continue };
            // It may be that of another user, as of one in a container.
            if let Err(why) = remove_content(&gone) {
                print_progress(&format_args!("note: {why}"));
            }
        }
        // This makes git forget checkouts that are gone.
        repository.git_work(&[], &["worktree", "prune"]).map(drop)
    }

    /// Returns the directories beside this one whose checkouts do not exist any more.
    fn builds_of_gone_checkouts(&self) -> Vec<PathBuf> {
        let is_gone = |directory: &PathBuf| {
            let checkout = fs::read_to_string(directory.join(CHECKOUT_FILE));
            checkout.is_ok_and(|it| Path::new(&it).try_exists().is_ok_and(|exists| !exists))
        };
        let beside = self.root.parent().and_then(|all| fs::read_dir(all).ok());
        let directories = beside.into_iter().flatten().flatten().map(|it| it.path());
        directories.filter(is_gone).collect()
    }
}

impl SideDirectory {
    /// The directory of the sources.
    pub(super) fn source(&self) -> PathBuf {
        self.root.join("source")
    }

    /// Cargo's target directory.
    pub(super) fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    /// Checks the revision out. Files that did not change keep their times, so that cargo need not
    /// build them again. A new side starts with the builds of `other`.
    pub(super) fn check_out(
        &self,
        revision: &SourceRevision,
        repository: &GitCheckout,
        other: &Self,
    ) -> Result<()> {
        let source = self.source();
        if !source.exists() && !self.target().exists() && other.target().is_dir() {
            seed(&self.target(), &other.target());
        }
        let is_switched = GitCheckout::around(&source)
            .ok()
            .filter(|present| is_known_at(&source, present))
            .is_some_and(|present| switch(&present, &revision.commit).is_ok());
        if !is_switched {
            // This checkout belongs to another repository at the same path, or is damaged.
            let _ = fs::remove_dir_all(&source);
            let path = source.to_string_lossy();
            // Twice: git keeps what a killed checkout has left locked.
            let add = ["worktree", "add", "--quiet", "--force", "--force", "--detach"];
            repository.git_work(&[], &[&add[..], &[&path, &revision.commit]].concat())?;
        }
        self.bring_lock_file(repository).map_err(|error| cannot("write", &source, &error))
    }

    /// Copies an uncommitted lock file, so that both sides have the same versions of their dependencies.
    fn bring_lock_file(&self, repository: &GitCheckout) -> io::Result<()> {
        for below in repository.below.ancestors() {
            let name = below.join(LOCK_FILE);
            let (here, there) = (repository.root.join(&name), self.source().join(&name));
            let has_directory = there.parent().is_some_and(Path::is_dir);
            if here.is_file() && !there.exists() && has_directory {
                fs::copy(here, there)?;
            }
        }
        Ok(())
    }
}

/// Removes all but the lock: others may wait for it, and would hold one that nobody sees.
fn remove_content(root: &Path) -> Result<()> {
    let removed = fs::read_dir(root).and_then(|mut entries| {
        entries.try_for_each(|entry| {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path()),
                false if entry.file_name() == DIRECTORY_LOCK => Ok(()),
                false => fs::remove_file(entry.path()),
            }
        })
    });
    removed.map_err(|error| cannot("remove", root, &error))
}

/// Switches a checkout to this commit, and removes what is not of it.
fn switch(checkout: &GitCheckout, commit: &str) -> Result<()> {
    checkout.git_work(&[], &["checkout", "--quiet", "--force", "--detach", commit])?;
    let removed = checkout.git_work(&[], &["clean", "-ffdx"])?;
    // A build script may have written among the sources. Cargo does not notice that its files are gone.
    let is_lock_file = |line: &str| line.ends_with(LOCK_FILE);
    if removed.lines().all(is_lock_file) { Ok(()) } else { run_build_scripts_again(checkout) }
}

/// Returns whether this is a checkout at this path that git knows. After the repository was
/// recreated, an old checkout may refer to the other side's.
fn is_known_at(source: &Path, present: &GitCheckout) -> bool {
    let same = |a: &Path, b: &Path| {
        let [a, b] = [a, b].map(fs::canonicalize);
        a.is_ok_and(|a| b.is_ok_and(|b| a == b))
    };
    let known = present.own_file("gitdir").ok().and_then(|file| named_in(&file));
    same(source, &present.root) && known.is_some_and(|known| same(&known, &source.join(".git")))
}

/// Returns the path in a file of git. With `worktree.useRelativePaths` it is relative to the directory of the file.
fn named_in(file: &Path) -> Option<PathBuf> {
    let path = fs::read_to_string(file).ok()?;
    Some(file.parent()?.join(path.trim_end()))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> CommandError {
    let path = path.display();
    CommandError::Usage(format!(
        "perftest cannot {what} `{path}`, where revisions are built: {error}"
    ))
}

/// Keeps the characters of a name that every file system allows.
fn plain(name: &std::ffi::OsStr) -> String {
    let text = name.to_string_lossy();
    text.chars().filter(|it| it.is_ascii_alphanumeric() || "-_".contains(*it)).collect()
}

/// Copies what the other side has built to a new side.
///
/// Only before the sources of the new side are written: all of them are then newer than what is
/// copied, and cargo builds again what is compiled from them. Dependencies keep their times and
/// stay. Copies, as cargo writes into some files in place.
pub(super) fn seed(target: &Path, built: &Path) {
    // Half of it, left by a call that was interrupted, must not be taken for all.
    let unfinished = target.with_file_name("seed");
    let _ = fs::remove_dir_all(&unfinished);
    let copied = copy(built, &unfinished);
    if copied.and_then(|()| fs::rename(&unfinished, target)).is_err() {
        // Then cargo builds all of it.
        let _ = fs::remove_dir_all(&unfinished);
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
            continue;
        }
        fs::copy(&from, &to)?;
        let times = FileTimes::new().set_modified(entry.metadata()?.modified()?);
        File::options().append(true).open(&to)?.set_times(times)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_process::git_command;

    /// A repository in `root`, and its directory.
    fn compared(root: &Path, name: &str) -> (GitCheckout, CompareDirectory) {
        let project = root.join(name);
        fs::create_dir_all(&project).unwrap();
        git_command(&project).args(["init", "--quiet"]).status().unwrap();
        let checkout = GitCheckout::around(&project).unwrap();
        let place = CompareDirectory::at(root.join("compare").join(name), &checkout).unwrap();
        fs::create_dir_all(place.side(Side::Base).target()).unwrap();
        (checkout, place)
    }

    fn names_in(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn whoever_waits_for_a_directory_that_is_cleaned_has_the_lock_that_others_see() {
        let root = tempfile::tempdir().unwrap();
        let (checkout, place) = compared(root.path(), "project");
        let builds = place.root.clone();
        fs::write(place.index(), "").unwrap();
        let waiting = File::open(builds.join(DIRECTORY_LOCK)).unwrap();
        place.clean(&checkout).unwrap();
        assert_eq!(names_in(&builds), [DIRECTORY_LOCK]);
        waiting.lock().unwrap();
        assert!(lock_if_free(&builds).is_none());
    }

    #[test]
    fn builds_of_checkouts_that_are_gone_are_removed_with_the_own_and_others_stay() {
        let root = tempfile::tempdir().unwrap();
        let [gone, busy, other] = ["gone", "busy", "other"].map(|it| compared(root.path(), it).1);
        let [of_gone, of_busy, of_other] = [&gone, &busy, &other].map(|it| it.root.clone());
        drop((gone, other));
        for project in ["gone", "busy"] {
            fs::remove_dir_all(root.path().join(project)).unwrap();
        }
        let (checkout, own) = compared(root.path(), "own");
        own.clean(&checkout).unwrap();
        assert_eq!(names_in(&of_gone), [DIRECTORY_LOCK]);
        assert_eq!([of_busy, of_other].map(|it| names_in(&it).len()), [3; 2]);
        drop(busy);
    }

    /// As of a container whose user is root. Whoever is root here can remove all.
    #[cfg(unix)]
    #[test]
    fn builds_that_another_user_protects_stay_and_the_rest_is_removed() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let protected = compared(root.path(), "gone").1.side(Side::Base).root;
        fs::remove_dir_all(root.path().join("gone")).unwrap();
        let set_mode = |mode| fs::set_permissions(&protected, PermissionsExt::from_mode(mode));
        set_mode(0o555).unwrap();
        let (checkout, own) = compared(root.path(), "own");
        let builds = own.root.clone();
        own.clean(&checkout).unwrap();
        assert_eq!(names_in(&builds), [DIRECTORY_LOCK]);
        let _ = set_mode(0o755);
    }

    #[test]
    fn a_checkout_whose_paths_are_relative_is_known() {
        let root = tempfile::tempdir().unwrap();
        let (repository, source) = (root.path().join("project"), root.path().join("source"));
        fs::create_dir(&repository).unwrap();
        let git = |arguments: &[&str]| {
            let person = ["-c", "user.name=a", "-c", "user.email=a"];
            let mut git = git_command(&repository);
            git.env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
            let status = git.args(person).args(arguments).status();
            assert!(status.unwrap().success(), "{arguments:?}");
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
        git(&["worktree", "add", "--quiet", "--detach", &source.to_string_lossy()]);
        let is_known = || is_known_at(&source, &GitCheckout::around(&source).unwrap());
        assert!(is_known());
        let file = repository.join(".git/worktrees/source/gitdir");
        fs::write(&file, "../../../../source/.git\n").unwrap();
        assert!(is_known());
        fs::write(&file, "../../../../other/.git\n").unwrap();
        assert!(!is_known());
    }
}
