//! `cargo perftest power`: what each test can see with its history.

use crate::args::{Format, Power as Args};
use crate::branches::Branches;
use crate::desk::Desk;
use crate::exit::Failure;
use crate::guard::{Effort, Guard};
use crate::place::here;
use crate::report::{power_as_json, power_table, progress};
use crate::series::in_words;
use perftest_core::model::{Acceptance, Lineage};

const LEGEND: &str = "
detects: the smallest slowdown that is found in 99 of 100 cases, computed from the history; --replay judges recorded runs again.";
const REPLAYED_LEGEND: &str = "
detects: the smallest slowdown that is found in 99 of 100 cases. red, replayed: how many of the test's own runs are
red when they are judged again, with 95 % bounds; x1.05 to x1.50: how many are when made so much slower.";

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let accepted: Vec<Acceptance> =
        desk.acceptances()?.into_iter().map(|entry| entry.acceptance).collect();
    let (chosen, mut unread) = desk.chosen(args.test.as_deref())?;
    let effort = args.replay.then_some(Effort { decisions: args.decisions, seed: args.seed });
    let lineage = Lineage::after_all_of(&Branches::around(&here()?).default);
    let (count, mut guards) = (chosen.len(), Vec::new());
    for (number, series) in (1..).zip(chosen) {
        progress(&format!("{number} of {count}: {}", in_words(&series.benchmark, &series.metric)));
        guards.extend(unread.or_added(Guard::of(series, &accepted, &lineage, effort, desk))?);
    }
    progress("");
    if guards.is_empty() && !unread.is_empty() {
        return unread.into_result();
    }
    guards.sort_by(|one, other| other.blindness().total_cmp(&one.blindness()));
    match args.answer.format() {
        Format::Json => {
            for line in power_as_json(&guards) {
                writeln!(desk.out, "{line}")?;
            }
        }
        Format::Table if guards.is_empty() => desk.tell_nothing_recorded()?,
        Format::Table => {
            power_table(&guards).write(desk.out)?;
            writeln!(desk.out, "{}", if args.replay { REPLAYED_LEGEND } else { LEGEND })?;
        }
    }
    unread.into_result()
}
