//! Results of rules: stored, so that they stay when the rules change, and read again.

use super::{Scope, WatchResult};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::record_reader::RecordReader;
use crate::report::report_damage;
use perftest_core::model::{History, Judgement, Model, RuleResult, RunId};
use perftest_store::{Annotation, Series, Store, StoreError};
use std::collections::HashMap;

/// Writes results, and the versions of their rules.
pub(super) struct JudgementWriter<'a> {
    store: &'a dyn Store,
    models: Vec<Model>,
    now_ms: u64,
    /// Why nothing is stored, if that is so.
    pub not_kept: Option<String>,
}

impl<'a> JudgementWriter<'a> {
    pub(super) fn new(scope: &Scope, context: &'a CommandContext<'_>) -> Result<Self> {
        let reevaluate = || {
            scope
                .reevaluate
                .then(|| "all runs were judged by the present rules (--reevaluate)".into())
        };
        Ok(Self {
            store: context.store.as_ref(),
            models: report_damage(context.store.models()?),
            now_ms: context.now_ms(),
            not_kept: reevaluate().or_else(|| context.why_read_only().map(str::to_owned)),
        })
    }

    /// A read-only store is no error: today's results are the same.
    pub(super) fn keep(&mut self, judged: &mut [WatchResult<'_>]) -> Result<()> {
        if self.not_kept.is_some() {
            return Ok(());
        }
        match self.write(judged) {
            Err(error @ (StoreError::Unwritable { .. } | StoreError::Full { .. })) => {
                self.not_kept = Some(error.to_string());
                Ok(())
            }
            written => Ok(written?),
        }
    }

    fn write(&mut self, judged: &mut [WatchResult<'_>]) -> Result<(), StoreError> {
        let mut new: Vec<Judgement> = Vec::new();
        for watched in judged {
            let judgements = std::mem::take(&mut watched.new_judgements);
            if !judgements.is_empty() {
                self.write_model(watched.threshold.model(self.now_ms))?;
            }
            new.extend(judgements);
        }
        self.store.annotate(Annotation::Judgements(&new))
    }

    fn write_model(&mut self, model: Model) -> Result<(), StoreError> {
        let is_same = |it: &Model| it.threshold == model.threshold && it.version == model.version;
        if !self.models.iter().any(is_same) {
            self.store.annotate(Annotation::Model(&model))?;
            self.models.push(model);
        }
        Ok(())
    }
}

/// The stored results of one history.
#[derive(Debug, Default)]
pub(super) struct StoredJudgements {
    judgements: Vec<Judgement>,
}

impl StoredJudgements {
    /// Loads the results under the present and the former name.
    pub(super) fn of(
        series: &Series,
        history: &History,
        records: &RecordReader<'_>,
    ) -> Result<Self> {
        Ok(Self { judgements: records.readable(records.judgements(series, &history.runs)?) })
    }

    /// Returns the results of a threshold for each run.
    pub(super) fn findings(&self, threshold: &str) -> HashMap<RunId, RuleResult> {
        let of_threshold = self.judgements.iter().filter(|it| it.threshold == threshold);
        of_threshold.map(|it| (it.run.clone(), it.finding.clone())).collect()
    }

    /// Returns the version of the threshold that judged a run.
    pub(super) fn version(&self, threshold: &str, run: &RunId) -> Option<&str> {
        let mut of_run = self.judgements.iter().filter(|it| it.run == *run);
        of_run.find(|it| it.threshold == threshold).map(|it| it.model.as_str())
    }
}
