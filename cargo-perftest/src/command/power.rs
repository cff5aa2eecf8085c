//! `cargo perftest power`: the smallest slowdown that each test detects with its history.

use crate::args::{OutputFormat, PowerArgs as Args};
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::history_directory::here;
use crate::power_table::{power_as_json, power_table};
use crate::report::write_json_lines;
use crate::test_power::{BaselineContext, ReplayRequest, TestPower};
use perftest_core::model::{Acceptance, Lineage};
use perftest_store::Series;

const LEGEND: &str = "
detects: the smallest slowdown that is found in 99 of 100 cases, computed from the history; --replay judges recorded runs again.";
const REPLAYED_LEGEND: &str = "
detects: the smallest slowdown that is found in 99 of 100 cases. red, replayed: how many of the test's own runs are
red when they are judged again, with 95% bounds; x1.05 to x1.50: how many are when made so much slower.";

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let accepted: Vec<Acceptance> =
        context.acceptances()?.into_iter().map(|entry| entry.acceptance).collect();
    let all = context.chosen(args.test.as_deref())?;
    let (shown, chosen): (Vec<_>, Vec<_>) = all.into_iter().partition(Series::is_show_only);
    let effort =
        args.replay.then_some(ReplayRequest { decisions: args.decisions, seed: args.seed });
    let lineage = Lineage::after_all_of(&Branches::around(&here()?).default);
    let known = BaselineContext { accepted, lineage, now_ms: context.now_ms() };
    context.announce_newest(&chosen, TestPower::LOOK_BACK);
    let mut guards = context
        .map_histories(&chosen, |series, records| TestPower::of(series, &known, effort, records))?;
    guards.sort_by(|one, other| {
        other.relative_detection_limit().total_cmp(&one.relative_detection_limit())
    });
    match args.answer.format() {
        OutputFormat::Json => write_json_lines(context.out, power_as_json(&guards))?,
        OutputFormat::Table if guards.is_empty() => context.print_nothing_to_judge(&shown)?,
        OutputFormat::Table => {
            power_table(&guards).write(context.out)?;
            writeln!(context.out, "{}", if args.replay { REPLAYED_LEGEND } else { LEGEND })?;
        }
    }
    Ok(())
}
