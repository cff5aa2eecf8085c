//! `cargo perftest show`: the evidence of the last verdict, in plain words.

use crate::args::{OutputFormat, ShowArgs as Args};
use crate::command_context::CommandContext;
use crate::exit::{Result, refuse};
use crate::profiler::{ProfileStore, kept_difference};
use crate::report::{
    environment_as_json, extend, local_minute, run_as_json, run_report, write_json_line, write_line,
};
use crate::series::{in_words, name_of};
use perftest_core::model::{Evidence, Outcome, Run};
use perftest_core::words::{Report, quoted};
use serde_json::{Map, Value, json};

/// Number of newest runs that may lack a verdict.
const LOOK_BACK: usize = 50;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let found = context.chosen(Some(&args.test))?;
    // The first history without a verdict, such as an imported one of the same name, and whether another one has one.
    let (mut without, mut is_shown) = (None, false);
    for series in found {
        let history = context.history(&series, LOOK_BACK);
        let Some(history) = context.read_failures.or_added(history)? else {
            continue;
        };
        let judged = history.newest_judged().and_then(|run| Some((run, run.evidence.as_ref()?)));
        let Some((run, evidence)) = judged else {
            let are_imported = history.runs.last().is_some_and(Run::is_imported);
            without.get_or_insert((series, are_imported));
            continue;
        };
        is_shown = true;
        let (root, testbeds) = (&context.place.root, context.store.decisions()?.value.testbeds);
        let profiles =
            ProfileStore::of_testbed(root, &context.local_project, &series.testbed, &testbeds);
        let functions = kept_difference(&profiles, &history.runs).and_then(|kept| kept.cause());
        let functions = functions.as_deref();
        match args.answer.format() {
            OutputFormat::Json => {
                let accepted_for = context.accepted_for(run)?;
                let report = run_report(run, evidence, accepted_for.as_deref(), functions);
                write_json_line(context.out, &as_json(run, report))?;
            }
            OutputFormat::Table => write_words(run, evidence, functions, context)?,
        }
    }
    match without {
        Some((series, true)) if !is_shown => refuse(format!(
            "the runs of {} are imported and have no verdict; see them with `cargo perftest history {}{}`",
            name_of(&series),
            quoted(series.benchmark.as_str()),
            context.source_as_typed()
        )),
        Some((series, false)) if !is_shown => refuse(format!(
            "no verdict is among the newest {LOOK_BACK} runs of {}; run it with `cargo test --release`",
            name_of(&series)
        )),
        _ => Ok(()),
    }
}

/// `functions` are those that explain the difference.
pub(super) fn write_words(
    run: &Run,
    evidence: &Evidence,
    functions: Option<&str>,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let style = match evidence.reason.outcome() {
        Outcome::Failed => anstyle::AnsiColor::Red.on_default().bold(),
        _ => anstyle::Style::new().bold(),
    };
    let accepted_for = context.accepted_for(run)?;
    let report = run_report(run, evidence, accepted_for.as_deref(), functions);
    let out = &mut *context.out;
    let (name, when) = (in_words(&run.benchmark, &run.metric), local_minute(run.started_ms));
    write_line(out, &format_args!("{name} on {}, {when}", run.testbed))?;
    writeln!(out, "{style}{}{style:#}", report.headline)?;
    for (name, text) in report.lines {
        writeln!(out, "  {name:<9} {text}")?;
    }
    Ok(())
}

fn as_json(run: &Run, report: Report) -> Value {
    let as_field = |(name, text): (&str, String)| (name.to_owned(), Value::String(text));
    let mut value = run_as_json("verdict", run);
    extend(
        &mut value,
        json!({
            "environment": environment_as_json(&run.environment),
            "words": report.headline,
            "lines": report.lines.into_iter().map(as_field).collect::<Map<_, _>>(),
        }),
    );
    value
}
