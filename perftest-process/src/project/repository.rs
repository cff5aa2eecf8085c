//! A git repository, read from its own files without starting git.

use perftest_core::list::IntoList;
use perftest_core::text::Text;
use perftest_store::{file_state, read_regular_text};
use std::cell::OnceCell;
use std::fs;
use std::io::ErrorKind::NotFound;
use std::path::{Component, Path, PathBuf};

/// The name of the directory of git in a checkout, or of the file that names it.
const GIT_DIRECTORY: &str = ".git";

/// Longest chain of references to references, and of clones of clones.
pub(super) const LONGEST_CHAIN: usize = 5;

/// Largest file of git that is read: half a million references.
const LARGEST_FILE_BYTES: u64 = 64 << 20;

/// The parts of a git repository that this crate needs.
///
/// Source of the paths: gitrepository-layout(5).
#[derive(Debug)]
pub struct Repository {
    /// The main directory, also from another worktree.
    pub(crate) root: PathBuf,
    /// The directory of this worktree.
    git_dir: PathBuf,
    /// The directory of all worktrees.
    common_dir: PathBuf,
    /// Many references in one file, read once.
    packed: OnceCell<String>,
}

impl Repository {
    /// Finds the innermost repository around `start_dir`.
    pub fn containing(start_dir: &Path) -> Option<Self> {
        start_dir.ancestors().find_map(Self::at)
    }

    /// Whether git may find a repository around `start_dir`: something there has the name of its directory.
    pub fn may_contain(start_dir: &Path) -> bool {
        let has_entry = |it: &Path| fs::symlink_metadata(it.join(GIT_DIRECTORY));
        start_dir.ancestors().any(|it| !has_entry(it).is_err_and(|it| it.kind() == NotFound))
    }

    /// Whether the innermost directory of git around `start_dir` is elsewhere, as that of a worktree, also where it cannot
    /// be reached.
    pub fn is_linked(start_dir: &Path) -> bool {
        let mut entries = start_dir.ancestors().map(|it| (it, it.join(GIT_DIRECTORY)));
        let innermost = entries.find(|(_, entry)| fs::symlink_metadata(entry).is_ok());
        innermost.is_some_and(|(directory, entry)| linked_git_dir(directory, &entry).is_some())
    }

    /// Whether this is no worktree, and its directory of git is elsewhere, as that of a submodule.
    pub(crate) fn is_submodule(&self) -> bool {
        self.git_dir == self.common_dir && !self.git_dir.starts_with(&self.root)
    }

    pub(crate) fn at(directory: &Path) -> Option<Self> {
        let entry = directory.join(GIT_DIRECTORY);
        let git_dir = if entry.is_dir() { entry } else { linked_git_dir(directory, &entry)? };
        if !git_dir.join("HEAD").is_file() {
            return None;
        }
        let Some(common) = text_of(&git_dir.join("commondir")) else {
            return Some(Self::new(directory.to_owned(), git_dir.clone(), git_dir));
        };
        let common_dir = resolve(&git_dir, common.trim());
        let is_beside_files = common_dir.file_name().is_some_and(|name| name == GIT_DIRECTORY);
        let root = if is_beside_files { common_dir.parent()? } else { &common_dir };
        Some(Self::new(root.to_owned(), git_dir, common_dir))
    }

    fn new(root: PathBuf, git_dir: PathBuf, common_dir: PathBuf) -> Self {
        Self { root, git_dir, common_dir, packed: OnceCell::new() }
    }

    pub(crate) fn origin(&self) -> Option<String> {
        origin_url(&text_of(&self.common_dir.join("config"))?)
    }

    /// Returns the commit that is checked out; `None` if there is none, or only git can find it.
    pub fn head(&self) -> Option<String> {
        self.keeps_files().then(|| self.commit_of("HEAD", LONGEST_CHAIN)).flatten()
    }

    /// Returns the existing ones of these references, one a line: the name, the commit and the
    /// target of a symbolic reference. `git for-each-ref` answers the question of
    /// [`DefaultBranch`](crate::DefaultBranch) in the same form. `None` if only git can answer.
    pub fn references(&self, names: &[String]) -> Option<String> {
        if !self.keeps_files() {
            return None;
        }
        let line = |name: &String| {
            let commit = self.commit_of(name, LONGEST_CHAIN)?;
            let target = self.target_of(name).unwrap_or_default();
            Some(format!("{name} {commit} {target}\n"))
        };
        Some(names.iter().filter_map(line).joined(""))
    }

    /// The commits at which a shallow clone ends: a later fetch may add those behind them.
    pub fn shallow_commits(&self) -> String {
        text_of(&self.common_dir.join("shallow")).unwrap_or_default()
    }

