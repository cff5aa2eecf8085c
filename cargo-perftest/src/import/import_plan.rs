//! Which imported runs become part of the history.

use super::imported_run::{ImportedFile, ImportedRun, RunOrigin};
use super::recorded_runs::{RecordedRuns, RunState, entropy};
use crate::args::ImportFormat;
use crate::exit::{Result, refuse};
use perftest_core::model::{BenchmarkId, Correction, Metric, Revision, Run, RunId};
use perftest_store::{Digest, Query, Store, StoreError, Which};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Characters of the shortest abbreviation of a hash that git takes.
const SHORTEST_ABBREVIATION: usize = 4;

/// What is known of the runs beside their file.
#[derive(Debug)]
pub(crate) struct ImportTarget {
    pub(crate) format: ImportFormat,
    pub(crate) project: String,
    /// As it was asked for.
    pub(crate) testbed: Option<String>,
    /// Of the commit that was asked for.
    pub(crate) revision: Option<Revision>,
    /// As it was asked for.
    pub(crate) branch: Option<String>,
    /// Empty where it is not known.
    pub(crate) default_branch: String,
    /// As it was asked for, in milliseconds since the Unix epoch.
    pub(crate) at_ms: Option<u64>,
    pub(crate) now_ms: u64,
}

/// A run, and what became of it.
#[derive(Debug)]
pub(crate) struct PlannedRun {
    pub(crate) run: Run,
    pub(crate) state: RunState,
}

/// Finds what is new in a file.
pub(crate) struct ImportPlanner<'a> {
    pub(crate) store: &'a dyn Store,
    /// Returns the ids of the runs of a test on its testbed that became parts of summaries of its metric.
    pub(crate) summarised: &'a dyn Fn(&Run) -> Result<HashSet<String>, StoreError>,
    pub(crate) target: ImportTarget,
    /// What the repository knows of a commit that a file names.
    pub(crate) revision_of: &'a dyn Fn(&str) -> Option<Revision>,
}

impl PlannedRun {
    /// Returns the runs that are not recorded yet as they are.
    pub(crate) fn to_record(planned: &[Self]) -> impl Iterator<Item = &Run> {
        let is_missing = |it: &&Self| matches!(it.state, RunState::New | RunState::Corrected);
        planned.iter().filter(is_missing).map(|it| &it.run)
    }

    /// Returns the first corrected run of each history: by its value the later ones were judged, too.
    pub(crate) fn corrections(planned: &[Self], corrected_ms: u64) -> Vec<Correction> {
        let mut first = BTreeMap::new();
        for Self { run, .. } in planned.iter().filter(|it| it.state == RunState::Corrected) {
            let history = (&run.benchmark, &run.testbed, &run.metric.name);
            let correction = || Correction {
                run: run.id.clone(),
                benchmark: run.benchmark.clone(),
                testbed: run.testbed.clone(),
                metric: run.metric.name.clone(),
                corrected_ms,
            };
            let known = first.entry(history).or_insert_with(correction);
            if run.id < known.run {
                *known = correction();
            }
        }
        first.into_values().collect()
    }
}

