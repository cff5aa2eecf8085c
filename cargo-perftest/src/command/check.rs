//! `cargo perftest check`: alerts by the rules in `perftest.toml`.

use super::check_answer::CheckAnswer;
use super::check_cut::refuse_cut;
use super::check_notes::notes;
use super::{check_acknowledge, check_markdown, check_models};
use crate::alerts::{
    Scope, Watch, WatchResult, alert_as_json, alert_table, check_as_json, folded_lines,
};
use crate::args::{AnswerFormat, CheckArgs as Args};
use crate::branches::{Branches, branch_name};
use crate::command_context::CommandContext;
use crate::exit::{CommandEnd, Result, refuse};
use crate::history_directory::here;
use crate::report::{each_once, print_progress, write_json_line, write_json_lines, write_line};
use crate::rules::{NamePattern, RulesFile, ThresholdRule};
use perftest_core::words::quoted;
use perftest_process::{CiProvider, project_root};
use perftest_store::Series;
use std::env;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<CommandEnd> {
    let format = args.answer.format();
    if let Some(id) = &args.revoke {
        check_acknowledge::revoke(id, format.plain(), context)?;
        return Ok(CommandEnd::Done);
    }
    let here = here()?;
    let rules = RulesFile::nearest(&here, &project_root(&here))?;
    if args.models {
        check_models::list(rules.as_ref(), format.plain(), context)?;
        return Ok(CommandEnd::Done);
    }
    let rules = chosen(some_rules(rules)?, args.threshold.as_deref())?;
    let test = args.acknowledge.as_ref().or(args.test.as_ref());
    let all = match test {
        Some(test) => context.series_of(Some(test))?,
        None => context.chosen(None)?,
    };
    let (shown, recorded): (Vec<_>, Vec<_>) = all.into_iter().partition(Series::is_show_only);
    let branches = Branches::around(&here);
    let branch = Scope::branch_of(args.branch.as_deref(), &branches, &recorded, context)?;
    if recorded.is_empty() {
        context.read_failures.refuse()?;
        match format {
            AnswerFormat::Json => {
                write_json_line(context.out, &check_as_json(&Watch::default(), branch.as_str()))?;
            }
            AnswerFormat::Table | AnswerFormat::Markdown => {
                context.print_nothing_to_judge(&shown)?;
            }
        }
        return Ok(of_nothing(match shown.as_slice() {
            [] => "nothing is recorded",
            _ => "the recorded runs are only shown",
        }));
    }
    let scope = Scope {
        branch,
        default_branch: branches.default,
        limit: args.limit,
        reevaluate: args.reevaluate,
    };
    let series = narrowed(recorded, args)?;
    refuse_cut(&series, context)?;
    let watch = Watch::over(&series, &rules, &scope, context)?;
    refuse_unknown_branch(args, &watch)?;
    if watch.watched.is_empty() && !context.read_failures.is_empty() {
        // The unreadable files may contain all watched runs.
        return Ok(CommandEnd::Done);
    }
    if let (Some(test), Some(reason)) = (&args.acknowledge, &args.reason) {
        check_acknowledge::acknowledge(test, reason, &watch, format.plain(), context)?;
        return Ok(CommandEnd::Done);
    }
    let answer = CheckAnswer { args, watch: &watch, rules: &rules, scope: &scope };
    match format {
        AnswerFormat::Json => {
            write_json_lines(context.out, watch.watched.iter().map(alert_as_json))?;
            write_json_line(context.out, &check_as_json(&watch, scope.branch.as_str()))?;
        }
        AnswerFormat::Table => show(&answer, context)?,
        AnswerFormat::Markdown => check_markdown::write(&answer, context)?,
    }
    if watch.watched.iter().any(WatchResult::is_open) {
        return Ok(CommandEnd::No);
    }
    context.read_failures.refuse()?;
    Ok(match watch.watched.as_slice() {
        [] => of_nothing("no threshold watches a run"),
        watched if watched.iter().all(|it| it.runs == 0) => {
            of_nothing("every run that a threshold watches is set aside")
        }
        _ => CommandEnd::Done,
    })
}

/// Ends a check without any run. A gate that checks nothing would be green for ever, so a CI job
/// fails here with a message.
fn of_nothing(what: &str) -> CommandEnd {
    if CiProvider::from_variables(&|name| env::var(name).ok()).is_none() {
        return CommandEnd::Done;
    }
    print_progress(&format_args!(
        "error: {what}, so this job checks nothing (exit code 4, in CI only)"
    ));
    CommandEnd::Unjudged
}

