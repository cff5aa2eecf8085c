//! The alerts of a check: which of them are shown, and how in Markdown.

use super::check_notes::notes;
use crate::alerts::{Scope, Watch, WatchResult, alert_table};
use crate::args::CheckArgs;
use crate::branches::branch_name;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::report::{code, counted};
use crate::rules::RulesFile;
use perftest_core::words::{markdown_text, quoted};
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

    /// `3 rows`, the number of news that are not shown; `None` when all are.
    pub(super) fn folded_rows(&self) -> Option<String> {
        let folded = self.news().len() - self.shown().len();
        (folded > 0).then(|| counted(folded, "row"))
    }

    pub(super) fn write_markdown(&self, context: &mut CommandContext<'_>) -> Result<()> {
        let open: Vec<&WatchResult<'_>> =
            self.watch.watched.iter().filter(|it| it.is_open()).collect();
        let branch = code(branch_name(self.scope.branch.as_str()));
        let alerts = counted(open.len(), "open alert");
        writeln!(context.out, "### Performance: {alerts} on branch {branch}\n")?;
        let shown = self.shown();
        if !shown.is_empty() {
            writeln!(context.out, "{}", alert_table(&shown).markdown())?;
        }
        if let Some(rows) = self.folded_rows() {
            writeln!(context.out, "And {rows} of the same tests by other rules or metrics.\n")?;
        }
        for note in notes(self, context.now_ms()) {
            writeln!(context.out, "- {}", markdown_text(&note))?;
        }
        if let Some(worst) = open.first() {
            let command =
                format!("cargo perftest show {}", quoted(worst.series.benchmark.as_str()));
            writeln!(context.out, "\nMore: {}", code(&command))?;
        }
        Ok(())
    }
}