    /// A value that changes whenever files are added or committed; `None` if it is unknown.
    pub fn index_state(&self) -> Option<String> {
        file_state(&fs::metadata(self.git_dir.join("index")).ok()?)
    }

    /// Returns whether references are files, and not tables of another format.
    fn keeps_files(&self) -> bool {
        !self.common_dir.join("reftable").exists()
    }

    fn commit_of(&self, name: &str, chain: usize) -> Option<String> {
        if let Some(target) = self.target_of(name) {
            return self.commit_of(&target, chain.checked_sub(1)?);
        }
        let commit = self.loose(name).or_else(|| self.packed(name))?;
        let is_commit = commit.len() >= 40 && commit.bytes().all(|it| it.is_ascii_hexdigit());
        is_commit.then_some(commit)
    }

    /// Returns the target of a symbolic reference.
    fn target_of(&self, name: &str) -> Option<String> {
        Some(self.loose(name)?.strip_prefix("ref:")?.trim().to_owned())
    }

    fn loose(&self, name: &str) -> Option<String> {
        let is_inside = |it| matches!(it, Component::Normal(_));
        let directory = if name == "HEAD" { &self.git_dir } else { &self.common_dir };
        let text = Path::new(name).components().all(is_inside).then(|| directory.join(name))?;
        Some(text_of(&text)?.trim().to_owned())
    }

    /// Finds a line `commit name`; comments and peeled tags begin differently.
    fn packed(&self, name: &str) -> Option<String> {
        let file = self.common_dir.join("packed-refs");
        let packed = self.packed.get_or_init(|| text_of(&file).unwrap_or_default());
        let commit = |line: &str| Some(line.strip_suffix(name)?.strip_suffix(' ')?.to_owned());
        packed.each_line().find_map(commit)
    }
}

/// Returns the text of a file of git; `None` if it is no readable text, such as a pipe.
fn text_of(file: &Path) -> Option<String> {
    read_regular_text(file, LARGEST_FILE_BYTES).ok()
}

/// Reads the file `.git` of a worktree or submodule, which contains the path of its directory.
fn linked_git_dir(directory: &Path, entry: &Path) -> Option<PathBuf> {
    let text = text_of(entry)?;
    Some(resolve(directory, text.strip_prefix("gitdir:")?.trim()))
}

/// Resolves `path` against `base`, without `..`.
pub(crate) fn resolve(base: &Path, path: &str) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in base.join(path).components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    fs::canonicalize(&resolved).unwrap_or(resolved)
}

