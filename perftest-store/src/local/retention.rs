//! Which runs of a file stay as they are.

use crate::format::{
    Fields, LineError, SUMMARY, check_sum, check_version, decode_run, has_our_version,
};
use crate::keep_reading::{is_fresh_process, is_run};
use perftest_core::list::IntoList;
use perftest_core::model::{Anchor, BaselineRule};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// Which runs stay when older ones become summaries.
#[derive(Debug, Clone, Default)]
pub struct Retention {
    /// The newest runs of each metric stay, so many, with their fresh processes.
    pub newest: usize,
    /// Runs with these ids stay.
    pub ids: HashSet<String>,
}

impl Retention {
    /// So many of the newest runs of a configuration that count stay, of whatever branch: as far as a baseline is
    /// searched. A checkout of an earlier commit has its baseline behind all that was merged since.
    pub const BASELINE: usize = BaselineRule::SEARCHED_RUNS;
}

/// Why a run stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeptFor {
    /// It is among the newest ones.
    Newest,
    /// A baseline may have it.
    Baseline,
    /// It is among the first runs of all, or after a retirement, with which slow drift is compared.
    Anchor,
    /// It is among the first runs of an accepted level.
    Acceptance,
    /// An alert or another decision names it.
    Decision,
    /// A summary would be no shorter.
    Short,
}

/// What the rule needs of a line.
pub(super) struct LineHead {
    pub(super) id: String,
    /// Test, testbed, metric, unit, direction.
    pub(super) series: String,
    config: String,
    /// What the runs of one summary have in common: the series, configuration, commit and branch, and whether
    /// they are points of a history. A run of an unknown commit is alone.
    pub(super) group: String,
    acceptance: Option<String>,
    counts: bool,
    /// It is a part of a run.
    pub(super) is_fresh_process: bool,
    pub(super) started_ms: u64,
    testbed: String,
}

impl LineHead {
    /// Returns what the lines of one run of a series have in common.
    pub(super) fn identity(&self) -> (&str, &str, bool) {
        (&self.series, &self.id, self.is_fresh_process)
    }
}

/// What is known of a summary.
pub(super) struct SummaryHead {
    pub(super) series: String,
    /// The ids of its runs.
    pub(super) ids: Vec<String>,
}

/// A line of a history.
pub(super) enum HistoryLine {
    Run(LineHead),
    Summary(SummaryHead),
    /// Another record, or a damaged line: it stays.
    Other,
}

impl HistoryLine {
    pub(super) fn of(line: &[u8]) -> Result<Self, LineError> {
        match Self::readable(line) {
            Err(LineError::Damaged(_)) => Ok(Self::Other),
            read => read,
        }
    }

    fn readable(line: &[u8]) -> Result<Self, LineError> {
        check_sum(line)?;
        let fields = &Fields::parse(line)?;
        check_version(fields)?;
        let (is_run, is_summary) = (is_run(fields)?, fields.is_text("kind", SUMMARY)?);
        if !is_run && !is_summary {
            return Ok(Self::Other);
        }
        let text = |key: &str| fields.need::<String>(key);
        let (id, testbed) = (text("id")?, text("testbed")?);
        let parts =
            [text("benchmark")?, testbed.clone(), text("metric")?, text("unit")?, text("better")?];
        let (series, config) =
            (parts.iter().joined("\n"), fields.get_or_default::<String>("config")?);
        let commit: String = fields.get_or_default("commit")?;
        let branch: String = fields.get_or_default("branch")?;
        let dirty = if fields.get_or_default("dirty")? { "dirty" } else { "clean" };
        let branch = format!("{branch} {dirty}");
        if is_summary {
            return Ok(Self::Summary(SummaryHead { series, ids: fields.get_or_default("ids")? }));
        }
        let is_fresh_process = is_fresh_process(fields)?;
        let is_retry = fields.get::<u32>("attempt")?.is_some_and(|attempt| attempt > 1);
        let is_unfit = !fields.get_or_default::<Vec<String>>("distrusted")?.is_empty();
        let kind = format!("{is_fresh_process} {is_retry} {is_unfit}");
        let alone = if commit.is_empty() { id.as_str() } else { "" };
        let group = [&series, &config, &commit, alone, &branch, &kind].iter().joined("\n");
        // A line without a checksum may be readable in part: then no reader takes it for a run.
        if !has_our_version(line) {
            decode_run(fields)?;
        }
        Ok(Self::Run(LineHead {
            id,
            series,
            config,
            group,
            acceptance: fields.get("acceptance")?,
            counts: fields.get_or_default("counts_for_baseline")?,
            is_fresh_process,
            started_ms: fields.need("started_ms")?,
            testbed,
        }))
    }

    pub(super) fn run(&self) -> Option<&LineHead> {
        match self {
            Self::Run(run) => Some(run),
            Self::Summary(_) | Self::Other => None,
        }
    }

    pub(super) fn summary(&self) -> Option<&SummaryHead> {
        match self {
            Self::Summary(summary) => Some(summary),
            Self::Run(_) | Self::Other => None,
        }
    }
}

