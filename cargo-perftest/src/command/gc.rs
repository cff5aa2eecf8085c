//! `cargo perftest gc`: older runs become summaries.

use crate::alerts::{acknowledgements, runs_of_live_alerts};
use crate::args::{GcArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::history_directory::here;
use crate::remote::SyncState;
use crate::report::{LISTED, Table, counted, histories, progress, report_errors, write_json_line};
use crate::rules::RulesFile;
use perftest_process::project_root;
use perftest_store::{CollectedFile, KeptFor, ReadPlace, RecordFileName, RecordFiles, Retention};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    if !args.dry_run {
        context.place.refuse_read_only()?;
    }
    let (root, project) = (&context.place.root, &context.project);
    let files = RecordFiles::open(root, project);
    let mut names: Vec<RecordFileName> = files.list()?.into_iter().map(|file| file.name).collect();
    names.retain(RecordFileName::is_history);
    // Outside of a project there is no history, and no end to the directories with rules.
    let ids = if names.is_empty() { HashSet::new() } else { runs_of_alerts(context)? };
    let mut collection = Collection {
        retention: Retention { newest: args.keep, ids },
        states: SyncState::all(root, project),
        is_dry_run: args.dry_run,
        changed: Vec::new(),
        total: CollectedFile::default(),
        histories: 0,
    };
    let mut failed = Vec::new();
    for (index, name) in names.iter().enumerate() {
        progress(&format!("{} of {}: {name}", index + 1, names.len()));
        if let Err(error) = collection.add(&files, name) {
            failed.push(error);
        }
    }
    progress("");
    // A process that is killed before this sends again what was sent, and adds nothing.
    if !collection.changed.is_empty() && !args.dry_run {
        collection.states.iter_mut().try_for_each(SyncState::save)?;
    }
    match args.answer.format() {
        OutputFormat::Json => collection.write_json(context)?,
        OutputFormat::Table => collection.write_words(context)?,
    }
    report_errors(failed)
}

/// The runs that acknowledged alerts name, and those that an alert is based on which is not over.
fn runs_of_alerts(context: &CommandContext<'_>) -> Result<HashSet<String>> {
    let acknowledged = acknowledgements(context)?;
    let named = acknowledged.into_iter().flat_map(|it| [it.opened_by, it.given_after]);
    // `check` has the rules of its own directory, so an alert may be by those of any.
    let mut rules = RulesFile::all_below(&project_root(&here()?))?;
    rules.retain(|file| !file.thresholds.is_empty());
    let live = if rules.is_empty() {
        HashSet::new()
    } else {
        let mut all = context.series_of(None)?;
        all.retain(|series| !series.is_show_only());
        runs_of_live_alerts(&all, &rules, context)?
    };
    Ok(named.chain(live).map(|run| run.as_str().to_owned()).collect())
}

/// What was done so far, or would be.
struct Collection {
    retention: Retention,
    /// What was exchanged with each remote.
    states: Vec<SyncState>,
    is_dry_run: bool,
    /// The histories with new summaries.
    changed: Vec<CollectedFile>,
    /// Of all histories.
    total: CollectedFile,
    histories: usize,
}

impl Collection {
    fn add(&mut self, files: &RecordFiles, name: &RecordFileName) -> Result<()> {
        let done = match self.is_dry_run {
            true => files.plan_collection(name, &self.retention)?,
            false => self.collect(files, name)?,
        };
        self.histories += 1;
        let total = &mut self.total;
        total.runs += done.runs;
        total.summarised += done.summarised;
        total.summaries += done.summaries;
        total.bytes_before += done.bytes_before;
        total.bytes_after += done.bytes_after;
        for (why, runs) in &done.kept {
            *total.kept.entry(*why).or_default() += runs;
        }
        if done.is_shorter() {
            self.changed.push(done);
        }
        Ok(())
    }

