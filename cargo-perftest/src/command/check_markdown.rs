//! The alerts of `cargo perftest check` in Markdown.

use super::check_answer::CheckAnswer;
use super::check_notes::notes;
use crate::alerts::{alert_table, folded_lines};
use crate::branches::branch_name;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::export::LARGEST_SUMMARY;
use crate::report::{code, counted, prose};

pub(super) fn write(answer: &CheckAnswer<'_>, context: &mut CommandContext<'_>) -> Result<()> {
    let open = answer.watch.watched.iter().filter(|it| it.is_open()).count();
    let branch = code(branch_name(answer.scope.branch.as_str()));
    let alerts = counted(open, "open alert");
    writeln!(context.out, "### Performance: {alerts} on branch {branch}\n")?;
    let shown = answer.shown();
    if !shown.is_empty() {
        writeln!(context.out, "{}", alert_table(&shown).markdown(LARGEST_SUMMARY))?;
    }
    if let Some(rows) = answer.folded_rows() {
        writeln!(context.out, "And {rows} of the same tests by other rules or metrics.\n")?;
    }
    if answer.watch.watched.is_empty() {
        writeln!(context.out, "No threshold watches a run on this branch.\n")?;
    }
    let notes = notes(answer, context.now_ms());
    for line in folded_lines(answer.watch).iter().chain(&notes) {
        writeln!(context.out, "- {}", prose(line))?;
    }
    if let Some(command) = answer.looking_at_worst(&context.source_as_typed()) {
        writeln!(context.out, "\nMore: {}", code(&command))?;
    }
    Ok(())
}
