//! The alerts of a check: which of them are shown, and how in Markdown.

use crate::alerts::{Scope, Watch, WatchResult};
use crate::args::CheckArgs;
use crate::report::counted;
use crate::rules::RulesFile;
use perftest_core::words::quoted;
use std::collections::BTreeSet;

/// What a check was asked for and what it found.
pub(super) struct CheckAnswer<'a> {
    pub(super) args: &'a CheckArgs,
    pub(super) watch: &'a Watch<'a>,
    pub(super) rules: &'a RulesFile,
    pub(super) scope: &'a Scope,
}

impl<'a> CheckAnswer<'a> {
    /// The results that are news, or all with `--all`.
    fn news(&self) -> Vec<&'a WatchResult<'a>> {
        let is_news = |it: &&WatchResult<'_>| self.args.all || it.is_news();
        self.watch.watched.iter().filter(is_news).collect()
    }

    /// The first and worst news of each test on a testbed and branch, or all with `--all`.
    pub(super) fn shown(&self) -> Vec<&'a WatchResult<'a>> {
        let mut shown = self.news();
        if !self.args.all {
            let mut seen = BTreeSet::new();
            shown.retain(|it| {
                let WatchResult { series, branch, .. } = it;
                seen.insert((series.benchmark.to_string(), &series.testbed, branch))
            });
        }
        shown
    }

    /// The command that shows the test of the worst open alert; `None` without one. `source` is its option of the source.
    pub(super) fn looking_at_worst(&self, source: &str) -> Option<String> {
        let worst = self.watch.watched.iter().find(|it| it.is_open())?;
        let test = quoted(worst.series.benchmark.as_str());
        // An imported run has no verdict to be shown.
        let command = if worst.is_imported { "history" } else { "show" };
        Some(format!("cargo perftest {command} {test}{source}"))
    }

    /// `3 rows`, the number of news that are not shown; `None` when all are.
    pub(super) fn folded_rows(&self) -> Option<String> {
        let folded = self.news().len() - self.shown().len();
        (folded > 0).then(|| counted(folded, "row"))
    }
}
