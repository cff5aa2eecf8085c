//! Reads the records of one history.

use crate::exit::Result;
use crate::import::is_same_value;
use crate::whole_runs::load_whole_runs;
use perftest_core::model::{Correction, History, Judgement, Run, RunId};
use perftest_store::{Damage, Detail, Query, Series, Store, WithDamage, other_metrics};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Selects the newest runs, with no more than their medians need.
pub(crate) fn course_query(series: &Series, limit: usize) -> Query {
    Query { detail: Detail::Center, ..series.query(limit) }
}

/// Reads records, and collects their damage. Several histories are read at once, and their damage is
/// reported in the order of the histories.
pub(crate) struct RecordReader<'a> {
    pub(crate) store: &'a dyn Store,
    damaged: RefCell<Vec<Damage>>,
}

impl<'a> RecordReader<'a> {
    pub(crate) fn new(store: &'a dyn Store) -> Self {
        Self { store, damaged: RefCell::default() }
    }

    /// Returns the newest runs, oldest first.
    pub(crate) fn history(&self, series: &Series, limit: usize) -> Result<History> {
        Ok(self.readable(self.store.load(&series.query(limit))?))
    }

    /// Returns the newest runs, oldest first: as many as the limit of `query`, each with its fresh processes.
    pub(crate) fn whole_runs(&self, query: Query) -> Result<History> {
        Ok(self.readable(load_whole_runs(self.store, query)?))
    }

    /// Returns the newest runs, oldest first, with no more than their medians need.
    pub(crate) fn course(&self, series: &Series, limit: usize) -> Result<History> {
        Ok(self.readable(self.store.load(&course_query(series, limit))?))
    }

    /// Returns all runs of the same history in other units or directions, if there are any. They have no more
    /// than their medians need.
    pub(crate) fn in_other_units(&self, series: &Series) -> Result<Vec<(Series, History)>> {
        let others = other_metrics(self.store, series)?.into_iter();
        let others = others.map(|metric| Series { metric, ..series.clone() });
        others.map(|it| self.course(&it, usize::MAX).map(|history| (it, history))).collect()
    }

    /// Returns the results of rules for a history with these runs, under its present and its former name: of a run and a
    /// rule the first one, which stands where two stores judged the same run.
    pub(crate) fn judgements(
        &self,
        series: &Series,
        runs: &[Run],
    ) -> Result<WithDamage<Vec<Judgement>>> {
        let mut all = WithDamage { value: Vec::new(), damaged: Vec::new() };
        for name in series.formerly.iter().chain([&series.benchmark]) {
            let loaded = self.store.judgements(name, &series.testbed)?;
            all.value.extend(loaded.value);
            all.damaged.extend(loaded.damaged);
        }
        all.value.retain(|it| it.metric == series.metric.name);
        leave_out_replaced(&mut all.value, runs);
        let mut known = HashSet::new();
        all.value.retain(|it| known.insert((it.run.clone(), it.threshold.clone())));
        Ok(all)
    }

    /// Returns the readable data, and keeps the damage for the report.
    pub(crate) fn readable<T>(&self, loaded: WithDamage<T>) -> T {
        self.damaged.borrow_mut().extend(loaded.damaged);
        loaded.value
    }

    /// Returns the damage so far.
    pub(crate) fn into_damage(self) -> Vec<Damage> {
        self.damaged.into_inner()
    }
}

/// Leaves out results by values that an import on another machine had replaced: the store that judged did not have the
/// new values yet, so the time of the correction decides nothing. What was judged with them, of later runs, goes too.
fn leave_out_replaced(judgements: &mut Vec<Judgement>, runs: &[Run]) {
    let imported = runs.iter().filter(|run| run.is_imported());
    let values: HashMap<&RunId, f64> =
        imported.filter_map(|run| Some((&run.id, run.center()?))).collect();
    let is_replaced =
        |it: &&Judgement| values.get(&it.run).is_some_and(|value| !is_same_value(it.value, *value));
    let correction = |it: &Judgement| Correction {
        run: it.run.clone(),
        benchmark: it.benchmark.clone(),
        testbed: it.testbed.clone(),
        metric: it.metric.clone(),
        corrected_ms: it.judged_ms,
    };
    let corrections: Vec<Correction> =
        judgements.iter().filter(is_replaced).map(correction).collect();
    judgements.retain(|judgement| {
        let is_with = |it: &&Correction| it.corrected_ms == judgement.judged_ms;
        !corrections.iter().filter(is_with).any(|it| it.outdates(judgement))
    });
}
