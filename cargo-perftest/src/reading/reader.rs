//! Reads the selected runs.

use super::{Branch, ExcludedRuns, SoughtMoment, Stretch, StretchFacts, without_season};
use crate::args::reading::Runs as Args;
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::grouped::grouped;
use crate::history_directory::here;
use crate::record_reader::RecordReader;
use crate::report::each_once;
use crate::whole_runs::{FURTHER, first_look, load_whole_runs};
use perftest_core::model::{History, Run};
use perftest_store::{Detail, PlannedRead, Query, Series, Which, WithDamage};

/// Reads histories, one after the other.
#[derive(Debug)]
pub(crate) struct HistoryReader<'a> {
    args: &'a Args,
    since: Option<SoughtMoment>,
    until: Option<SoughtMoment>,
    branch: Branch,
    /// Newest runs to take.
    limit: usize,
    /// Whether summaries of older runs are points, too.
    which: Which,
    /// How much of each run is needed.
    detail: Detail,
}

impl<'a> HistoryReader<'a> {
    /// Fewest runs that show a change of level.
    pub(crate) const FEWEST: usize = 20;

    pub(crate) fn new(args: &'a Args, limit: usize, context: &CommandContext<'_>) -> Result<Self> {
        let here = here()?;
        let repository = GitCheckout::around(&here).ok();
        let repository = repository.as_ref();
        let moment = |text: &Option<String>| {
            text.as_ref().map(|it| SoughtMoment::parse(it, context.now, repository)).transpose()
        };
        let (since, until) = (moment(&args.since)?, moment(&args.until)?);
        if let (Some(since), Some(until)) = (&since, &until)
            && since.is_behind(until)
        {
            return refuse(format!(
                "--since {} does not begin before --until {} ends: no run is between them; exchange them",
                args.since.as_deref().unwrap_or_default(),
                args.until.as_deref().unwrap_or_default()
            ));
        }
        Ok(Self {
            since,
            until,
            branch: Branch::of(args.branch.as_deref(), Branches::around(&here).default),
            args,
            limit,
            which: Which::All,
            detail: Detail::Whole,
        })
    }

    /// Takes summaries of older runs, too, each as a run.
    pub(crate) fn with_summaries(self) -> Self {
        Self { which: Which::AllAndSummaries, ..self }
    }

    /// Reads only what changes of medians need.
    pub(crate) fn with_centers_only(self) -> Self {
        Self { detail: Detail::Center, ..self }
    }

    /// Announces that these histories are read, each with what it has in other units.
    pub(crate) fn announce(&self, all: &[Series], context: &CommandContext<'_>) {
        let runs = |series| PlannedRead::Runs(first_look(self.query(series, self.look_back())));
        context.announce(all.iter().flat_map(|it| [runs(it), PlannedRead::Metrics(it.clone())]));
    }

    fn look_back(&self) -> usize {
        self.limit.saturating_add(1)
    }

    fn query(&self, series: &Series, limit: usize) -> Query {
        Query { which: self.which, detail: self.detail, ..series.query(limit) }
    }

    /// Returns the selected histories.
    pub(crate) fn series(&self, context: &CommandContext<'_>) -> Result<Vec<Series>> {
        let named = context.chosen(self.args.test.as_deref())?;
        let is_of = |series: &Series| {
            self.args.metric.as_ref().is_none_or(|metric| series.metric.name == *metric)
                && self.args.testbed.as_ref().is_none_or(|it| series.testbed.contains(it))
        };
        let chosen: Vec<Series> = named.iter().filter(|series| is_of(series)).cloned().collect();
        if chosen.is_empty() && !named.is_empty() {
            return refuse(nothing_like_it(&named));
        }
        Ok(chosen)
    }

