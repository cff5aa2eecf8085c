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
    let all = reader.series(context)?;
    reader.announce(&all, context);
    let changes = |stretch: Stretch<'_>| {
        Ok((stretch.runs.len(), StretchChanges::of(stretch, &args.detection)?))
    };
    let of_histories = context.map_histories(&all, |series, records| {
        let history = reader.history(series, records)?;
        let stretches = reader.stretches(&history, series, records)?;
        stretches.into_iter().map(changes).collect::<Result<Vec<_>>>()
    })?;
    let (runs, found): (Vec<usize>, Vec<StretchChanges>) =
        of_histories.into_iter().flatten().unzip();
    if found.is_empty() && !context.read_failures.is_empty() {
        return Ok(());
    }
    if !found.is_empty() {
        reader.refuse_no_run(runs.iter().sum())?;
    }
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
