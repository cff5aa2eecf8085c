//! `cargo perftest rank`: ranks tests by their newest runs.

use crate::args::OutputFormat;
use crate::args::reading::RankArgs as Args;
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::rank::{RankedTest, ranking_as_json, write_ranking};
use crate::reading::HistoryReader;
use crate::report::write_json_lines;

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
    let all = reader.series(context)?;
    reader.announce(&all, context);
    let of_histories = context.map_histories(&all, |series, records| {
        // Only the present configuration counts: earlier ones are other tests.
        let history = reader.history(series, records)?;
        let present = reader.stretches(&history, series, records)?.into_iter().next();
        Ok(present.map(|it| (it.runs.len(), RankedTest::of(&it, args.by))))
    })?;
    let (runs, ranking): (Vec<usize>, Vec<RankedTest>) = of_histories.into_iter().flatten().unzip();
    if ranking.is_empty() && !context.read_failures.is_empty() {
        return Ok(());
    }
    if !ranking.is_empty() {
        reader.refuse_no_run(runs.iter().sum())?;
    }
    match args.answer.format() {
        OutputFormat::Json => write_json_lines(context.out, ranking_as_json(&ranking, args))?,
        OutputFormat::Table if ranking.is_empty() => context.print_nothing_recorded()?,
        OutputFormat::Table => write_ranking(&ranking, args, context.out)?,
    }
    Ok(())
}