    fn collect(&mut self, files: &RecordFiles, name: &RecordFileName) -> Result<CollectedFile> {
        let places: Vec<ReadPlace> =
            self.states.iter().map(|state| state.place_sent(name)).collect();
        let done = files.collect(name, &self.retention, &places)?;
        if done.is_shorter() {
            // What was sent stays sent.
            for (state, place) in self.states.iter_mut().zip(&done.places) {
                state.move_place_sent(name, place.clone());
            }
        }
        Ok(done)
    }

    fn write_json(&self, context: &mut CommandContext<'_>) -> Result<()> {
        for file in &self.changed {
            let mut line = as_json("gc_history", file, self.is_dry_run);
            line["benchmark"] = file.benchmark.as_str().into();
            line["testbed"] = file.testbed.as_str().into();
            write_json_line(context.out, &line)?;
        }
        let mut line = as_json("gc", &self.total, self.is_dry_run);
        line["histories"] = self.histories.into();
        line["changed"] = self.changed.len().into();
        Ok(write_json_line(context.out, &line)?)
    }

    fn write_words(&self, context: &mut CommandContext<'_>) -> Result<()> {
        let total = &self.total;
        let histories = histories(self.histories);
        if !total.is_shorter() {
            let runs = counted(total.runs, "run");
            writeln!(
                context.out,
                "nothing to do: {runs} of {histories}, {}",
                size(total.bytes_before)
            )?;
            return Ok(());
        }
        let mut largest: Vec<&CollectedFile> = self.changed.iter().collect();
        largest.sort_by_key(|file| std::cmp::Reverse(file.bytes_before - file.bytes_after));
        Table::of(largest.iter().take(LISTED))
            .column("test", |file| file.benchmark.clone())
            .column("testbed", |file| file.testbed.clone())
            .column(" runs", |file| file.runs)
            .column(" stay", |file| file.runs - file.summarised)
            .column(" summaries", |file| file.summaries)
            .column(" before", |file| size(file.bytes_before))
            .column(" after", |file| size(file.bytes_after))
            .narrowed(&["test"], &["testbed", "summaries"])
            .write(context.out)?;
        if largest.len() > LISTED {
            writeln!(context.out, "and {} more", largest.len() - LISTED)?;
        }
        let become_summaries = if self.is_dry_run { "would become" } else { "became" };
        let summaries = match total.summaries {
            // They came back from another store.
            0 => "parts of the summaries that they are in".to_owned(),
            1 => "1 summary".to_owned(),
            count => format!("{count} summaries"),
        };
        writeln!(
            context.out,
            "{} of {} in {histories} {become_summaries} {summaries}: {} -> {}",
            total.summarised,
            counted(total.runs, "run"),
            size(total.bytes_before),
            size(total.bytes_after)
        )?;
        writeln!(context.out, "kept: {}", kept_in_words(&total.kept))?;
        if self.is_dry_run {
            writeln!(context.out, "nothing was changed (--dry-run)")?;
        }
        Ok(())
    }
}

/// Why runs stay: its key, and its words.
const REASONS: [(KeptFor, &str, &str); 6] = [
    (KeptFor::Newest, "kept_newest", "among the newest"),
    (KeptFor::Baseline, "kept_baseline", "for baselines"),
    (KeptFor::Anchor, "kept_anchor", "as anchors"),
    (KeptFor::Acceptance, "kept_acceptance", "as accepted levels"),
    (KeptFor::Decision, "kept_decision", "of alerts"),
    (KeptFor::Short, "kept_short", "as short as their summaries"),
];

fn as_json(event: &str, file: &CollectedFile, is_dry_run: bool) -> Value {
    let mut value = json!({
        "event": event,
        "v": 1,
        "dry_run": is_dry_run,
        "runs": file.runs,
        "summarised": file.summarised,
        "summaries": file.summaries,
        "bytes_before": file.bytes_before,
        "bytes_after": file.bytes_after,
    });
    for (why, key, _) in REASONS {
        value[key] = file.kept.get(&why).copied().unwrap_or(0).into();
    }
    value
}

/// Why runs stayed, each for its first reason.
fn kept_in_words(kept: &BTreeMap<KeptFor, usize>) -> String {
    let of = |(why, _, words)| kept.get(&why).map(|runs| format!("{runs} {words}"));
    REASONS.into_iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