impl ImportPlanner<'_> {
    /// The runs of a file in the order of their time, with what will become of each. Writes nothing.
    ///
    /// # Errors
    /// When the history cannot be read, or what was asked for makes one of two runs.
    pub(crate) fn plan(&self, file: ImportedFile) -> Result<Vec<PlannedRun>> {
        let ImportedFile { runs, modified_ms, .. } = file;
        let mut revisions: HashMap<String, Revision> = HashMap::new();
        let mut planned: Vec<(Run, RunOrigin)> = Vec::new();
        for imported in runs {
            let revision = self.revision(&imported.origin, &mut revisions);
            let origin = imported.origin.clone();
            planned.push((self.run(imported, revision, modified_ms), origin));
        }
        // The runs of a file have to stand in the history as they followed each other.
        planned.sort_by_key(|(run, _)| run.started_ms);
        let mut recorded: HashMap<(BenchmarkId, String, Metric), RecordedRuns> = HashMap::new();
        let (mut written, mut seen) = (Vec::new(), HashSet::new());
        for (mut run, origin) in planned {
            let key = (run.benchmark.clone(), run.testbed.clone(), run.metric.clone());
            if !recorded.contains_key(&key) {
                recorded.insert(key.clone(), self.recorded(&run)?);
            }
            let other_ids = self.other_ids(&run, &origin);
            let state = recorded[&key].match_run(&mut run, &other_ids, self.target.now_ms);
            if !seen.insert((entropy(&run.id).to_owned(), run.metric.clone())) {
                return refuse(format!(
                    "`{}` has runs that differ only in what --testbed or --commit replaces, or in how they \
                     abbreviate their commit: leave the option out, or import a file for each\nnothing was imported",
                    run.benchmark
                ));
            }
            written.push(PlannedRun { run, state });
        }
        Ok(written)
    }

    fn recorded(&self, like: &Run) -> Result<RecordedRuns> {
        let query = Query { limit: usize::MAX, which: Which::All, ..Query::like(like) };
        let runs = self.store.load(&query)?.value.runs;
        Ok(RecordedRuns::new(runs, (self.summarised)(like)?))
    }

    /// What was asked for, else what is in the file.
    fn revision(&self, origin: &RunOrigin, known: &mut HashMap<String, Revision>) -> Revision {
        let of_file = || {
            let Some(commit) = &origin.commit else { return Revision::default() };
            let find = || {
                let unknown = || Revision { commit: commit.clone(), ..Revision::default() };
                (self.revision_of)(commit).unwrap_or_else(unknown)
            };
            known.entry(commit.clone()).or_insert_with(find).clone()
        };
        let revision = self.target.revision.clone().unwrap_or_else(of_file);
        let branch = self.target.branch.as_ref().or(origin.branch.as_ref());
        let branch = branch.unwrap_or(&self.target.default_branch).clone();
        let base = if branch == self.target.default_branch {
            revision.parent.clone()
        } else {
            String::new()
        };
        Revision { branch, base, ..revision }
    }

    fn run(&self, imported: ImportedRun, mut revision: Revision, modified_ms: Option<u64>) -> Run {
        let benchmark = BenchmarkId::from_recorded(imported.test_name());
        let ImportedRun { origin, metric, measurements, .. } = imported;
        let commit_ms = Some(1000 * revision.order).filter(|time| *time > 0);
        let of_file = origin.started_ms.or(commit_ms).or(origin.modified_ms).or(modified_ms);
        let started_ms = self.target.at_ms.or(of_file).unwrap_or(self.target.now_ms);
        if revision.order == 0 {
            revision.order = started_ms / 1000;
        }
        let testbed = self.testbed(&origin);
        let commit = identifying_commit(&origin, &revision);
        let id = RunId::new(started_ms, self.identity(&benchmark, &testbed, &origin, commit));
        // It does not count for the baseline of a test, because how it was measured is unknown.
        let blank = Run::blank(id, benchmark, metric);
        Run {
            session: session(&origin, started_ms),
            project: self.target.project.clone(),
            testbed,
            config: format!("{}-{}", Run::IMPORTED, self.target.format.name()),
            started_ms,
            revision,
            measurements,
            flags: vec![Run::IMPORTED.into()],
            ..blank
        }
    }

    /// The ids that the run has where its commit is whole, or abbreviated in another way.
    fn other_ids(&self, run: &Run, origin: &RunOrigin) -> Vec<RunId> {
        let commit = &run.revision.commit;
        let is_hash =
            matches!(commit.len(), 40 | 64) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        // Of another text, such as the number of a build, the beginning is another one.
        let first = if is_hash { SHORTEST_ABBREVIATION } else { commit.len() };
        let id = |length| {
            let identity = self.identity(&run.benchmark, &run.testbed, origin, &commit[..length]);
            RunId::new(run.started_ms, identity)
        };
        (first..=commit.len()).rev().map(id).collect()
    }

    fn testbed(&self, origin: &RunOrigin) -> String {
        let asked = self.target.testbed.as_ref().or(origin.testbed.as_ref());
        asked.cloned().unwrap_or_else(|| {
            let (imported, format) = (Run::IMPORTED, self.target.format.name());
            match origin.machine.as_str() {
                "" => format!("{imported}/{format}"),
                machine => {
                    format!("{imported}/{format}-{}", Digest::of(machine.as_bytes()).hex8())
                }
            }
        })
    }

    /// 80 bits of where the run is from: the same for all metrics of it, and when it is imported again,
    /// whatever time its file has by then. A file without branches has the ids of before they counted, and so has one
    /// without testbeds.
    fn identity(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        origin: &RunOrigin,
        commit: &str,
    ) -> u128 {
        let number = |number: Option<u64>| number.map_or(String::new(), |it| it.to_string());
        let (started, at) = (number(origin.started_ms), number(self.target.at_ms));
        let fields = [benchmark.as_str(), testbed, &started, &at, commit, &origin.digest];
        // Under a name that was asked for, runs of several testbeds would be one.
        let renamed = origin.testbed.as_deref().filter(|of_file| *of_file != testbed);
        let renamed = renamed.map(|testbed| ["testbed", testbed]).into_iter().flatten();
        let fields = fields.into_iter().chain(origin.branch.as_deref()).chain(renamed);
        let low = Digest::of_fields(fields.clone()).hex16();
        let high = Digest::of_fields(["high"].into_iter().chain(fields)).hex8();
        let [low, high] = [low, high].map(|hex| u128::from_str_radix(&hex, 16).unwrap_or(0));
        (high << 64) | low
    }
}

