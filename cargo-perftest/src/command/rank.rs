//! `cargo perftest rank`: tests in the order of what their newest runs look like.

use crate::args::Format;
use crate::args::reading::Rank as Args;
use crate::desk::Desk;
use crate::exit::Failure;
use crate::reading::Reader;
use crate::report::{Ranked, progress, ranking_as_json, write_ranking};

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    if args.effects.are_chosen() && !args.by.has_direction() {
        return Err(Failure::Usage(format!(
            "{} is neither a degradation nor an improvement: leave the filter out, or rank by change or \
             trend",
            args.by.name()
        )));
    }
    let reader = Reader::new(&args.runs, args.limit, desk)?;
    let (all, mut unread) = reader.series(desk)?;
    let (count, mut runs, mut ranking) = (all.len(), 0, Vec::new());
    for (number, series) in (1..).zip(&all) {
        progress(&format!("{number} of {count}: {}", series.benchmark));
        // The present configuration: what was before is no test of today.
        let stretches = unread.or_added(reader.stretches(series, desk))?;
        if let Some(present) = stretches.unwrap_or_default().into_iter().next() {
            runs += present.runs.len();
            ranking.push(Ranked::of(&present, args.by));
        }
    }
    progress("");
    match ranking.is_empty() {
        true if !unread.is_empty() => return unread.into_result(),
        true => {}
        false => unread.or_told(reader.refuse_no_run(runs))?,
    }
    match args.answer.format() {
        Format::Json => {
            for line in ranking_as_json(&ranking, args) {
                writeln!(desk.out, "{line}")?;
            }
        }
        Format::Table if ranking.is_empty() => desk.tell_nothing_recorded()?,
        Format::Table => write_ranking(&ranking, args, desk.out)?,
    }
    unread.into_result()
}
