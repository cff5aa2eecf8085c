//! `cargo perftest changepoints`: when tests became slower or faster for good.

use crate::args::OutputFormat;
use crate::args::reading::ChangepointsArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::reading::{HistoryReader, Stretch, StretchChanges};
use crate::report::{changes_as_json, write_changes, write_course};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let reader = HistoryReader::new(&args.runs, args.limit, context)?;
    let reader = reader.with_centers_only().with_summaries();
    let (all, mut read_failures) = reader.series(context)?;
    reader.announce(&all, context);
    let (mut runs, mut found) = (0, Vec::new());
    let changes =
        |stretch: Stretch<'_>| (stretch.runs.len(), StretchChanges::of(stretch, &args.detection));
    context.for_each_history(
        &all,
        |series, records| {
            let history = reader.history(series, records)?;
            let stretches = reader.stretches(&history, series, records)?;
            Ok(stretches.into_iter().map(changes).collect::<Vec<_>>())
        },
        |of_history| {
            for (count, changes) in read_failures.or_added(of_history)?.unwrap_or_default() {
                runs += count;
                found.push(read_failures.or_report(changes)?);
            }
            Ok(())
        },
    )?;
    match found.is_empty() {
        true if !read_failures.is_empty() => return read_failures.into_result(),
        true => {}
        false => read_failures.or_report(reader.refuse_no_run(runs))?,
    }
    match args.answer.format() {
        OutputFormat::Json => {
            for line in changes_as_json(&found, args) {
                writeln!(context.out, "{line}")?;
            }
        }
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
    read_failures.into_result()
}