/// The commit in the id of a run: as the file abbreviates its hash, because not each clone knows the commit, and otherwise
/// the hash, because a branch or `HEAD` is another commit later.
fn identifying_commit<'a>(origin: &'a RunOrigin, revision: &'a Revision) -> &'a str {
    let whole = &revision.commit;
    let is_abbreviation = |it: &&str| it.len() >= SHORTEST_ABBREVIATION && whole.starts_with(*it);
    origin.commit.as_deref().filter(is_abbreviation).unwrap_or(whole)
}

/// What was imported from one file belongs together, if the file has no times.
fn session(origin: &RunOrigin, started_ms: u64) -> String {
    match origin.digest.trim() {
        "" => format!("import-{started_ms}"),
        digest => format!("import-{}", digest.replace(' ', "-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::MemoryStore;

    fn target() -> ImportTarget {
        ImportTarget {
            format: ImportFormat::Csv,
            project: "codec".into(),
            testbed: None,
            revision: None,
            branch: None,
            default_branch: "main".into(),
            at_ms: None,
            now_ms: 5_000_000,
        }
    }

    fn file(values: &[f64], origin: &RunOrigin) -> ImportedFile {
        let mut file = ImportedFile::default();
        file.modified_ms = Some(7_000);
        for value in values {
            file.add("g/f", &Metric::wall(), origin, *value, 1);
        }
        file
    }

    fn plan(
        store: &MemoryStore,
        target: ImportTarget,
        file: ImportedFile,
        revision_of: &dyn Fn(&str) -> Option<Revision>,
    ) -> Result<Vec<PlannedRun>> {
        let summarised = &|_: &Run| Ok(HashSet::new());
        ImportPlanner { store, summarised, target, revision_of }.plan(file)
    }

    const WHOLE: &str = "abcdef0123456789abcdef0123456789abcdef01";

    /// In a clone that knows one commit.
    fn import(store: &MemoryStore, target: ImportTarget, file: ImportedFile) -> Vec<PlannedRun> {
        let revision_of = |commit: &str| {
            let (hash, parent) = (WHOLE.to_owned(), "1234".to_owned());
            let known = Revision { commit: hash, parent, order: 9, ..Revision::default() };
            (commit.len() > 3 && WHOLE.starts_with(commit)).then_some(known)
        };
        let planned = plan(store, target, file, &revision_of).unwrap();
        PlannedRun::to_record(&planned).for_each(|run| store.append(run).unwrap());
        planned
    }

    fn states(written: &[PlannedRun]) -> Vec<RunState> {
        written.iter().map(|it| it.state).collect()
    }

    #[test]
    fn importing_again_adds_nothing_whatever_time_the_file_has() {
        let store = MemoryStore::default();
        let origin = RunOrigin { digest: "d".into(), ..RunOrigin::default() };
        let first = import(&store, target(), file(&[1.234_567_89, 2.0], &origin));
        assert_eq!(states(&first), [RunState::New]);
        let mut copied = file(&[1.234_567_89, 2.0], &origin);
        copied.modified_ms = Some(9_000_000);
        let second = import(&store, target(), copied);
        assert_eq!(states(&second), [RunState::Known]);
        let all = store.load(&Query::like(&second[0].run)).unwrap().value.runs;
        assert_eq!((all.len(), all[0].started_ms), (1, 7_000));
    }

    #[test]
    fn a_corrected_value_replaces_the_earlier_one() {
        let store = MemoryStore::default();
        let origin = RunOrigin { started_ms: Some(8_000), ..RunOrigin::default() };
        import(&store, target(), file(&[1.0], &origin));
        let corrected = import(&store, target(), file(&[1.5], &origin));
        assert_eq!(states(&corrected), [RunState::Corrected]);
        assert_eq!(corrected[0].run.corrected_ms, Some(5_000_000));
        let back = import(&store, target(), file(&[1.0], &origin));
        assert_eq!(back[0].run.corrected_ms, Some(5_000_001));
        import(&store, target(), file(&[1.5], &origin));
        let all = store.load(&Query::like(&corrected[0].run)).unwrap().value.runs;
        assert_eq!((all.len(), all[0].center()), (1, Some(1.5)));
    }

    #[test]
    fn the_same_file_for_another_commit_or_time_is_another_run() {
        let store = MemoryStore::default();
        let origin = RunOrigin { digest: "d".into(), ..RunOrigin::default() };
        let revision = |commit: &str| {
            Some(Revision { commit: commit.into(), order: 3, ..Revision::default() })
        };
        for target in [
            target(),
            ImportTarget { revision: revision("a"), ..target() },
            ImportTarget { revision: revision("b"), ..target() },
            ImportTarget { at_ms: Some(1), ..target() },
        ] {
            assert_eq!(states(&import(&store, target, file(&[1.0], &origin))), [RunState::New]);
        }
    }

    #[test]
    fn runs_that_differ_only_in_their_branch_are_both_there() {
        let store = MemoryStore::default();
        let on = |branch: Option<&str>| RunOrigin {
            started_ms: Some(8_000),
            branch: branch.map(str::to_owned),
            ..RunOrigin::default()
        };
        let mut both = file(&[1.0], &on(Some("main")));
        both.add("g/f", &Metric::wall(), &on(Some("topic")), 2.0, 1);
        let written = import(&store, target(), both);
        assert_eq!(states(&written), [RunState::New; 2]);
        let all = store.load(&Query::like(&written[0].run)).unwrap().value.runs;
        let branches: Vec<&str> = all.iter().map(|run| run.revision.branch.as_str()).collect();
        assert_eq!(branches, ["main", "topic"]);
    }

    #[test]
    fn runs_of_two_testbeds_are_both_there_under_the_testbed_that_was_asked_for() {
        let store = MemoryStore::default();
        let on = |testbed: &str| RunOrigin {
            started_ms: Some(8_000),
            testbed: Some(testbed.to_owned()),
            ..RunOrigin::default()
        };
        let both = || {
            let mut both = file(&[1.0], &on("box/1"));
            both.add("g/f", &Metric::wall(), &on("box/2"), 2.0, 1);
            both
        };
        let asked = || ImportTarget { testbed: Some("ci".into()), ..target() };
        assert_eq!(states(&import(&store, asked(), both())), [RunState::New; 2]);
        let again = import(&store, asked(), both());
        assert_eq!(states(&again), [RunState::Known; 2]);
        let all = store.load(&Query::like(&again[0].run)).unwrap().value.runs;
        let values: Vec<Option<f64>> = all.iter().map(Run::center).collect();
        assert_eq!(values, [Some(1.0), Some(2.0)]);
    }

    fn of_commit(commit: &str, value: f64) -> ImportedFile {
        let commit = Some(commit.to_owned());
        file(&[value], &RunOrigin { commit, ..RunOrigin::default() })
    }

    /// In a clone that knows no commit.
    fn import_shallow(store: &MemoryStore, file: ImportedFile) -> Vec<PlannedRun> {
        let planned = plan(store, target(), file, &|_| None).unwrap();
        PlannedRun::to_record(&planned).for_each(|run| store.append(run).unwrap());
        planned
    }

    fn only_run(store: &MemoryStore, like: &Run) -> Run {
        let all = store.load(&Query::like(like)).unwrap().value.runs;
        assert_eq!(all.len(), 1, "{all:?}");
        all.into_iter().next().unwrap()
    }

    #[test]
    fn a_commit_that_the_file_abbreviates_is_one_run_in_each_clone_and_by_each_abbreviation() {
        let store = MemoryStore::default();
        let first = import(&store, target(), of_commit("abcdef0", 1.0)).remove(0);
        assert_eq!(first.state, RunState::New);
        assert_eq!(states(&import_shallow(&store, of_commit("abcdef0", 1.0))), [RunState::Known]);
        for commit in ["abcdef01", WHOLE] {
            let again = import(&store, target(), of_commit(commit, 1.0));
            assert_eq!(states(&again), [RunState::Known], "{commit}");
        }
        assert_eq!(states(&import_shallow(&store, of_commit(WHOLE, 1.0))), [RunState::Known]);
        let store = MemoryStore::default();
        import(&store, target(), of_commit(WHOLE, 1.0));
        let again = import(&store, target(), of_commit("abcd", 1.0));
        assert_eq!(states(&again), [RunState::Known], "it was recorded with the whole hash");
    }

    #[test]
    fn a_clone_that_knows_the_commit_completes_it_and_one_that_does_not_keeps_it() {
        for of_file in ["abcdef0", WHOLE] {
            let store = MemoryStore::default();
            let first = import_shallow(&store, of_commit(of_file, 1.0)).remove(0).run;
            assert_eq!(first.revision.commit, of_file);
            let completed = import(&store, target(), of_commit(of_file, 1.0));
            assert_eq!(states(&completed), [RunState::Corrected]);
            assert_eq!(
                states(&import(&store, target(), of_commit(of_file, 1.0))),
                [RunState::Known]
            );
            let corrected = import_shallow(&store, of_commit(of_file, 2.0));
            assert_eq!(states(&corrected), [RunState::Corrected]);
            let run = only_run(&store, &first);
            let Revision { commit, parent, .. } = &run.revision;
            assert_eq!(
                (commit.as_str(), parent.as_str(), run.center()),
                (WHOLE, "1234", Some(2.0))
            );
        }
    }

    #[test]
    fn a_name_that_moves_to_another_commit_is_another_run() {
        let store = MemoryStore::default();
        for (value, commit) in [(1.0, "1111"), (2.0, "2222")] {
            let at = Revision { commit: commit.repeat(10), ..Revision::default() };
            let revision_of = |_: &str| Some(at.clone());
            let planned = plan(&store, target(), of_commit("main", value), &revision_of).unwrap();
            assert_eq!(states(&planned), [RunState::New]);
            PlannedRun::to_record(&planned).for_each(|run| store.append(run).unwrap());
        }
    }

    #[test]
    fn a_text_that_is_no_hash_is_another_run_than_its_beginning() {
        let store = MemoryStore::default();
        for commit in ["1234", "12345"] {
            let planned = import_shallow(&store, of_commit(commit, 1.0));
            assert_eq!(states(&planned), [RunState::New], "{commit}");
        }
    }

    #[test]
    fn two_abbreviations_in_one_file_of_a_recorded_commit_are_refused() {
        let store = MemoryStore::default();
        import(&store, target(), of_commit("abcdef0", 1.0));
        let mut both = of_commit("abcdef0", 1.0);
        let commit = Some(WHOLE.to_owned());
        both.add("g/f", &Metric::wall(), &RunOrigin { commit, ..RunOrigin::default() }, 2.0, 1);
        let refused = plan(&store, target(), both, &|_| None).unwrap_err().to_string();
        assert!(refused.contains("abbreviate their commit"), "{refused}");
    }

    #[test]
    fn runs_that_what_was_asked_for_makes_one_are_refused() {
        let store = MemoryStore::default();
        let on = |machine: &str, commit: &str| RunOrigin {
            started_ms: Some(8_000),
            machine: machine.to_owned(),
            commit: Some(commit.to_owned()),
            ..RunOrigin::default()
        };
        let both = |other: &RunOrigin| {
            let mut both = file(&[1.0], &on("goos=linux", "a"));
            both.add("g/f", &Metric::wall(), other, 2.0, 1);
            both
        };
        let machines = both(&on("goos=darwin", "a"));
        assert_eq!(states(&import(&store, target(), machines.clone())), [RunState::New; 2]);
        let named = ImportTarget { testbed: Some("lab".into()), ..target() };
        let revision = Some(Revision { commit: "c".into(), ..Revision::default() });
        let of_commit = ImportTarget { revision, ..target() };
        for (asked, file) in [(named, machines), (of_commit, both(&on("goos=linux", "b")))] {
            let refused = plan(&store, asked, file, &|_| None).unwrap_err().to_string();
            assert!(refused.starts_with("`g::f` has runs that differ only in what"), "{refused}");
        }
    }

    #[test]
    fn importing_again_with_the_testbed_of_the_file_adds_nothing() {
        let store = MemoryStore::default();
        let testbed = Some("box/1".to_owned());
        let origin =
            RunOrigin { started_ms: Some(8_000), testbed: testbed.clone(), ..RunOrigin::default() };
        import(&store, target(), file(&[1.0], &origin));
        let asked = ImportTarget { testbed, ..target() };
        assert_eq!(states(&import(&store, asked, file(&[1.0], &origin))), [RunState::Known]);
    }

    #[test]
    fn the_id_of_a_run_whose_file_names_no_branch_stays_from_version_to_version() {
        let origin = RunOrigin { started_ms: Some(8_000), ..RunOrigin::default() };
        let imported = import(&MemoryStore::default(), target(), file(&[1.0], &origin));
        assert_eq!(imported[0].run.id.as_str(), "00000007T06PF9BYZHJ64290RB");
    }

    #[test]
    fn what_is_asked_for_counts_more_than_the_file_and_that_more_than_its_time() {
        let store = MemoryStore::default();
        let origin = RunOrigin {
            commit: Some("abcdef0".into()),
            branch: Some("topic".into()),
            testbed: Some("box/1".into()),
            ..RunOrigin::default()
        };
        let of_file = import(&store, target(), file(&[1.0], &origin)).remove(0).run;
        assert_eq!((of_file.revision.commit.as_str(), of_file.started_ms), (WHOLE, 9_000));
        assert_eq!(
            (of_file.revision.branch.as_str(), of_file.testbed.as_str()),
            ("topic", "box/1")
        );
        let asked = ImportTarget {
            testbed: Some("ci".into()),
            branch: Some("main".into()),
            at_ms: Some(4),
            ..target()
        };
        let asked = import(&store, asked, file(&[1.0], &origin)).remove(0).run;
        assert_eq!((asked.testbed.as_str(), asked.started_ms), ("ci", 4));
        assert_eq!(asked.revision.branch, "main");
        let plain = import(&store, target(), file(&[1.0], &RunOrigin::default())).remove(0).run;
        assert_eq!((plain.testbed.as_str(), plain.started_ms), ("imported/csv", 7_000));
        assert_eq!((plain.revision.branch.as_str(), plain.revision.order), ("main", 7));
    }

    #[test]
    fn no_imported_run_counts_for_a_baseline_or_shares_a_configuration_with_a_test() {
        let store = MemoryStore::default();
        let run = import(&store, target(), file(&[1.0], &RunOrigin::default())).remove(0).run;
        assert!(!run.counts_for_baseline);
        assert_eq!(
            (run.config.as_str(), run.flags.as_slice()),
            ("imported-csv", &["imported".to_owned()][..])
        );
    }

    #[test]
    fn all_metrics_of_a_run_share_its_id_and_runs_stand_in_the_order_of_time() {
        let store = MemoryStore::default();
        let late = RunOrigin { started_ms: Some(9_000), ..RunOrigin::default() };
        let mut file = file(&[1.0], &late);
        file.add("g/f", &Metric::allocations(), &late, 3.0, 1);
        let early = RunOrigin { started_ms: Some(2_000), ..RunOrigin::default() };
        file.add("g/f", &Metric::wall(), &early, 2.0, 1);
        let written = import(&store, target(), file);
        let times: Vec<u64> = written.iter().map(|it| it.run.started_ms).collect();
        assert_eq!(times, [2_000, 9_000, 9_000]);
        assert_eq!(written[1].run.id, written[2].run.id);
        assert_ne!(written[0].run.id, written[1].run.id);
    }
}
