//! `cargo perftest import`: results of other benchmark tools as runs of the history.

use crate::args::{ImportArgs as Args, OutputFormat};
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::compare::SourceRevision;
use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use crate::history_directory::here;
use crate::import::{self, ImportPlanner, ImportTarget, PlannedRun, RunState};
use crate::report::{Table, counted, local_minute, print_progress, short_commit, write_json_lines};
use perftest_core::model::{Revision, Run};
use perftest_core::words::{one_line, quantity};
use perftest_store::{Annotation, RecordFiles};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    if !args.dry_run {
        context.place.refuse_read_only()?;
    }
    let here = here()?;
    let repository = GitCheckout::around(&here).ok();
    let mut file = import::read(args.results, &args.path, args.criterion_baselines())
        .map_err(|error| CommandError::Usage(error.to_string()))?;
    for note in std::mem::take(&mut file.notes) {
        print_progress(&format_args!("note: {}", one_line(&note)));
    }
    let asked = args.commit.as_deref().map(|it| revision(it, &GitCheckout::around(&here)?));
    let target = ImportTarget {
        format: args.results,
        project: context.project.name.clone(),
        testbed: args.testbed.clone(),
        revision: asked.transpose()?,
        branch: args.branch.clone(),
        default_branch: Branches::around(&here).default,
        at_ms: args.at,
        now_ms: context.now_ms(),
    };
    let revision_of = |commit: &str| revision(commit, repository.as_ref()?).ok();
    let store = context.store.as_ref();
    let files = RecordFiles::open(&context.place.root, &context.project);
    let summarised =
        &|like: &Run| files.summarised_runs(&like.benchmark, &like.testbed, &like.metric);
    let planner = ImportPlanner { store, summarised, target, revision_of: &revision_of };
    let planned = planner.plan(file)?;
    if !args.dry_run {
        // A crash between both leaves results that are computed again, and no result by a former value.
        for correction in PlannedRun::corrections(&planned, context.now_ms()) {
            store.annotate(Annotation::Correction(&correction))?;
        }
        files.insert_runs(PlannedRun::to_record(&planned))?;
    }
    print(args, &planned, context)
}

fn revision(commit: &str, repository: &GitCheckout) -> Result<Revision> {
    let SourceRevision { commit, .. } = SourceRevision::named(commit, repository)?;
    let line = repository.git(&["show", "--no-patch", "--format=%ct %P", &commit])?;
    let mut words = line.split_whitespace();
    let order = words.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(0);
    let parent = words.next().unwrap_or_default().to_owned();
    Ok(Revision { commit, parent, order, ..Revision::default() })
}

fn print(args: &Args, planned: &[PlannedRun], context: &mut CommandContext<'_>) -> Result<()> {
    if args.answer.format() == OutputFormat::Json {
        let count = |state| planned.iter().filter(|it| it.state == state).count();
        let summary = json!({
            "event": "import",
            "v": 1,
            "new": count(RunState::New),
            "known": count(RunState::Known),
            "corrected": count(RunState::Corrected),
            "summarised": count(RunState::Summarised),
            "dry_run": args.dry_run,
        });
        return Ok(write_json_lines(context.out, planned.iter().map(as_json).chain([summary]))?);
    }
    if args.dry_run {
        table(planned).write(context.out)?;
    }
    let testbeds: BTreeSet<&str> = planned.iter().map(|it| it.run.testbed.as_str()).collect();
    let testbeds = testbeds.into_iter().map(one_line).collect::<Vec<_>>().join(", ");
    let done = if args.dry_run { "would be imported" } else { "imported" };
    for (state, what) in [
        (RunState::New, done),
        (
            RunState::Corrected,
            "imported before with other values or less of their commit: replaced",
        ),
        (RunState::Known, "imported before: nothing was added"),
        (RunState::Summarised, "parts of summaries: not compared, and nothing was added"),
    ] {
        let runs = || planned.iter().filter(|it| it.state == state);
        if runs().next().is_some() || state == RunState::New {
            let tests: BTreeSet<&str> = runs().map(|it| it.run.benchmark.as_str()).collect();
            let (runs, tests) = (counted(runs().count(), "run"), counted(tests.len(), "test"));
            writeln!(context.out, "{runs} of {tests}: {what}")?;
        }
    }
    writeln!(context.out, "testbed: {testbeds}")?;
    Ok(writeln!(context.out, "look at them: cargo perftest history")?)
}

fn table(planned: &[PlannedRun]) -> Table {
    Table::of(planned)
        .column("test", |it| it.run.benchmark.clone())
        .column("metric", |it| it.run.metric.name.clone())
        .optional(" value", |it| Some(quantity(it.run.center()?, &it.run.metric.unit)))
        .column(" measurements", |it| it.run.measurements.len())
        .column("when", |it| local_minute(it.run.started_ms))
        .column("commit", |it| short_commit(&it.run.revision.commit))
        .column("state", |it| it.state.name())
        .whole()
}

fn as_json(PlannedRun { run, state }: &PlannedRun) -> Value {
    json!({
        "event": "imported_run",
        "v": 1,
        "id": run.id.as_str(),
        "benchmark": run.benchmark.as_str(),
        "testbed": run.testbed,
        "metric": run.metric.name,
        "unit": run.metric.unit,
        "value": run.center(),
        "measurements": run.measurements.len(),
        "started_ms": run.started_ms,
        "commit": run.revision.commit,
        "state": state.name(),
    })
}
