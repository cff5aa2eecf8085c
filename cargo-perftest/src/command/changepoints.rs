//! `cargo perftest changepoints`: when tests became slower or faster for good.

use crate::args::OutputFormat;
use crate::args::reading::ChangepointsArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::reading::{
    HistoryReader, Stretch, StretchChanges, changes_as_json, write_changes, write_course,
};
use crate::report::write_json_lines;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let reader = HistoryReader::new(&args.runs, args.limit, context)?;
    let reader = reader.with_centers_only().with_summaries();
    let changes = |stretch: Stretch<'_>| StretchChanges::of(stretch, &args.detection);
    let found = reader.of_stretches(usize::MAX, context, changes)?;
    match args.answer.format() {
        OutputFormat::Json => write_json_lines(context.out, changes_as_json(&found, args))?,
        OutputFormat::Table if found.is_empty() => context.print_nothing_recorded()?,
        OutputFormat::Table => {
            if args.runs.test.is_some() {
                for changes in &found {
                    write_course(changes, context.ascii, context.out)?;
                }
            }
            write_changes(&found, args, context.out)?;
        }
    }
    Ok(())
}
