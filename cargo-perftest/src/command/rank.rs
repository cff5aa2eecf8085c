//! `cargo perftest rank`: ranks tests by their newest runs.

use crate::args::OutputFormat;
use crate::args::reading::RankArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::reading::HistoryReader;
use crate::report::{RankedTest, ranking_as_json, write_ranking};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    if args.effects.are_chosen() && !args.by.has_direction() {
        return Err(CommandError::Usage(format!(
            "{} is neither a degradation nor an improvement: leave the filter out, or rank by change or \
             trend",
            args.by.name()
        )));
    }
    let mut reader = HistoryReader::new(&args.runs, args.limit, context)?;
    if !args.by.needs_measurements() {
        reader = reader.with_centers_only();
    }
    let (all, mut read_failures) = reader.series(context)?;
    reader.announce(&all, context);
    let (mut runs, mut ranking) = (0, Vec::new());
    context.for_each_history(
        &all,
        |series, records| {
            // Only the present configuration counts: earlier ones are other tests.
            let history = reader.history(series, records)?;
            let present = reader.stretches(&history, series, records)?.into_iter().next();
            Ok(present.map(|it| (it.runs.len(), RankedTest::of(&it, args.by))))
        },
        |of_history| {
            if let Some((count, ranked)) = read_failures.or_added(of_history)?.flatten() {
                runs += count;
                ranking.push(ranked);
            }
            Ok(())
        },
    )?;
    match ranking.is_empty() {
        true if !read_failures.is_empty() => return read_failures.into_result(),
        true => {}
        false => read_failures.or_report(reader.refuse_no_run(runs))?,
    }
    match args.answer.format() {
        OutputFormat::Json => {
            for line in ranking_as_json(&ranking, args) {
                writeln!(context.out, "{line}")?;
            }
        }
        OutputFormat::Table if ranking.is_empty() => context.print_nothing_recorded()?,
        OutputFormat::Table => write_ranking(&ranking, args, context.out)?,
    }
    read_failures.into_result()
}