/// Returns the first `url` of the section `[remote "origin"]` in a git configuration: git fetches from that one, and
/// only pushes to further ones, such as a mirror.
fn origin_url(config: &str) -> Option<String> {
    let mut in_origin = false;
    for line in config.each_line().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line.replace(char::is_whitespace, "").starts_with("[remote\"origin\"]");
        } else if in_origin
            && let Some((key, value)) = line.cut('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            let value = value.trim();
            let unquoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            let url = unquoted.unwrap_or(value);
            return (!url.is_empty()).then(|| url.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::git::git_of_tests;
    use perftest_store::conformance::scratch;
    use std::process::Command;

    #[test]
    fn the_origin_is_read_from_the_text_of_a_configuration() {
        let config = "[core]\n\tbare = false\n[remote \"fork\"]\n\turl = https://a.org/fork\n\
                      [remote \"origin\"]\n\tfetch = +refs/*\n\tURL = https://a.org/x=y.git\n\
                      [branch \"main\"]\n\turl = no\n";
        assert_eq!(origin_url(config).as_deref(), Some("https://a.org/x=y.git"));
        assert_eq!(origin_url("[remote \"fork\"]\n\turl = x\n"), None);
        assert_eq!(origin_url("not a configuration"), None);
    }

    #[test]
    fn a_mirror_that_is_pushed_to_is_not_the_origin() {
        let config = "[remote \"origin\"]\n\turl = https://a.org/x\n\turl = https://b.org/mirror\n\
                      [remote \"origin\"]\n\turl = https://c.org/mirror\n";
        assert_eq!(origin_url(config).as_deref(), Some("https://a.org/x"));
    }

    /// Runs git in a directory, and returns its output.
    fn git(directory: &Path, arguments: &[&str]) -> String {
        let arguments = [&["-c", "gc.auto=0"], arguments].concat();
        let output = git_of_tests(directory).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn commit(directory: &Path, message: &str) {
        git(directory, &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Returns git's answer, and ours.
    fn both(directory: &Path, names: &[&str]) -> (String, Option<String>) {
        let format = "--format=%(refname) %(objectname) %(symref)";
        let asked = git(directory, &[&["for-each-ref", format][..], names].concat());
        let mut asked: Vec<String> = asked.lines().map(|line| format!("{line}\n")).collect();
        let place = |line: &String| names.iter().position(|it| line.starts_with(&format!("{it} ")));
        asked.sort_by_key(place);
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        (asked.concat(), Repository::containing(directory).unwrap().references(&names))
    }

    const NAMES: [&str; 5] = [
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/heads/main",
        "refs/remotes/origin/trunk",
        "refs/heads/topic/one",
    ];

    #[test]
    fn references_are_read_as_git_answers_loose_packed_and_in_a_worktree() {
        let root = scratch("repository-references");
        let (origin, clone, worktree) = (root.join("o"), root.join("c"), root.join("w"));
        fs::create_dir_all(&origin).unwrap();
        git(&origin, &["init", "-q", "-b", "main"]);
        commit(&origin, "one");
        git(&root, &["clone", "-q", "o", "c"]);
        git(&clone, &["checkout", "-q", "-b", "topic/one"]);
        commit(&clone, "two");
        git(&clone, &["worktree", "add", "-q", "--detach", "../w", "main"]);
        for packs in [false, true] {
            if packs {
                git(&clone, &["pack-refs", "--all"]);
            }
            for directory in [&clone, &worktree] {
                let (asked, read) = both(directory, &NAMES);
                assert_eq!(asked.lines().count(), 4, "{asked}");
                assert_eq!(read.unwrap(), asked, "packed: {packs}");
                let head = Repository::containing(directory).unwrap().head();
                assert_eq!(head.unwrap(), git(directory, &["rev-parse", "HEAD"]).trim());
            }
        }
        commit(&clone, "three");
        let (asked, read) = both(&clone, &NAMES);
        assert_eq!(read.unwrap(), asked, "a loose one counts more than a packed one");
    }

    #[test]
    fn whatever_has_the_name_of_the_directory_of_git_may_be_a_repository() {
        assert!(!Repository::may_contain(Path::new("nowhere/below")));
        let root = scratch("repository-entry");
        let below = root.join("a/b");
        fs::create_dir_all(&below).unwrap();
        fs::write(root.join(GIT_DIRECTORY), "no path").unwrap();
        assert!(Repository::containing(&below).is_none(), "only git knows what it is");
        assert!(Repository::may_contain(&below));
    }

    #[test]
    fn a_repository_without_a_commit_has_no_head_and_no_reference() {
        let root = scratch("repository-initial");
        git(&root, &["init", "-q", "-b", "main"]);
        let repository = Repository::containing(&root).unwrap();
        assert_eq!(repository.head(), None);
        assert_eq!(repository.references(&["refs/heads/main".to_owned()]).unwrap(), "");
    }

    #[test]
    fn a_name_that_leads_elsewhere_and_a_ring_are_no_references() {
        let root = scratch("repository-odd");
        git(&root, &["init", "-q", "-b", "main"]);
        fs::write(root.join("outside"), "1".repeat(40)).unwrap();
        fs::write(root.join(".git/refs/heads/a"), "ref: refs/heads/b\n").unwrap();
        fs::write(root.join(".git/refs/heads/b"), "ref: refs/heads/a\n").unwrap();
        let repository = Repository::containing(&root).unwrap();
        let names = ["../outside", "refs/heads/../../../outside", "refs/heads/a", ""];
        assert_eq!(repository.references(&names.map(str::to_owned)).unwrap(), "");
    }

    #[test]
    fn references_of_another_format_are_left_to_git() {
        let root = scratch("repository-tables");
        git(&root, &["init", "-q", "-b", "main"]);
        fs::create_dir(root.join(".git/reftable")).unwrap();
        let repository = Repository::containing(&root).unwrap();
        assert_eq!((repository.head(), repository.references(&[])), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_file_of_git_is_as_no_file_and_is_not_waited_for() {
        let root = scratch("repository-pipes");
        git(&root, &["init", "-q", "-b", "main"]);
        commit(&root, "one");
        let head = git(&root, &["rev-parse", "HEAD"]);
        for name in ["commondir", "config", "packed-refs", "shallow"] {
            let place = root.join(".git").join(name);
            let _ = fs::remove_file(&place);
            assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
        }
        let repository = Repository::containing(&root).unwrap();
        assert_eq!(repository.head().unwrap(), head.trim());
        assert_eq!((repository.origin(), repository.shallow_commits()), (None, String::new()));
        assert_eq!(repository.references(&["refs/heads/other".to_owned()]).unwrap(), "");
    }
}
