//! Files that a test may read while it runs. Its machine code does not show them.

use super::{SideTest, SourceRevision};
use crate::exit::Result;
use crate::git_checkout::GitCheckout;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Files that only cargo, rustup, perftest and other tools read.
const OF_TOOLS: [&str; 13] = [
    "Cargo.toml",
    "Cargo.lock",
    "clippy.toml",
    "deny.toml",
    "Dockerfile",
    "Justfile",
    "justfile",
    "Makefile",
    "perf-accept.jsonl",
    "perftest.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "rustfmt.toml",
];
/// How the names of files for people begin.
const FOR_PEOPLE: [&str; 4] = ["CHANGELOG", "COPYING", "LICENSE", "README"];
/// Directories of the repository that no test reads, unless it is of a package there.
const NOT_OF_TESTS: [&str; 3] = ["ci/", "docs/", "scripts/"];

/// The files that differ between the sides and that tests may read.
#[derive(Debug, Default)]
pub(super) struct DataFiles {
    /// One for each directory in which all tests may read it: a package with perf tests, or the whole repository.
    by_directory: BTreeMap<PathBuf, String>,
    /// The directories of the sources of both sides.
    sources: Vec<PathBuf>,
}

impl DataFiles {
    /// Finds the files that differ. `packages` are the directories of packages with perf tests, below those of `sources`.
    ///
    /// # Errors
    /// When git does not list what differs.
    pub(super) fn between(
        repository: &GitCheckout,
        base: &SourceRevision,
        head: &SourceRevision,
        packages: &BTreeSet<PathBuf>,
        sources: [PathBuf; 2],
    ) -> Result<Self> {
        let commits = [base.commit.as_str(), &head.commit];
        let question = ["diff-tree", "-r", "--name-only", "-z", "--ignore-submodules"];
        let changed = repository.git(&[&question[..], &commits].concat())?;
        let untracked = match head.is_dirty {
            true => {
                let question = ["ls-files", "--others", "--exclude-standard", "-z"];
                repository.git_work(&[], &question)?
            }
            false => String::new(),
        };
        let untracked = untracked.split_terminator('\0').collect();
        let data = Self::of(changed.split_terminator('\0'), &untracked, packages);
        Ok(Self { sources: sources.into(), ..data })
    }

    /// Keeps the files that tests may read.
    fn of<'a>(
        changed: impl IntoIterator<Item = &'a str>,
        untracked: &HashSet<&str>,
        packages: &BTreeSet<PathBuf>,
    ) -> Self {
        let mut data = Self::default();
        for file in changed.into_iter().filter(|file| is_data(file)) {
            let around = Path::new(file).ancestors().skip(1).find(|it| packages.contains(*it));
            let is_in_root = !file.contains('/');
            // What a run or a tool left behind is no data.
            let is_left_behind = untracked.contains(file) && (is_in_root || around.is_none());
            let is_of_root = around.is_none_or(|it| it == Path::new(""));
            let is_of_nobody = is_of_root && NOT_OF_TESTS.iter().any(|it| file.starts_with(it));
            if !is_left_behind && !is_of_nobody {
                let directory = around.unwrap_or(Path::new("")).to_owned();
                data.by_directory.entry(directory).or_insert_with(|| file.to_owned());
            }
        }
        data
    }

    /// Returns a file that differs and that this test may read on a side.
    pub(super) fn of_test(&self, base: &SideTest, head: &SideTest) -> Option<&str> {
        let tests = [base, head].into_iter().zip(&self.sources);
        let mut packages = tests.map(|(test, source)| below(source, test.directory()));
        packages.find_map(|package| self.of_package(package))
    }

    fn of_package(&self, package: &Path) -> Option<&str> {
        package.ancestors().find_map(|it| self.by_directory.get(it)).map(String::as_str)
    }
}

/// The path of a package below the root of its sources.
pub(super) fn below<'a>(source: &Path, package: &'a Path) -> &'a Path {
    package.strip_prefix(source).unwrap_or(Path::new(""))
}

/// Whether a test may read a file of this name. Hidden files are those of CI systems, editors and cargo, whose variables
/// are compared. Sources are compiled, and show in the machine code.
fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let is_source = name.ends_with(".rs") || name.ends_with(".md");
    let is_for_people = FOR_PEOPLE.iter().any(|it| name.starts_with(it));
    !is_hidden && !is_source && !is_for_people && !OF_TOOLS.contains(&name)
}

#[cfg(test)]
impl DataFiles {
    /// These files, each read by all tests.
    pub(super) fn of_all(changed: &[&str]) -> Self {
        let data = Self::of(changed.iter().copied(), &HashSet::new(), &[PathBuf::new()].into());
        Self { sources: vec!["/w".into(); 2], ..data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_body_may_read_is_data_and_what_cargo_ci_and_people_read_is_none() {
        for file in ["rules/grammar.json", "words.txt", "tests/data/Cargo.toml.in", "a/docs/b.svg"]
        {
            assert!(is_data(file), "{file}");
        }
        for file in [
            "src/lib.rs",
            "a/Cargo.toml",
            "Cargo.lock",
            "docs/guide.md",
            "LICENSE-MIT",
            "CHANGELOG",
            "deny.toml",
            "justfile",
            ".github/workflows/ci.yml",
            ".cargo/config.toml",
            "a/.gitignore",
            "perftest.toml",
            "perf-accept.jsonl",
        ] {
            assert!(!is_data(file), "{file}");
        }
    }

    /// Which of the packages `a`, `a/inside` and `b` may read a file that differs; `root` if that one has perf tests too.
    fn readers(file: &str, root: Option<&str>, untracked: bool) -> Vec<&'static str> {
        let all = ["a", "a/inside", "b"];
        let packages = all.into_iter().chain(root).map(PathBuf::from).collect();
        let untracked = untracked.then_some(file).into_iter().collect();
        let data = DataFiles::of([file], &untracked, &packages);
        all.into_iter().filter(|it| data.of_package(Path::new(it)) == Some(file)).collect()
    }

    #[test]
    fn a_file_counts_for_the_package_around_it_those_inside_and_without_one_for_all() {
        let all = ["a", "a/inside", "b"];
        for root in [None, Some("")] {
            assert_eq!(readers("a/words.txt", root, false), ["a", "a/inside"]);
            assert_eq!(readers("a/inside/words.txt", root, false), ["a/inside"]);
            for file in ["testdata/words.txt", "without-tests/words.txt"] {
                assert_eq!(readers(file, root, false), all);
            }
        }
        for root in [None, Some("")] {
            assert_eq!(readers("words.txt", root, false), all);
            for file in ["docs/plot.svg", "ci/test.sh", "scripts/words.txt"] {
                assert!(readers(file, root, false).is_empty(), "{file}");
            }
        }
        let data = |package: &str| {
            let packages = [PathBuf::from(package)].into();
            DataFiles::of(["scripts/words.txt"], &HashSet::new(), &packages)
        };
        assert!(data("scripts").of_package(Path::new("scripts")).is_some(), "a package there");
    }

    #[test]
    fn what_git_does_not_know_counts_in_packages_and_not_in_the_root_of_the_repository() {
        assert_eq!(readers("a/words.txt", None, true), ["a", "a/inside"]);
        assert_eq!(readers("corpus/words.txt", Some(""), true).len(), 3);
        assert!(readers("reports/perf.xml", None, true).is_empty());
        for root in [None, Some("")] {
            assert!(readers("perf.xml", root, true).is_empty());
        }
    }
}
