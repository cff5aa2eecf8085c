//! `cargo perftest rank`: ranks tests by their newest runs.

use crate::args::reading::{RankArgs as Args, RankBy};
use crate::args::{OutputFormat, value_name};
use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::rank::{RankedTest, ranking_as_json, write_ranking};
use crate::reading::HistoryReader;
use crate::report::write_json_lines;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    if args.effects.are_chosen() && !args.by.has_direction() {
        return refuse(format!(
            "{} is neither a degradation nor an improvement: leave the filter out, or rank by change or \
             trend",
            value_name(args.by)
        ));
    }
    let limit = args.limit.unwrap_or_else(|| args.by.usual_limit());
    let mut reader = HistoryReader::new(&args.runs, limit, context)?;
    if !args.by.needs_measurements() {
        reader = reader.with_centers_only();
    }
    if args.by == RankBy::Change {
        reader = reader.with_summaries();
    }
    // Only the present configuration counts: earlier ones are other tests.
    let ranking =
        reader.of_stretches(1, context, |stretch| Ok(RankedTest::of(stretch, args.by)))?;
    match args.answer.format() {
        OutputFormat::Json => write_json_lines(context.out, ranking_as_json(&ranking, args))?,
        OutputFormat::Table if ranking.is_empty() => context.print_nothing_recorded()?,
        OutputFormat::Table => write_ranking(&ranking, args, context.out)?,
    }
    Ok(())
}