    /// Does `work` for selected runs of each selected history, on all processors: for at most so many
    /// [stretches](Self::stretches).
    ///
    /// # Errors
    /// Also when no run is selected.
    pub(crate) fn of_stretches<R: Send>(
        &self,
        most: usize,
        context: &CommandContext<'_>,
        work: impl Fn(Stretch<'_>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let all = self.series(context)?;
        self.announce(&all, context);
        let of_histories = context.map_histories(&all, |series, records| {
            let history = self.history(series, records)?;
            let stretches = self.stretches(&history, series, records)?.into_iter().take(most);
            stretches.map(|it| Ok((it.runs.len(), work(it)?))).collect::<Result<Vec<_>>>()
        })?;
        let (runs, found): (Vec<usize>, Vec<R>) = of_histories.into_iter().flatten().unzip();
        if !found.is_empty() && runs.iter().all(|count| *count == 0) {
            self.refuse_no_run()?;
        }
        Ok(found)
    }

    /// Refuses an empty result, because a misspelt name would give one too.
    fn refuse_no_run(&self) -> Result<()> {
        let mut moments = [&self.since, &self.until].into_iter().flatten();
        match (&self.branch, moments.find_map(SoughtMoment::missing_commit)) {
            (_, Some(commit)) => {
                refuse(format!("git finds no commit `{commit}` here, and no run of it is recorded"))
            }
            (Branch::Named(name), None) => refuse(format!(
                "no run of branch `{name}`{} counts here: --branch '*' takes those of all branches, and \
                 runs of uncommitted code are of none",
                self.window_in_words()
            )),
            _ => Ok(()),
        }
    }

    /// Loads a history: the newest runs, one more than the limit, and older ones until so many selected runs are
    /// loaded or all are. The one more tells that there are older ones.
    pub(crate) fn history(&self, series: &Series, records: &RecordReader<'_>) -> Result<History> {
        let newest = self.newest_of(series, records)?;
        let longer = self.longer_than(&newest.value, series, records)?;
        Ok(records.readable(longer.unwrap_or(newest)))
    }

    /// Loads the newest runs, one more than the limit, selected or not, each with its fresh processes.
    pub(crate) fn newest_of(
        &self,
        series: &Series,
        records: &RecordReader<'_>,
    ) -> Result<WithDamage<History>> {
        Ok(load_whole_runs(records.store, self.query(series, self.look_back()))?)
    }

    /// Loads the [`history`](Self::history) if it has more than these newest runs; `None` if it has not.
    pub(crate) fn longer_than(
        &self,
        newest: &History,
        series: &Series,
        records: &RecordReader<'_>,
    ) -> Result<Option<WithDamage<History>>> {
        let (mut longer, mut look_back) = (None, self.look_back());
        let mut runs = &newest.runs;
        while runs.len() >= look_back && self.count_taken(runs, &self.branch) <= self.limit {
            look_back = look_back.saturating_mul(FURTHER);
            let loaded = records.store.load(&self.query(series, look_back))?;
            runs = &longer.insert(loaded).value.runs;
        }
        Ok(longer)
    }

    /// Returns the selected runs of a [`history`](Self::history), first those of the present configuration, then
    /// others with enough runs. There is at least one stretch, which may be empty.
    pub(crate) fn stretches<'r>(
        &self,
        history: &'r History,
        series: &Series,
        records: &RecordReader<'_>,
    ) -> Result<Vec<Stretch<'r>>> {
        let (branch, mut left_out) = self.used_branch(&history.runs);
        for (other, history) in records.in_other_units(series)? {
            let count = self.count_taken(&history.runs, &branch);
            left_out.other_units.extend((count > 0).then_some((other.metric, count)));
        }
        Ok(self.divided(&history.runs, series, &branch, left_out).collect())
    }

    /// Returns the stretch of the present configuration. Runs in other units are not counted: that reads all of a
    /// history.
    pub(crate) fn present_stretch<'r>(
        &self,
        history: &'r History,
        series: &Series,
    ) -> Option<Stretch<'r>> {
        let (branch, left_out) = self.used_branch(&history.runs);
        self.divided(&history.runs, series, &branch, left_out).next()
    }

    fn divided<'r>(
        &self,
        runs: &'r [Run],
        series: &Series,
        branch: &Branch,
        mut left_out: ExcludedRuns,
    ) -> impl Iterator<Item = Stretch<'r>> {
        let is_taken = self.selection(runs, branch);
        let taken = runs.iter().filter(|run| is_taken(run)).collect();
        // The present configuration is that of the newest selected run: an unoptimised build on
        // some branch does not count.
        let mut by_config = by_config(taken).into_iter();
        let present = by_config.next().unwrap_or_default();
        let mut others: Vec<Vec<&Run>> = by_config.collect();
        others.retain(|runs| {
            let are_enough = runs.len() >= Self::FEWEST;
            left_out.configurations += if are_enough { 0 } else { runs.len() };
            are_enough
        });
        let stretch = move |runs, is_present| {
            let runs = in_order(runs);
            let has_older = runs.len() > self.limit;
            let runs = self.newest(runs);
            let (values, removed_season) = without_season(self.args.season, &runs);
            let lacking = (*branch != self.branch).then(|| self.branch.name()).flatten();
            let [branch, lacking] = [branch.name(), lacking].map(|it| it.map(str::to_owned));
            let left_out = ExcludedRuns { has_older, ..left_out.clone() };
            let series = series.clone();
            let facts = StretchFacts { series, removed_season, branch, lacking, left_out };
            Stretch { facts, runs, values, is_present }
        };
        let present = stretch(present, true);
        std::iter::once(present).chain(others.into_iter().map(move |runs| stretch(runs, false)))
    }

    /// Returns the branch whose runs are used, and the number of other runs. The default branch
    /// needs enough runs.
    fn used_branch(&self, runs: &[Run]) -> (Branch, ExcludedRuns) {
        let count = |branch: &Branch| self.count_taken(runs, branch);
        let branch = match &self.branch {
            Branch::Default(_) if count(&self.branch) < Self::FEWEST => Branch::Every,
            branch => branch.clone(),
        };
        let is_within = self.window(runs);
        let is_counted = |run: &&Run| !run.is_fresh_process() && is_within(run);
        let is_unfit = |run: &&Run| is_counted(run) && run.attempt <= 1 && !run.is_fit();
        let is_retry = |run: &&Run| is_counted(run) && run.attempt > 1;
        let left_out = ExcludedRuns {
            elsewhere: count(&Branch::Every) - count(&branch),
            unfit: runs.iter().filter(is_unfit).count(),
            retries: runs.iter().filter(is_retry).count(),
            ..ExcludedRuns::default()
        };
        (branch, left_out)
    }

    /// Returns a filter for the runs of a branch that are taken.
    fn selection<'r>(&self, runs: &[Run], branch: &'r Branch) -> impl Fn(&Run) -> bool + use<'r> {
        let is_within = self.window(runs);
        // Fresh processes are of one minute, and agree with each other more than with other runs.
        move |run| {
            branch.has(run)
                && run.attempt <= 1
                && !run.is_fresh_process()
                && run.is_fit()
                && is_within(run)
                && has_center(run)
        }
    }

    fn count_taken(&self, runs: &[Run], branch: &Branch) -> usize {
        let is_taken = self.selection(runs, branch);
        runs.iter().filter(|run| is_taken(run)).count()
    }

    /// Returns a filter for runs between the requested moments.
    fn window(&self, runs: &[Run]) -> impl Fn(&Run) -> bool + use<> {
        let [since, until] = [&self.since, &self.until]
            .map(|moment| moment.as_ref().map(|moment| moment.among(runs)));
        move |run| {
            since.is_none_or(|since| since.is_some_and(|it| it.is_reached_by(run)))
                && until.is_none_or(|until| until.is_some_and(|it| it.is_not_passed_by(run)))
        }
    }

    /// Formats the requested moments, each after a space.
    fn window_in_words(&self) -> String {
        let ends = [("since", &self.args.since), ("until", &self.args.until)];
        ends.map(|(end, text)| text.as_ref().map_or_else(String::new, |it| format!(" {end} {it}")))
            .concat()
    }

    fn newest<'r>(&self, mut runs: Vec<&'r Run>) -> Vec<&'r Run> {
        runs.drain(..runs.len().saturating_sub(self.limit));
        runs
    }
}

