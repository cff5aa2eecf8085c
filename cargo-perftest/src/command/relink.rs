//! `cargo perftest relink`: whether a test is slow by its code or by where its code lies.

use crate::args::Relink as Args;
use crate::desk::Desk;
use crate::exit::Failure;
use crate::relink::{Conclusion, Speed, Target, TrialHistory, link};
use crate::report::{Table, ratio};
use perftest_core::words::quantity;

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<Conclusion, Failure> {
    let (found, unread) = desk.chosen(Some(&args.test))?;
    unread.into_result()?;
    let benchmark = found[0].benchmark.clone();
    let target = Target::of_benchmark(&benchmark)?;
    let (all, unread) = desk.series_of(None)?;
    // Whose they are cannot be told: the whole test or a stage of it may be among them.
    unread.tell();
    let history = TrialHistory::load(&all, &benchmark, desk)?;
    let mut table = Table::new(&[" seed", " value", " ratio", "verdict"]);
    let mut speeds: Vec<Speed> = Vec::new();
    for seed in 1..=args.times {
        let trial = history.judge(&link(&target, &args.profile, seed)?, &target)?;
        speeds.push(trial.speed());
        table.push([
            seed.to_string(),
            trial.value.map_or("-".into(), |value| quantity(value, &trial.unit)),
            trial.ratio.map_or("-".into(), ratio),
            trial.reason.name().replace('_', " "),
        ]);
    }
    let conclusion = Conclusion::of(&speeds);
    writeln!(desk.out, "{benchmark} in {} orders of its functions", args.times)?;
    table.write(desk.out)?;
    writeln!(desk.out, "{conclusion}")?;
    Ok(conclusion)
}
