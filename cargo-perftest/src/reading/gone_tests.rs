//! Tests that are not in this checkout any more: nobody records that a test was deleted.

use perftest_core::model::{BenchmarkId, Run};
use perftest_store::read_regular_text;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// A larger file is no source.
const MOST_SOURCE_BYTES: u64 = 16 << 20;

/// Returns the tests that are gone, with their stages. Each history comes with its newest run.
///
/// A test is gone when the newest session with a test of its file ran without it, and its file does not name it any
/// more. The session alone may have run a selection; the file alone may have the call of a macro that makes the test.
/// Where the file is no longer there, the newest session of the package counts. Where the sources of that session are
/// not below `root`, this is no checkout of theirs, and nothing is gone.
pub(crate) fn gone_tests(newest_runs: &[Run], root: &Path) -> BTreeSet<BenchmarkId> {
    let mut packages = BTreeMap::<&str, Vec<&Run>>::new();
    for run in newest_runs.iter().filter(|run| !run.is_show_only()) {
        packages.entry(package_of(run)).or_default().push(run);
    }
    let mut sources = Sources { root, files: BTreeMap::new() };
    packages.values().flat_map(|runs| gone_of_package(runs, &mut sources)).collect()
}

fn gone_of_package(runs: &[&Run], sources: &mut Sources<'_>) -> Vec<BenchmarkId> {
    let Some(newest) = runs.iter().max_by_key(|run| run.started_ms) else { return Vec::new() };
    let mut of_session = runs.iter().filter(|run| run.session == newest.session);
    if !of_session.any(|run| sources.names(run) == Some(true)) {
        return Vec::new();
    }
    let newest_of_files = newest_of_files(runs);
    let ran: BTreeSet<_> = runs.iter().map(|run| (&run.session, run.benchmark.whole())).collect();
    let is_gone = |run: &&&Run| {
        let of_file = newest_of_files.get(file_of(run)).filter(|_| sources.has_file_of(run));
        let Run { session, .. } = of_file.unwrap_or(newest);
        !ran.contains(&(session, run.benchmark.whole())) && sources.names(run) == Some(false)
    };
    runs.iter().filter(is_gone).map(|run| run.benchmark.clone()).collect()
}

/// The newest run of each file.
fn newest_of_files<'a>(runs: &[&'a Run]) -> BTreeMap<&'a str, &'a Run> {
    let mut ascending = runs.to_vec();
    ascending.sort_by_key(|run| run.started_ms);
    ascending.into_iter().map(|run| (file_of(run), run)).collect()
}

/// The file of a test; empty where it is not recorded.
fn file_of(run: &Run) -> &str {
    run.source.as_ref().map_or("", |source| &source.file)
}

fn package_of(run: &Run) -> &str {
    run.benchmark.whole().split("::").next().unwrap_or_default()
}

/// The files of a checkout, each read once.
struct Sources<'a> {
    root: &'a Path,
    /// `None` for a file that is not there.
    files: BTreeMap<String, Option<SourceNames>>,
}

impl Sources<'_> {
    /// Whether the source of a test names its function; `None` where its file is not recorded.
    ///
    /// The last part of a name may be a case, which no source needs to have. A macro may make the function, so its name
    /// alone counts, too.
    fn names(&mut self, run: &Run) -> Option<bool> {
        let file = &run.source.as_ref()?.file;
        let (_, below_package) = run.benchmark.whole().split_once("::")?;
        let last = below_package.rsplit("::").next()?;
        let Some(names) = self.of_file(file) else { return Some(false) };
        let is_function = |part: &str| names.functions.contains(part);
        Some(names.words.contains(last) || below_package.split("::").any(is_function))
    }

    /// Returns whether the file of a test is still there.
    fn has_file_of(&mut self, run: &Run) -> bool {
        self.of_file(file_of(run)).is_some()
    }

    fn of_file(&mut self, file: &str) -> Option<&SourceNames> {
        let read = || read_regular_text(&self.root.join(file), MOST_SOURCE_BYTES).ok();
        let names = self.files.entry(file.to_owned());
        names.or_insert_with(|| read().map(|text| SourceNames::of(&text))).as_ref()
    }
}

/// The names in a source.
struct SourceNames {
    words: HashSet<String>,
    functions: HashSet<String>,
}

impl SourceNames {
    fn of(text: &str) -> Self {
        let is_part = |it: char| it.is_alphanumeric() || it == '_';
        let words = || text.split(|it| !is_part(it)).filter(|word| !word.is_empty());
        let behind_fn = words().zip(words().skip(1)).filter(|(before, _)| *before == "fn");
        Self {
            words: words().map(str::to_owned).collect(),
            functions: behind_fn.map(|(_, name)| name.to_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::SourcePlace;
    use perftest_store::conformance::example_run;
    use std::fs;

    fn run(session: u64, benchmark: &str, file: &str) -> Run {
        Run {
            benchmark: BenchmarkId::from_recorded(benchmark),
            session: session.to_string(),
            source: Some(SourcePlace { file: file.into(), line: 1 }),
            ..example_run(session)
        }
    }

    fn gone(runs: &[Run], root: &Path) -> Vec<String> {
        gone_tests(runs, root).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_test_is_gone_that_neither_the_newest_session_nor_its_source_has() {
        let root = tempfile::tempdir().unwrap();
        let text =
            "#[perf_test]\nfn kept() {}\nfn  of_cases(n: u64) {}\nby_macro!(made);\n// deleted_too";
        fs::write(root.path().join("perf.rs"), text).unwrap();
        let runs = [
            run(2, "codec::perf::kept", "perf.rs"),
            run(1, "codec::perf::deleted", "perf.rs"),
            run(1, "codec::perf::deleted/stage", "perf.rs"),
            run(1, "codec::perf::moved", "gone.rs"),
            run(1, "codec::perf::of_cases::64", "perf.rs"),
            run(1, "codec::perf::made", "perf.rs"),
            run(1, "other::perf::deleted", "perf.rs"),
            Run { source: None, ..run(1, "codec::perf::imported", "") },
        ];
        let deleted = ["codec::perf::deleted", "codec::perf::deleted/stage", "codec::perf::moved"];
        assert_eq!(gone(&runs, root.path()), deleted);
        let again = [&runs[..], &[run(2, "codec::perf::deleted", "perf.rs")]].concat();
        assert_eq!(
            gone(&again, root.path()),
            ["codec::perf::moved"],
            "it ran in the newest session"
        );
    }

    #[test]
    fn what_a_macro_of_another_file_makes_stays_as_long_as_its_file_and_runs_with_the_others() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        write("perf.rs", "fn kept() {}");
        write("suite.rs", "suite!(Map);");
        let mut runs = vec![
            run(3, "codec::perf::kept", "perf.rs"),
            run(1, "codec::suite::insert", "suite.rs"),
            run(1, "codec::suite::remove", "suite.rs"),
        ];
        assert_eq!(gone(&runs, root.path()), [""; 0]);
        runs[1].session = "2".into();
        runs[1].started_ms += 1;
        assert_eq!(gone(&runs, root.path()), ["codec::suite::remove"]);
        fs::remove_file(root.path().join("suite.rs")).unwrap();
        assert_eq!(gone(&runs, root.path()), ["codec::suite::insert", "codec::suite::remove"]);
    }

    #[test]
    fn where_the_sources_are_elsewhere_nothing_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let runs =
            [run(2, "codec::perf::kept", "perf.rs"), run(1, "codec::perf::deleted", "perf.rs")];
        assert_eq!(gone(&runs, root.path()), [""; 0]);
    }
}
