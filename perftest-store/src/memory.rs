//! History as long as the process runs.

use crate::annotation::check_context_hash;
use crate::format::{
    EventLine, Fields, JudgementRecord, LineError, encode_correction, encode_judgements,
    encode_model, encode_run,
};
use crate::newest_execution::{NewestExecution, series_of, settled_series};
use crate::recorded_metrics::RecordedMetrics;
use crate::selection::{ReadOrder, Selection};
use crate::{
    Annotation, Decisions, Listing, Query, Series, Store, StoreError, Testbeds, WithDamage,
};
use perftest_core::model::{BenchmarkId, History, Judgement, Metric, Model, Run, RunId};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store in memory, for tests.
///
/// Runs pass through their written form, so that both kinds of store keep the same data.
#[derive(Debug, Default)]
pub struct MemoryStore {
    content: Mutex<MemoryContent>,
}

#[derive(Debug, Default)]
struct MemoryContent {
    /// Runs as lines, oldest first.
    lines: Vec<String>,
    events: Vec<EventLine>,
    judgements: Vec<JudgementRecord>,
    models: Vec<Model>,
    contexts: BTreeMap<String, String>,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every change is a single push, so a panic elsewhere leaves the content consistent.
    fn content(&self) -> MutexGuard<'_, MemoryContent> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn testbeds(&self) -> Arc<Testbeds> {
        Decisions::after(&self.content().events).testbeds
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
    fn append(&self, run: &Run) -> Result<(), StoreError> {
        let line = encode_run(run)?;
        self.content().lines.push(line);
        Ok(())
    }

    fn load(&self, query: &Query) -> Result<WithDamage<History>, StoreError> {
        let testbeds = self.testbeds();
        testbeds.load(query, |query| query.with_former(|query| self.load_one_name(query)))
    }

    fn list(&self, benchmark: Option<&BenchmarkId>) -> Result<Listing, StoreError> {
        let testbeds = self.testbeds();
        let mut newest = BTreeMap::<_, NewestExecution>::new();
        for line in self.content().lines.iter().rev() {
            let fields = Fields::parse(line.as_bytes()).map_err(impossible)?;
            let series: Series = series_of(&fields).map_err(impossible)?;
            if benchmark.is_none_or(|only| series.benchmark == *only) {
                let execution = newest.entry((series.benchmark, series.testbed)).or_default();
                let _ = execution.take_line(line.as_bytes()).map_err(impossible)?;
            }
        }
        let series = settled_series(newest.into_values().collect(), &testbeds);
        let series = WithDamage { value: series, damaged: Vec::new() };
        Ok(Listing { series, unreadable: Vec::new() })
    }

    fn metrics(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
        run: Option<&RunId>,
    ) -> Result<Vec<Metric>, StoreError> {
        self.testbeds().metrics(testbed, |testbed| {
            let mut metrics = RecordedMetrics::of(benchmark, testbed, run);
            for line in self.content().lines.iter().rev() {
                let _ = metrics.take_line(line.as_bytes()).map_err(impossible)?;
            }
            Ok(metrics.into_metrics())
        })
    }

    fn annotate(&self, annotation: Annotation<'_>) -> Result<(), StoreError> {
        match annotation {
            Annotation::Acceptance(acceptance) => {
                let event = EventLine::Accept(acceptance.clone());
                event.encode()?;
                self.content().events.push(event);
            }
            Annotation::Testbed(decision) => {
                self.content().events.push(EventLine::Testbed(decision.clone()));
            }
            Annotation::Revocation { of, at_ms } => {
                let of = of.to_owned();
                self.content().events.push(EventLine::Tombstone { of, at_ms });
            }
            Annotation::Judgements(judgements) => {
                encode_judgements(judgements)?;
                let records = judgements.iter().cloned().map(JudgementRecord::Judgement);
                self.content().judgements.extend(records);
            }
            Annotation::Correction(correction) => {
                encode_correction(correction)?;
                let record = JudgementRecord::Correction(correction.clone());
                self.content().judgements.push(record);
            }
            Annotation::Model(model) => {
                encode_model(model)?;
                self.content().models.push(model.clone());
            }
            Annotation::Context { hash, json } => {
                check_context_hash(hash)?;
                self.content().contexts.entry(hash.to_owned()).or_insert_with(|| json.to_owned());
            }
        }
        Ok(())
    }

    fn decisions(&self) -> Result<WithDamage<Decisions>, StoreError> {
        let value = Decisions::after(&self.content().events);
        Ok(WithDamage { value, damaged: Vec::new() })
    }

    fn judgements(
        &self,
        benchmark: &BenchmarkId,
        testbed: &str,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        self.testbeds().judgements(testbed, |testbed| {
            let is_meant = |it: &&JudgementRecord| it.is_of(benchmark, testbed);
            let value = self.content().judgements.iter().filter(is_meant).cloned().collect();
            Ok(WithDamage { value, damaged: Vec::new() })
        })
    }

    fn models(&self) -> Result<WithDamage<Vec<Model>>, StoreError> {
        Ok(WithDamage { value: self.content().models.clone(), damaged: Vec::new() })
    }

    fn context(&self, hash: &str) -> Result<Option<String>, StoreError> {
        check_context_hash(hash)?;
        Ok(self.content().contexts.get(hash).cloned())
    }
}

/// The store wrote these lines itself.
fn impossible(error: LineError) -> StoreError {
    StoreError::Invalid { why: format!("a record in memory cannot be read: {error:?}") }
}