/// Counts different runs by a key.
struct RunCounts<K> {
    ids: HashMap<K, HashSet<String>>,
}

impl<K: Hash + Eq> RunCounts<K> {
    fn new() -> Self {
        Self { ids: HashMap::new() }
    }

    /// Returns whether the run is one of the first so many with this key.
    fn is_within(&mut self, key: K, id: &str, most: usize) -> bool {
        let ids = self.ids.entry(key).or_default();
        if !ids.contains(id) && ids.len() < most {
            ids.insert(id.to_owned());
        }
        ids.contains(id)
    }
}

impl Retention {
    /// Returns why each line stays, in the order of the lines; `None` for a run that becomes part of a summary, and
    /// for what is no run. `retired_ms` gives the time up to which a testbed is retired.
    pub(super) fn reasons(
        &self,
        lines: &[HistoryLine],
        retired_ms: &dyn Fn(&str) -> Option<u64>,
    ) -> Vec<Option<KeptFor>> {
        let mut reasons: Vec<Option<KeptFor>> = lines.iter().map(|_| None).into_list();
        let mut keep = |index: usize, why: KeptFor| {
            reasons[index].get_or_insert(why);
        };
        let runs =
            || lines.iter().enumerate().filter_map(|(index, line)| Some((index, line.run()?)));
        let mut newest = RunCounts::new();
        let mut searched = RunCounts::new();
        // Fresh processes stay with the run before or after them.
        let mut are_newest: HashMap<&str, bool> = HashMap::new();
        for (index, run) in runs().rev() {
            let is_newest = are_newest.entry(&run.series).or_insert(true);
            if !run.is_fresh_process {
                *is_newest = newest.is_within(&run.series, &run.id, self.newest);
            }
            if *is_newest {
                keep(index, KeptFor::Newest);
            }
            // The search sees neither more nor other runs than before: it would else reach the anchors.
            let config = (&run.series, &run.config);
            if run.counts && searched.is_within(config, &run.id, Self::BASELINE) {
                keep(index, KeptFor::Baseline);
            }
            if self.ids.contains(&run.id) {
                keep(index, KeptFor::Decision);
            }
        }
        let mut anchors = RunCounts::new();
        for (index, run) in runs().filter(|(_, run)| run.counts) {
            let is_after = retired_ms(&run.testbed).is_some_and(|until| run.started_ms > until);
            for after in [false, true].into_iter().filter(|after| !after || is_after) {
                for config in [None, Some(&run.config)] {
                    let of = |acceptance| (&run.series, config, acceptance, after);
                    if anchors.is_within(of(None), &run.id, Anchor::RUNS) {
                        keep(index, KeptFor::Anchor);
                    }
                    let accepted = run.acceptance.as_ref();
                    if accepted.is_some() && anchors.is_within(of(accepted), &run.id, Anchor::RUNS)
                    {
                        keep(index, KeptFor::Acceptance);
                    }
                }
            }
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCHED: usize = BaselineRule::SEARCHED_RUNS;

    /// A run that counts.
    fn head(ordinal: usize, acceptance: Option<&str>) -> HistoryLine {
        HistoryLine::Run(LineHead {
            id: format!("{ordinal:026}"),
            series: "encode".to_owned(),
            config: String::new(),
            group: String::new(),
            acceptance: acceptance.map(str::to_owned),
            counts: true,
            is_fresh_process: false,
            started_ms: ordinal as u64,
            testbed: String::new(),
        })
    }

    /// Why each of so many runs stays. Those from 50 to 80 are of an accepted level, and those up to 100 are retired.
    fn reasons(count: usize) -> Vec<Option<KeptFor>> {
        let acceptance = |ordinal| (50..80).contains(&ordinal).then_some("faster");
        let lines: Vec<HistoryLine> = (0..count).map(|it| head(it, acceptance(it))).collect();
        let retention = Retention { newest: 200, ..Retention::default() };
        retention.reasons(&lines, &|_| Some(100))
    }

    #[test]
    fn all_runs_among_which_a_baseline_is_searched_stay() {
        assert!(reasons(SEARCHED).iter().all(Option::is_some));
        let reasons = reasons(SEARCHED + 150);
        let kept: Vec<usize> = (0..reasons.len()).filter(|it| reasons[*it].is_some()).collect();
        let expected = [0..10, 50..60, 101..111, 150..SEARCHED + 150];
        assert_eq!(kept, expected.into_iter().flatten().collect::<Vec<usize>>());
    }

    #[test]
    fn behind_them_the_first_runs_of_all_of_an_accepted_level_and_after_a_retirement_stay() {
        let reasons = reasons(SEARCHED + 150);
        for (first, why) in
            [(0, KeptFor::Anchor), (50, KeptFor::Acceptance), (101, KeptFor::Anchor)]
        {
            assert_eq!(reasons[first..first + 10], [Some(why); 10], "{first}");
        }
    }
}