/// Returns rules, or an error with an example: no rule suits everybody, so there is no default.
fn some_rules(rules: Option<RulesFile>) -> Result<RulesFile> {
    const EXAMPLE: &str = r#"
  [[threshold]]
  name = "latency"              # the name of its alerts
  test = "t_test"               # beyond the 99% quantile of the values before ..
  upper = 0.99
  min_sample_size = 5           # .. of which there are five at least ..
  minimum_effect = "5%"         # .. and by 5% at least
  open_after = 2                # a single far run opens no alert
"#;
    let why = match rules {
        Some(rules) if !rules.thresholds.is_empty() => return Ok(rules),
        Some(rules) => format!("there is no [[threshold]] in {}", rules.path.display()),
        None => format!("there is no {} here", RulesFile::NAME),
    };
    refuse(format!(
        "{why}, so there is no rule to judge by; write one beside Cargo.toml, such as:\n{EXAMPLE}"
    ))
}

/// Selects all thresholds, or the one of this name.
fn chosen(mut rules: RulesFile, name: Option<&str>) -> Result<RulesFile> {
    let Some(name) = name else {
        return Ok(rules);
    };
    let is_meant = |it: &ThresholdRule| it.name == name;
    if !rules.thresholds.iter().any(is_meant) {
        let names: Vec<&str> = rules.thresholds.iter().map(|it| it.name.as_str()).collect();
        return refuse(format!(
            "there is no threshold `{name}`; the thresholds are: {}",
            names.join(", ")
        ));
    }
    rules.thresholds.retain(is_meant);
    Ok(rules)
}

fn narrowed(mut series: Vec<Series>, args: &Args) -> Result<Vec<Series>> {
    only(&mut series, "metric", args.metric.as_deref(), |it| &it.metric.name)?;
    only(&mut series, "testbed", args.testbed.as_deref(), |it| &it.testbed)?;
    Ok(series)
}

fn only(
    series: &mut Vec<Series>,
    what: &str,
    wanted: Option<&str>,
    of: fn(&Series) -> &String,
) -> Result<()> {
    let Some(wanted) = wanted else {
        return Ok(());
    };
    let known = each_once(series.iter().map(|it| of(it).as_str()));
    series.retain(|it| of(it) == wanted);
    if series.is_empty() {
        return refuse(format!("no {what} `{wanted}` is recorded, only {known}"));
    }
    Ok(())
}

/// Refuses a requested branch without runs; the checked-out branch may be new.
fn refuse_unknown_branch(args: &Args, watch: &Watch<'_>) -> Result<()> {
    let known =
        || watch.branches.iter().map(|name| branch_name(name)).collect::<Vec<_>>().join(", ");
    match &args.branch {
        Some(branch) if !watch.branches.iter().any(|it| NamePattern::new(branch).matches(it)) => {
            refuse(format!(
                "no run on branch `{branch}` is among the newest {} of a test (--limit), only on {}",
                args.limit,
                known()
            ))
        }
        _ => Ok(()),
    }
}

fn show(answer: &CheckAnswer<'_>, context: &mut CommandContext<'_>) -> Result<()> {
    let CheckAnswer { args, watch, .. } = answer;
    let branch = branch_name(answer.scope.branch.as_str());
    let shown = answer.shown();
    if watch.watched.is_empty() {
        write_line(context.out, &format_args!("no threshold watches a run on branch {branch}"))?;
    } else if shown.is_empty() {
        write_line(context.out, &format_args!("no alert on branch {branch}"))?;
    } else {
        alert_table(&shown).write(context.out)?;
    }
    if let Some(rows) = answer.folded_rows() {
        writeln!(
            context.out,
            "and {rows} of the same tests by other rules or metrics: --all shows them"
        )?;
    }
    for (nth, line) in folded_lines(watch).iter().enumerate() {
        let indent = if nth == 0 { "" } else { "  " };
        write_line(context.out, &format_args!("{indent}{line}"))?;
    }
    for note in notes(answer, context.now_ms()) {
        write_line(context.out, &format_args!("note: {note}"))?;
    }
    let source = context.source_as_typed();
    if let Some(command) = answer.looking_at_worst(&source) {
        write_line(context.out, &format_args!("look at it with: {command}"))?;
    }
    if let Some(worst) = watch.watched.iter().find(|it| it.is_open()) {
        let test = quoted(worst.series.benchmark.as_str());
        // An alert of the present rules alone is none for the stored results, by which an entry is made.
        if !args.reevaluate {
            let selection = args.selection_as_typed();
            let command = format!("cargo perftest check{source}{selection} --acknowledge {test}");
            write_line(context.out, &format_args!("if it may be: {command} --reason \"..\""))?;
        }
    }
    Ok(())
}
