//! Older runs that become summaries.

use super::history::{history_file, names, open, project};
use crate::scratch::in_empty_directory;
use perftest_core::model::{Anchor, Run};
use perftest_store::conformance::example_run;
use perftest_store::{
    CollectedFile, JsonlStore, Query, ReadPlace, RecordFiles, Retention, Store, StoreError, Which,
};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Runs of the example. The oldest are no baseline, and of them the first are of an earlier commit.
const RUNS: u64 = 12;
/// Newest runs that stay.
const NEWEST: usize = 3;
/// A record of a kind that only a newer version knows.
const OTHER_KIND: &str = "{\"v\":1,\"kind\":\"tide\",\"height\":7}\n";

/// Puts the data among the runs of a history. The plan is what is done; what verdicts are based on, and every line that
/// is no run, stays; what was sent is not sent again; the second time nothing is done.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|root| {
        let (file, content) = written(root, data);
        let files = RecordFiles::open(root, &project());
        let [listed] = files.list().unwrap().try_into().unwrap();
        let name = listed.name;
        let Ok(all) = files.read(&name, &ReadPlace::default()) else { return };
        let retention = Retention { newest: NEWEST, ids: HashSet::new() };
        let collect = || files.collect(&name, &retention, std::slice::from_ref(&all.place));
        let before = bases(&open(root), data);
        let plan = match files.plan_collection(&name, &retention) {
            Ok(plan) => plan,
            Err(StoreError::OtherVersion { .. }) => {
                assert!(collect().is_err());
                assert_eq!(fs::read(&file).unwrap(), content);
                return;
            }
            Err(error) => panic!("{error}"),
        };
        assert_eq!(fs::read(&file).unwrap(), content, "a plan changes nothing");
        let done = collect().unwrap();
        assert_eq!(CollectedFile { places: Vec::new(), ..done.clone() }, plan);
        let after = fs::read(&file).unwrap();
        assert_eq!(done.bytes_before, content.len() as u64);
        assert!(done.summarised == 0 || done.bytes_after == after.len() as u64);
        assert!(String::from_utf8_lossy(&after).contains(OTHER_KIND), "another record is gone");
        assert_eq!(bases(&open(root), data), before);
        if done.summarised > 0 {
            let behind = files.read(&name, &done.places[0]).unwrap().records;
            assert_eq!(behind.len(), 0, "records that were sent would be sent again");
        }
        let again = collect().unwrap();
        assert_eq!((again.summarised, fs::read(&file).unwrap() == after), (0, true));
    });
}

/// Writes the history, and returns its file with its content.
fn written(root: &Path, data: &[u8]) -> (PathBuf, Vec<u8>) {
    static LINES: OnceLock<Vec<u8>> = OnceLock::new();
    let store = open(root);
    let run = |ordinal: u64| {
        let mut run = example_run(ordinal);
        run.revision.commit = format!("{:040}", ordinal / 4);
        run.counts_for_baseline = false;
        run
    };
    store.append(&run(RUNS)).unwrap();
    let file = history_file(root);
    let last = fs::read(&file).unwrap();
    let lines = LINES.get_or_init(|| {
        (0..RUNS).for_each(|ordinal| store.append(&run(ordinal)).unwrap());
        fs::read(&file).unwrap()[last.len()..].to_vec()
    });
    let content = [lines, OTHER_KIND.as_bytes(), data, b"\n", &last].concat();
    fs::write(&file, &content).unwrap();
    (file, content)
}

/// What verdicts and views are based on; without runs that the data may have changed.
fn bases(store: &JsonlStore, data: &[u8]) -> Vec<Vec<Run>> {
    let of_config = Query::like(&example_run(0));
    let of_all = Query { config: None, ..of_config.clone() };
    let load = |query: &Query, which, limit| {
        let query = Query { which, limit, ..query.clone() };
        let runs = store.load(&query).map_or_else(|_| Vec::new(), |it| it.value.runs);
        runs.into_iter().filter(|run| !names(data, run.id.as_str())).collect()
    };
    vec![
        load(&of_config, Which::CountedForBaseline, Retention::BASELINE),
        load(&of_config, Which::FirstCountedForBaseline, Anchor::RUNS),
        load(&of_all, Which::FirstCountedForBaseline, Anchor::RUNS),
        load(&of_all, Which::All, NEWEST),
    ]
}
