//! `cargo perftest relink`: whether a test is slow because of its code or its placement.

use crate::args::{OutputFormat, RelinkArgs as Args};
use crate::command_context::CommandContext;
use crate::compare::announce_first_build;
use crate::exit::Result;
use crate::relink::{RelinkConclusion, RelinkSpeed, RelinkTarget, RelinkTrial, TrialHistory, link};
use crate::report::{Table, ratio, write_json_line};
use perftest_core::words::quantity;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<RelinkConclusion> {
    let found = context.chosen(Some(&args.test))?;
    context.read_failures.refuse()?;
    let benchmark = found[0].benchmark.clone();
    let target = RelinkTarget::of_benchmark(&benchmark)?;
    let all = context.series_of(None)?;
    // The unreadable files may contain the whole test or a stage of it.
    context.read_failures.report();
    let history = TrialHistory::load(&all, &benchmark, context)?;
    // Another call would link over this executable, and remove its copy of the history.
    let _alone = target.lock()?;
    if !target.has_builds() {
        announce_first_build("`relink` in this workspace", "calls");
    }
    let format = args.answer.format();
    let mut trials: Vec<(u32, RelinkTrial)> = Vec::new();
    for seed in 1..=args.times {
        let trial = history.judge(&link(&target, &args.compile, seed)?, &target)?;
        let trial = trial.ok_or_else(|| target.without_verdict(&args.compile))?;
        if format == OutputFormat::Json {
            write_json_line(context.out, &trial.as_json(&benchmark, seed))?;
        }
        trials.push((seed, trial));
    }
    let speeds: Vec<RelinkSpeed> = trials.iter().map(|(_, trial)| trial.speed()).collect();
    let conclusion = RelinkConclusion::of(&speeds);
    if format == OutputFormat::Json {
        write_json_line(context.out, &conclusion.as_json(&benchmark))?;
        return Ok(conclusion);
    }
    writeln!(context.out, "{benchmark} in {} orders of its functions", args.times)?;
    Table::of(&trials)
        .column(" seed", |(seed, _)| *seed)
        .optional(" value", |(_, it)| Some(quantity(it.value?, &it.unit)))
        .optional(" ratio", |(_, it)| it.ratio.map(ratio))
        .column("verdict", |(_, it)| it.reason.name().replace('_', " "))
        .whole()
        .write(context.out)?;
    writeln!(context.out, "{conclusion}")?;
    Ok(conclusion)
}
