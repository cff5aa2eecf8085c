//! Results of other benchmark tools.

use crate::args::{CriterionBaselines, ImportFormat};
use crate::file_list::write_files;
use crate::import::{self, ImportPlanner, ImportTarget, PlannedRun, RunState};
use crate::scratch::in_empty_directory;
use clap::ValueEnum;
use perftest_core::model::Run;
use perftest_store::{MemoryStore, Store, StoreError};
use std::collections::HashSet;
use std::fs;

/// The first byte chooses the format. What is read can be recorded, and reading it again adds nothing.
pub(super) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let formats = ImportFormat::value_variants();
    let format = formats[usize::from(first.wrapping_sub(b'0')) % formats.len()];
    let read = in_empty_directory(|directory| {
        if format == ImportFormat::Criterion {
            write_files(rest, directory);
            return import::read(format, directory, CriterionBaselines::All);
        }
        let path = directory.join("results");
        fs::write(&path, rest).unwrap();
        import::read(format, &path, CriterionBaselines::All)
    });
    let file = match read {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(!file.runs.is_empty());
    for run in &file.runs {
        assert!(!run.test_name().is_empty() && !run.measurements.is_empty());
        let is_value = |value: f64| value.is_finite() && value >= 0.0;
        assert!(
            run.measurements.iter().all(|it| is_value(it.value) && it.iterations > 0),
            "{run:?}"
        );
    }
    let store = MemoryStore::new();
    let target = ImportTarget {
        format,
        project: "codec.0b1c2d3e".into(),
        testbed: None,
        revision: None,
        branch: None,
        default_branch: "main".into(),
        at_ms: None,
        now_ms: 1_767_225_600_000,
    };
    let summarised = &|_: &Run| Ok(HashSet::new());
    let planner = ImportPlanner { store: &store, summarised, target, revision_of: &|_| None };
    let planned = planner.plan(file.clone()).unwrap();
    match PlannedRun::to_record(&planned).try_for_each(|run| store.append(run)) {
        // Numbers of iterations may be too large for a double.
        Err(StoreError::Invalid { .. }) => return,
        written => written.unwrap(),
    }
    let again = planner.plan(file).unwrap();
    assert!(again.iter().all(|it| it.state == RunState::Known), "{again:?}");
}
