//! `cargo perftest accept`: a bounded permission to be slower.

use super::accept_entry::{AcceptanceWriter, sentence};
use super::{accept_list, accept_review, accept_session};
use crate::acceptances::AcceptanceOrigin;
use crate::args::{AcceptArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::{CommandEnd, CommandError, Result, refuse};
use crate::report::{each_once, ratio, write_line};
use crate::series::{name_of, pattern_of_cases};
use perftest_core::model::{Acceptance, BenchmarkPattern, Outcome, Reason};
use perftest_store::{AcceptanceFile, Series};

const ONLY_SHOWN: &str = "the test has only runs that are shown, and no run is compared with them, so there is \
                          nothing to accept";

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<CommandEnd> {
    if args.check {
        return accept_list::check(args.answer.format(), context);
    }
    if !args.list && args.answer.format() == OutputFormat::Json {
        return refuse("--json is for --list and --check");
    }
    if args.list {
        accept_list::list(args.answer.format(), context)?;
    } else if args.review {
        accept_review::run(args, context)?;
    } else if let Some(id) = &args.revoke {
        revoke(id, args.dry_run, context)?;
    } else if args.session.is_some() {
        accept_session::run(args, context)?;
    } else {
        accept(args, context)?;
    }
    Ok(CommandEnd::Done)
}

fn accept(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let (Some(test), Some(max_ratio), Some(reason)) = (&args.test, args.max_ratio, &args.reason)
    else {
        return refuse("name the test, --max-ratio and --reason; `--help` has examples");
    };
    let Some((pattern, found)) = matching_series(test, context)? else {
        return Ok(());
    };
    let covered = on_testbed(&found, args.testbed.as_deref())?;
    let mut writer = AcceptanceWriter::new(args, context)?;
    let entry = writer.entry(pattern, max_ratio, reason, context)?;
    write_line(context.out, &sentence(&entry.acceptance))?;
    let tests = covered.iter().map(|series| (&series.benchmark, series.testbed.as_str()));
    writer.print_replaced(&entry, tests, context)?;
    for series in covered {
        let printed = print_last_verdict(series, max_ratio, context);
        context.read_failures.or_added(printed)?;
    }
    if args.dry_run {
        return Ok(writeln!(context.out, "nothing was changed (--dry-run)")?);
    }
    writer.keep(entry, context)
}

/// The tests that an argument names, and their histories, of which there is at least one.
type MatchingSeries = (BenchmarkPattern, Vec<Series>);

/// The tests with this name, this in their name, or this beginning before a `*`; `None` where their files
/// cannot be read.
fn matching_series(test: &str, context: &CommandContext<'_>) -> Result<Option<MatchingSeries>> {
    if !test.ends_with('*') {
        let chosen = context.chosen(Some(test));
        let mut found = chosen.map_err(|error| with_pattern_of_cases(error, test, context))?;
        found.retain(|series| !series.is_show_only());
        if found.is_empty() && context.read_failures.is_empty() {
            return refuse(ONLY_SHOWN);
        }
        let name = found.first().map(|series| BenchmarkPattern::from(&series.benchmark));
        return Ok(name.map(|name| (name, found)));
    }
    let mut found = context.series_of(None)?;
    let pattern = BenchmarkPattern::new(test);
    found.retain(|series| pattern.matches(&series.benchmark) && !series.is_show_only());
    if found.is_empty() {
        return refuse(format!("no test begins with `{test}`; `cargo perftest history` lists all"));
    }
    Ok(Some((pattern, found)))
}

/// Adds the name that accepts all cases of a function to the error that its own name means several tests.
fn with_pattern_of_cases(
    error: CommandError,
    test: &str,
    context: &CommandContext<'_>,
) -> CommandError {
    let CommandError::Usage(why) = error else {
        return error;
    };
    let all = context.store.list(None).map(|listing| listing.series.value).unwrap_or_default();
    let mut names: Vec<&str> = all.iter().map(|series| series.benchmark.whole()).collect();
    names.dedup();
    let pattern = pattern_of_cases(&names, test);
    let advice = pattern.map(|it| format!("\nor all of its cases: cargo perftest accept '{it}'"));
    CommandError::Usage(why + &advice.unwrap_or_default())
}

fn on_testbed<'a>(found: &'a [Series], testbed: Option<&str>) -> Result<Vec<&'a Series>> {
    let wanted = |series: &&Series| {
        testbed.is_none_or(|name| Acceptance::names_testbed(name, &series.testbed))
    };
    let covered: Vec<&Series> = found.iter().filter(wanted).collect();
    match testbed {
        Some(testbed) if covered.is_empty() => refuse(format!(
            "it never ran on testbed `{testbed}`, only on {}",
            each_once(found.iter().map(|series| series.testbed.as_str()))
        )),
        _ => Ok(covered),
    }
}

/// Whether the bound is wide enough for what failed last.
fn print_last_verdict(
    series: &Series,
    max_ratio: f64,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let history = context.history(series, 50)?;
    let evidence = history.newest_judged().and_then(|run| run.evidence.as_ref());
    let failed = evidence.filter(|evidence| evidence.reason.outcome() == Outcome::Failed);
    let Some(evidence) = failed else {
        return Ok(());
    };
    let tolerated = evidence.tolerance.beside_accepted(Some(max_ratio)).ratio();
    let enough = match (evidence.reason, evidence.degradation) {
        (Reason::OverLimit, _) => "NOT covered: no acceptance lifts a limit",
        (_, Some(seen)) if seen.estimate <= tolerated => "covered",
        (_, Some(_)) => "NOT covered by this bound",
        (_, None) => return Ok(()),
    };
    let name = name_of(series);
    let seen = evidence.degradation.map(|seen| format!(", {}", ratio(seen.estimate)));
    let verdict = evidence.reason.name().to_owned() + &seen.unwrap_or_default();
    let place = &series.testbed;
    let line = format_args!("  last verdict of {name} on {place}: {verdict}: {enough}");
    Ok(write_line(context.out, &line)?)
}

fn revoke(id: &str, dry_run: bool, context: &mut CommandContext<'_>) -> Result<()> {
    let Some(entry) = context.acceptances()?.into_iter().find(|it| it.acceptance.id == id) else {
        return refuse("no acceptance has this id; `cargo perftest accept --list` shows them");
    };
    if dry_run {
        let accepted = sentence(&entry.acceptance);
        let line = format_args!("would revoke the acceptance that {accepted}");
        return Ok(write_line(context.out, &line)?);
    }
    context.revoke(&entry)?;
    write_line(
        context.out,
        &format_args!("revoked the acceptance that {}", sentence(&entry.acceptance)),
    )?;
    if entry.origin == AcceptanceOrigin::Code {
        writeln!(context.out, "its line in {} now revokes it: commit that", AcceptanceFile::NAME)?;
    }
    Ok(())
}
