//! Reads the records of one history.

use crate::exit::Result;
use crate::whole_runs::load_whole_runs;
use perftest_core::model::{History, Judgement};
use perftest_store::{Damage, Detail, Query, Series, Store, WithDamage, other_metrics};
use std::cell::RefCell;
use std::collections::HashSet;

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

    /// Returns the newest runs, oldest first: as many as `limit`, each with its fresh processes.
    pub(crate) fn whole_runs(&self, series: &Series, limit: usize) -> Result<History> {
        Ok(self.readable(load_whole_runs(self.store, series.query(limit))?))
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

    /// Returns the results of rules for a history, under its present and its former name: of a run and a rule the first
    /// one, which stands where two stores judged the same run.
    pub(crate) fn judgements(&self, series: &Series) -> Result<WithDamage<Vec<Judgement>>> {
        let mut all = WithDamage { value: Vec::new(), damaged: Vec::new() };
        for name in series.formerly.iter().chain([&series.benchmark]) {
            let loaded = self.store.judgements(name, &series.testbed)?;
            all.value.extend(loaded.value);
            all.damaged.extend(loaded.damaged);
        }
        let mut known = HashSet::new();
        all.value.retain(|it| {
            it.metric == series.metric.name && known.insert((it.run.clone(), it.threshold.clone()))
        });
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
