//! A store that is made of the files of a project, wherever these are.

use crate::format::{EventLine, encode_correction, encode_judgements, encode_model, encode_run};
use crate::project_records::ProjectRecords;
use crate::{Annotation, Decisions, Listing, Query, Store, StoreError, Testbeds, WithDamage};
use perftest_core::model::{
    BenchmarkId, Correction, History, Judgement, Metric, Model, Run, RunId,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of one project. Whoever has them is a [`Store`].
pub(crate) trait ProjectFiles: Send + Sync {
    /// The records in the files.
    fn records(&self) -> ProjectRecords<'_>;

    /// Returns the history files of this benchmark or of all, in no particular order.
    fn history_files(&self, benchmark: Option<&BenchmarkId>) -> Result<Vec<PathBuf>, StoreError>;

    /// Returns what is decided about the runs.
    fn decided(&self) -> Result<WithDamage<Decisions>, StoreError>;

    /// Returns how testbeds are read.
    fn testbeds(&self) -> Result<Arc<Testbeds>, StoreError>;

    /// Returns the text of a whole small file; `None` if there is no such file.
    fn text(&self, path: &Path) -> Result<Option<String>, StoreError>;

    /// Appends lines to a file.
    fn append_to(&self, path: &Path, lines: &str) -> Result<(), StoreError>;

    /// Writes a whole small file unless it exists.
    fn write_once(&self, path: &Path, text: &str) -> Result<(), StoreError>;
}

impl<F: ProjectFiles> Store for F {
    fn append(&self, run: &Run) -> Result<(), StoreError> {
        let line = encode_run(run)?;
        self.append_to(&self.records().layout.history(&run.testbed, &run.benchmark), &line)
    }

    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        self.records().load(query, &*self.testbeds()?)
    }

    fn list(&self, benchmark: Option<&BenchmarkId>) -> Result<Listing, StoreError> {
        self.records().list(&self.history_files(benchmark)?, benchmark, &*self.testbeds()?)
    }

    fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
    ) -> Result<Vec<Metric>, StoreError> {
        self.records().metrics(benchmark, testbed, run, &*self.testbeds()?)
    }

    fn annotate(&self, annotation: Annotation<'_>) -> Result<(), StoreError> {
        annotate(self, annotation)
    }

    fn decisions(&self) -> Result<WithDamage<Decisions>, StoreError> {
        self.decided()
    }

    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        self.records().judgements(benchmark, testbed, &*self.testbeds()?)
    }

    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        self.records().models()
    }

    fn context(&self, hash: &str) -> Result<Option<String>, StoreError> {
        self.text(&self.records().layout.context(hash)?)
    }
}

/// Compiled once, and not for each store.
fn annotate(files: &dyn ProjectFiles, annotation: Annotation<'_>) -> Result<(), StoreError> {
    let layout = files.records().layout;
    let append_event = |event: EventLine| files.append_to(&layout.events(), &event.encode()?);
    match annotation {
        Annotation::Acceptance(acceptance) => append_event(EventLine::Accept(acceptance.clone())),
        Annotation::Testbed(decision) => append_event(EventLine::Testbed(decision.clone())),
        Annotation::Revocation { of, at_ms } => {
            append_event(EventLine::Tombstone { of: of.to_owned(), at_ms })
        }
        Annotation::Judgements(judgements) => append_judgements(files, judgements),
        Annotation::Correction(correction) => {
            let line = encode_correction(correction)?;
            let Correction { testbed, benchmark, .. } = correction;
            files.append_to(&layout.judgements(testbed, benchmark), &line)
        }
        Annotation::Model(model) => files.append_to(&layout.models(), &encode_model(model)?),
        Annotation::Context { hash, json } => files.write_once(&layout.context(hash)?, json),
    }
}

/// Writes adjacent judgements of one test on one testbed together.
fn append_judgements(files: &dyn ProjectFiles, judgements: &[Judgement]) -> Result<(), StoreError> {
    let is_beside = |one: &Judgement, other: &Judgement| {
        one.benchmark == other.benchmark && one.testbed == other.testbed
    };
    for of_one in judgements.chunk_by(is_beside) {
        let lines = encode_judgements(of_one)?;
        let Judgement { testbed, benchmark, .. } = &of_one[0];
        files.append_to(&files.records().layout.judgements(testbed, benchmark), &lines)?;
    }
    Ok(())
}
