//! History for the length of a process.

use crate::format::{EventLine, Fields, LineError, encode_judgements, encode_model, encode_run};
use crate::selection::{
    MetricsOfRun, NewestExecution, ReadOrder, Selection, series_of, settled_series, testbed_of,
};
use crate::store::check_context_hash;
use crate::{Query, Series, Store, StoreError, WithDamage};
use perftest_core::model::{
    Acceptance, BenchmarkId, History, Judgement, Metric, Model, Run, RunId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A store in memory, for tests.
///
/// Runs go through their written form, so that what is not kept in files is not kept here.
#[derive(Debug, Default)]
pub struct MemoryStore {
    content: Mutex<MemoryContent>,
}

#[derive(Debug, Default)]
struct MemoryContent {
    /// Runs as lines, oldest first.
    lines: Vec<String>,
    events: Vec<EventLine>,
    judgements: Vec<Judgement>,
    models: Vec<Model>,
    contexts: BTreeMap<String, String>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every change is a single push, so a panic elsewhere leaves nothing half done.
    fn content(&self) -> MutexGuard<'_, MemoryContent> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load_one_name(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        let mut selection = Selection::new(query);
        let content = self.content();
        let mut lines: Vec<&String> = content.lines.iter().collect();
        if selection.lines_come() == ReadOrder::NewestFirst {
            lines.reverse();
        }
        for line in lines {
            let read = selection.take_line(line.as_bytes());
            if read.map_err(impossible)? == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(WithDamage { value: selection.into_history(), damaged: Vec::new() })
    }
}

impl Store for MemoryStore {
    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        query.with_former(|query| self.load_one_name(query))
    }

    fn append(&self, run: &Run) -> Result<(), StoreError> {
        let line = encode_run(run)?;
        self.content().lines.push(line);
        Ok(())
    }

    fn acceptances(&self) -> Result<WithDamage<Vec<Acceptance>>, StoreError> {
        let value = EventLine::standing(self.content().events.clone());
        Ok(WithDamage { value, damaged: Vec::new() })
    }

    fn accept(&self, acceptance: &Acceptance) -> Result<(), StoreError> {
        let event = EventLine::Accept(acceptance.clone());
        event.encode()?;
        self.content().events.push(event);
        Ok(())
    }

    fn revoke(&self, acceptance_id: &str, at_ms: u64) -> Result<(), StoreError> {
        self.content().events.push(EventLine::Tombstone { of: acceptance_id.to_owned(), at_ms });
        Ok(())
    }

    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        let is_meant = |it: &&Judgement| it.benchmark == *benchmark && it.testbed == testbed;
        let value = self.content().judgements.iter().filter(is_meant).cloned().collect();
        Ok(WithDamage { value, damaged: Vec::new() })
    }

    fn keep_judgements(&self, judgements: &[Judgement]) -> Result<(), StoreError> {
        encode_judgements(judgements)?;
        self.content().judgements.extend_from_slice(judgements);
        Ok(())
    }

    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        Ok(WithDamage { value: self.content().models.clone(), damaged: Vec::new() })
    }

    fn keep_model(&self, model: &Model) -> Result<(), StoreError> {
        encode_model(model)?;
        self.content().models.push(model.clone());
        Ok(())
    }

    fn put_context(&self, hash: &str, json: &str) -> Result<(), StoreError> {
        check_context_hash(hash)?;
        self.content().contexts.entry(hash.to_owned()).or_insert_with(|| json.to_owned());
        Ok(())
    }

    fn context(&self, hash: &str) -> Result<Option<String>, StoreError> {
        check_context_hash(hash)?;
        Ok(self.content().contexts.get(hash).cloned())
    }

    fn series(&self) -> Result<WithDamage<Vec<Series>>, StoreError> {
        let mut newest = BTreeMap::<_, NewestExecution>::new();
        for line in self.content().lines.iter().rev() {
            let fields = Fields::parse(line.as_bytes()).map_err(impossible)?;
            let Series { benchmark, testbed, .. } = series_of(&fields).map_err(impossible)?;
            let execution = newest.entry((benchmark, testbed)).or_default();
            let _ = execution.take_line(line.as_bytes()).map_err(impossible)?;
        }
        Ok(WithDamage { value: settled_series(newest.into_values()), damaged: Vec::new() })
    }

    fn metrics_of(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: &RunId,
    ) -> Result<Vec<Metric>, StoreError> {
        let mut metrics = MetricsOfRun::new(benchmark, testbed, run);
        for line in &self.content().lines {
            let _ = metrics.take_line(line.as_bytes()).map_err(impossible)?;
        }
        Ok(metrics.into_metrics())
    }

    fn testbeds_of(&self, benchmark: &BenchmarkId) -> Result<Vec<String>, StoreError> {
        let mut testbeds = BTreeSet::new();
        for line in &self.content().lines {
            testbeds.extend(testbed_of(line.as_bytes(), benchmark).map_err(impossible)?);
        }
        Ok(testbeds.into_iter().collect())
    }
}

/// The lines are our own.
fn impossible(error: LineError) -> StoreError {
    StoreError::Invalid { why: format!("a record in memory cannot be read: {error:?}") }
}
