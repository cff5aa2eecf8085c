//! `cargo perftest replay`: how often settings would have given a red for recorded runs.

use crate::args::{OutputFormat, ReplayArgs as Args};
use crate::exit::{Result, refuse};
use crate::parallel::for_each_in_order;
use crate::replay::{ReplayCounts, ReplayResult, ReplaySettings, ReplaySource, Workload, read};
use crate::report::{Table, interval_as_json, print_progress, progress, rate, write_json_line};
use perftest_core::judge::Policy;
use perftest_core::model::Metric;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fmt::Display;
use std::io::Write;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let settings = ReplaySettings {
        slowdown: args.slowdown,
        history_runs: args.history_runs,
        decisions: args.decisions,
        seed: args.seed,
    };
    let ReplaySource { workloads, skipped } = read(&args.place)?;
    for file in skipped {
        note(&format_args!("skipped {}: no column wall_ns in its header", file.display()));
    }
    let replayed = replay(&workloads, &settings, args);
    if replayed.is_empty() {
        return refuse(format!(
            "nothing in {} has the {} runs that a decision needs: {} of history, a candidate and \
             those that confirm it; record more runs",
            args.place.display(),
            ReplayResult::fewest_runs(),
            ReplayResult::needed_history()
        ));
    }
    warn_of_few_decisions(&replayed, &settings);
    match args.answer.format() {
        OutputFormat::Json => write_json_line(out, &as_json(&replayed, args))?,
        OutputFormat::Table => table(&replayed).write(out)?,
    }
    Ok(())
}

/// Returns the policy for workloads of this metric.
fn policy(args: &Args, metric: &Metric) -> Policy {
    let default = Policy::of(metric);
    Policy {
        tolerance: args.tolerance.unwrap_or(default.tolerance),
        budget_ns: args.budget.map_or(default.budget_ns, |budget| budget.as_nanos() as u64),
        ..default
    }
}

fn replay(workloads: &[Workload], settings: &ReplaySettings, args: &Args) -> Vec<ReplayResult> {
    let mut all = Vec::new();
    let replayed =
        |workload: &Workload| ReplayResult::of(workload, &policy(args, &workload.metric), settings);
    let Ok(()) = for_each_in_order(workloads, replayed, |index, replayed| {
        let workload = &workloads[index];
        progress(&format!("{} of {}: {}", index + 1, workloads.len(), workload.name));
        match replayed {
            Some(replayed) => all.push(replayed),
            None => note(&format_args!(
                "skipped {}: {} of the {} runs that a decision needs",
                workload.name,
                workload.runs().len(),
                ReplayResult::fewest_runs()
            )),
        }
        Ok::<(), Infallible>(())
    });
    progress("");
    all
}

/// Prints a note on standard error, outside the answer.
fn note(what: &dyn Display) {
    print_progress(&format_args!("note: {what}"));
}

fn warn_of_few_decisions(replayed: &[ReplayResult], settings: &ReplaySettings) {
    let few = replayed.iter().filter(|it| it.different < settings.decisions).count();
    if few > 0 {
        note(&format_args!(
            "{few} of {} workloads have too few runs for {} different decisions; all they allow \
             were made",
            replayed.len(),
            settings.decisions
        ));
    }
}

fn table(replayed: &[ReplayResult]) -> Table {
    let rows = replayed.iter().map(|it| (it.workload.as_str(), it.runs, &it.figures));
    let runs = replayed.iter().map(|it| it.runs).sum();
    let overall = ReplayResult::overall(replayed);
    Table::of(rows.chain([("all", runs, &overall)]))
        .column("workload", |(name, ..)| *name)
        .column(" runs", |(_, runs, _)| *runs)
        .column(" decisions", |(.., it)| it.decisions())
        .column(" red", |(.., it)| it.red)
        .column(" unconfirmed", |(.., it)| it.red_before_confirmation)
        .column(" green", |(.., it)| it.green)
        .column(" unclear", |(.., it)| it.unclear)
        .column(" unstable", |(.., it)| it.unstable)
        .column(" no verdict", |(.., it)| it.no_verdict)
        .column(" red rate", |(.., it)| rate(it.red_rate()))
        .optional(" measurements", |(.., it)| {
            let it = it.effort()?;
            Some(format!("{:.0} / {:.0} / {:.0}", it.median, it.p90, it.max))
        })
        .whole()
}

fn as_json(replayed: &[ReplayResult], args: &Args) -> Value {
    let policy = policy(args, &Metric::wall());
    let workloads = replayed.iter().map(|it| {
        let mut value = figures_as_json(&it.figures);
        value["workload"] = it.workload.as_str().into();
        value["runs"] = it.runs.into();
        value
    });
    json!({
        "settings": {
            "slowdown": args.slowdown,
            "history_runs": args.history_runs,
            "decisions": args.decisions,
            "seed": args.seed,
            "tolerance": policy.tolerance.share(),
            "budget_ns": policy.budget_ns,
            "rule": policy.rule(),
        },
        "workloads": workloads.collect::<Vec<_>>(),
        "overall": figures_as_json(&ReplayResult::overall(replayed)),
    })
}

fn figures_as_json(figures: &ReplayCounts) -> Value {
    json!({
        "decisions": figures.decisions(),
        "red": figures.red,
        "red_before_confirmation": figures.red_before_confirmation,
        "green": figures.green,
        "unclear": figures.unclear,
        "unstable": figures.unstable,
        "no_verdict": figures.no_verdict,
        "red_rate": interval_as_json(figures.red_rate()),
        "measurements": figures.effort().map(|it| json!({ "median": it.median, "p90": it.p90, "max": it.max })),
    })
}