/// Returns whether a run has a center, in most cases without computing it.
fn has_center(run: &Run) -> bool {
    let mut values = run.measurements.iter().map(|it| it.value);
    let are_numbers = run.on_processor_time.is_empty() && values.all(f64::is_finite);
    if are_numbers { !run.measurements.is_empty() } else { run.center().is_some() }
}

/// Groups runs by configuration, that of the newest first.
fn by_config(runs: Vec<&Run>) -> Vec<Vec<&Run>> {
    let newest_first = runs.into_iter().rev().map(|run| (&run.config, run));
    let mut groups: Vec<Vec<&Run>> =
        grouped(newest_first).into_iter().map(|(_, group)| group).collect();
    groups.iter_mut().for_each(|group| group.reverse());
    groups
}

/// Sorts by commits if all are known, so that a repeated run of an old commit gets the commit's
/// place. Otherwise keeps the order of the record.
fn in_order(mut runs: Vec<&Run>) -> Vec<&Run> {
    let order = |run: &&Run| run.revision.order;
    if runs.iter().all(|run| order(run) > 0) && !runs.is_sorted_by_key(order) {
        runs.sort_by_key(order);
    }
    runs
}

fn nothing_like_it(named: &[Series]) -> String {
    let metrics = each_once(named.iter().map(|series| series.metric.name.as_str()));
    let testbeds = each_once(named.iter().map(|series| series.testbed.as_str()));
    format!("no history is of that metric and testbed; there are {metrics}, on {testbeds}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::Measurement;
    use perftest_store::conformance::example_run;

    /// Returns a run with this place in the record, time of its commit and configuration.
    fn run(ordinal: u64, order: u64, config: &str) -> Run {
        let mut run = Run { config: config.into(), ..example_run(ordinal) };
        run.revision.order = order;
        run
    }

    fn ordinals(runs: &[&Run]) -> Vec<u64> {
        runs.iter().map(|run| (run.started_ms - example_run(0).started_ms) / 60_000).collect()
    }

    #[test]
    fn an_old_commit_that_is_run_again_is_where_it_belongs() {
        let runs = vec![run(0, 10, ""), run(1, 20, ""), run(2, 20, ""), run(3, 10, "")];
        assert_eq!(ordinals(&in_order(runs.iter().collect())), [0, 3, 1, 2]);
        let unknown = [runs, vec![run(4, 0, "")]].concat();
        assert_eq!(ordinals(&in_order(unknown.iter().collect())), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_run_has_a_center_exactly_if_it_can_be_computed() {
        let of = |values: &[f64], on_processor_time: &[u32]| Run {
            measurements: values.iter().map(|value| Measurement::of_value(*value)).collect(),
            on_processor_time: on_processor_time.to_vec(),
            suspects: Vec::new(),
            ..example_run(0)
        };
        let cases: [&[f64]; 5] =
            [&[], &[1.0], &[1.0, f64::NAN], &[f64::INFINITY; 3], &[1.0, 2.0, 3.0]];
        for values in cases {
            for on_processor_time in [&[][..], &[0]] {
                let run = of(values, on_processor_time);
                assert_eq!(has_center(&run), run.center().is_some(), "{values:?}");
            }
        }
    }

    #[test]
    fn configurations_are_kept_apart_the_newest_first() {
        let runs = [run(0, 1, "a"), run(1, 1, "b"), run(2, 1, "a"), run(3, 1, "b")];
        let groups = by_config(runs.iter().collect());
        let groups: Vec<Vec<u64>> = groups.iter().map(|it| ordinals(it)).collect();
        assert_eq!(groups, [[1, 3], [0, 2]]);
        assert!(by_config(Vec::new()).is_empty());
    }
}
