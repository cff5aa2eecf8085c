//! The alerts of `cargo perftest check` in Markdown.

use super::check::news_and_shown;
use super::check_notes::notes;
use crate::alerts::{AlertStatus, Scope, Watch, WatchResult};
use crate::args::CheckArgs as Args;
use crate::branches::branch_name;
use crate::command_context::CommandContext;
use crate::exit::CommandError;
use crate::report::{alert_table, code};
use crate::rules::RulesFile;
use crate::stats::counted;
use perftest_core::words::{markdown_text, quoted};

pub(super) fn write(
    args: &Args,
    watch: &Watch<'_>,
    rules: &RulesFile,
    scope: &Scope,
    context: &mut CommandContext<'_>,
) -> Result<(), CommandError> {
    let is_open = |it: &&WatchResult<'_>| it.standing == AlertStatus::Open;
    let open: Vec<&WatchResult<'_>> = watch.watched.iter().filter(is_open).collect();
    let branch = code(branch_name(scope.branch.as_str()));
    let alerts = counted(open.len(), "open alert");
    writeln!(context.out, "### Performance: {alerts} on branch {branch}\n")?;
    let (news, shown) = news_and_shown(args, watch);
    if !shown.is_empty() {
        writeln!(context.out, "{}", alert_table(&shown).markdown())?;
    }
    if news.len() > shown.len() {
        let rows = counted(news.len() - shown.len(), "row");
        writeln!(context.out, "And {rows} of the same tests by other rules or metrics.\n")?;
    }
    for note in notes(args, watch, rules, scope, context.now_ms()) {
        writeln!(context.out, "- {}", markdown_text(&note))?;
    }
    if let Some(worst) = open.first() {
        let command = format!("cargo perftest show {}", quoted(worst.series.benchmark.as_str()));
        writeln!(context.out, "\nMore: {}", code(&command))?;
    }
    Ok(())
}
