//! `cargo perftest report`: all that is recorded, as one HTML file.

use super::report_profiles::ReportProfiles;
use crate::args::ReportArgs as Args;
use crate::args::reading::Runs;
use crate::args::series::{ChangeDetector, Detection};
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::history_directory::here;
use crate::html::{
    EpochMark, LastBaseline, QuantileGrids, ReportDocument, ReportEntry, Section, TestHistory,
    epoch_words, test_data, write_page,
};
use crate::opener::show;
use crate::reading::notes::{older_runs, write_notes};
use crate::reading::{HistoryReader, StretchChanges};
use crate::record_reader::RecordReader;
use crate::report::histories;
use crate::report_file::ReportFile;
use crate::whole_runs::drop_older;
use perftest_core::model::{Acceptance, History, Lineage, Run};
use perftest_core::words::one_line;
use perftest_store::{Damage, Digest, Series};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let all = context.chosen_of(&args.tests)?;
    // An unwritable report fails at once, before a large history is read.
    let is_answer = args.out == Path::new("-");
    let file = if is_answer { None } else { Some(ReportFile::create(&args.out)?) };
    let runs = Runs::default();
    let profiles = ReportProfiles::beside((!is_answer).then_some(&*args.out), context)?;
    let maker = EntryMaker::new(&runs, args.limit, profiles, context)?;
    maker.reader.announce(&all, context);
    let (mut entries, mut problems, mut longer) = (Vec::new(), Vec::new(), 0);
    context.for_each_history(
        &all,
        |series, records| {
            let mut damaged = Vec::new();
            Ok((maker.entry(series, records, &mut damaged), damaged))
        },
        |(entry, damaged)| {
            for problem in damaged.iter().map(Damage::to_string) {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            if let Some((entry, has_older)) = context.read_failures.or_added(entry)? {
                longer += usize::from(has_older);
                entries.push(entry);
            }
            Ok(())
        },
    )?;
    problems.extend(context.read_failures.in_words());
    let root = context.place.root.display().to_string();
    let mut document = ReportDocument {
        project: project_in_words(&context.project.name),
        version: env!("CARGO_PKG_VERSION"),
        made_ms: context.now_ms(),
        limit: args.limit,
        // Reports are sent around: they do not say where a user's files are.
        problems: problems.into_iter().map(|text| text.replace(&root, "the store")).collect(),
        entries,
    };
    document.sort();
    match file {
        None => write_page(&document, context.out)?,
        Some(mut file) => {
            write_page(&document, &mut file)?;
            file.finish()?;
            maker.profiles.remove_unlinked();
            writeln!(context.out, "wrote {}: {}", args.out.display(), summary(&document))?;
            write_notes(older_runs(longer).as_slice(), context.out)?;
            if args.open {
                show(&args.out, "report");
            }
        }
    }
    Ok(())
}

/// A project without an origin is named by its directory: its last part is enough for readers elsewhere.
fn project_in_words(name: &str) -> String {
    let path = Path::new(name);
    let last = path.file_name().filter(|_| path.is_absolute());
    let words = last.map_or_else(|| name.into(), |last| last.to_string_lossy());
    one_line(&words).into_owned()
}

/// How many histories there are, and how many in which section.
fn summary(document: &ReportDocument) -> String {
    let count = |section| document.entries.iter().filter(|it| it.row.section == section).count();
    let sections = Section::ALL.map(|section| (count(section), section.title()));
    let some = sections.into_iter().filter(|(count, _)| *count > 0);
    let some = some.map(|(count, title)| format!("{count} {title}"));
    std::iter::once(histories(document.entries.len())).chain(some).collect::<Vec<_>>().join(", ")
}

/// Makes the entries of a report.
struct EntryMaker<'a> {
    reader: HistoryReader<'a>,
    /// Newest runs of a history.
    limit: usize,
    detection: Detection,
    acceptances: Vec<Acceptance>,
    /// Of code that comes after what is recorded, and of code that nothing is known of.
    lineages: [Lineage; 2],
    /// Texts of contexts by their hashes.
    contexts: Mutex<HashMap<String, Option<String>>>,
    profiles: ReportProfiles,
    grids: QuantileGrids,
}

impl EntryMaker<'_> {
    /// Makes the entry of a history, with whether the history has older runs, and adds lines that cannot be read to
    /// `damaged`. Standard error has them from the search for changes, which reads the same lines.
    fn entry(
        &self,
        series: &Series,
        records: &RecordReader<'_>,
        damaged: &mut Vec<Damage>,
    ) -> Result<(ReportEntry, bool)> {
        let newest = self.reader.newest_of(series, records)?;
        damaged.extend(newest.damaged.iter().cloned());
        let longer = self.reader.longer_than(&newest.value, series, records)?;
        let longer = longer.map(|it| records.readable(it));
        let mut history = if longer.is_some() { newest.value } else { records.readable(newest) };
        let changes = self.changes(longer.as_ref().unwrap_or(&history), series)?;
        let has_older = drop_older(&mut history.runs, self.limit);
        let last = LastBaseline::of(&mut history, &self.acceptances, &self.lineages);
        let last_run = last.as_ref().map(|last| history.runs[last.run].clone());
        let all = history.runs.len();
        let mut runs = history.runs;
        runs.retain(|run| !run.is_fresh_process());
        let fresh_processes = all - runs.len();
        let judgements = records.judgements(series, &runs)?;
        damaged.extend(judgements.damaged);
        let acceptances: Vec<Acceptance> =
            self.acceptances.iter().filter(|it| series.is_covered_by(it, 0)).cloned().collect();
        let epochs = self.epochs(&runs, records)?;
        let profile = self.profiles.of(series, &runs);
        let history = TestHistory {
            series,
            runs: &runs,
            fresh_processes,
            changes: changes.as_ref(),
            judgements: &judgements.value,
            acceptances: &acceptances,
            epochs: &epochs,
            last: last.as_ref().zip(last_run.as_ref()),
            profile: profile.as_ref(),
        };
        Ok((ReportEntry::new(history.row(), &test_data(&history, &self.grids)), has_older))
    }

    /// The changes of the present configuration.
    fn changes(&self, history: &History, series: &Series) -> Result<Option<StretchChanges>> {
        let present = self.reader.present_stretch(history, series);
        present.map(|stretch| StretchChanges::of(stretch, &self.detection)).transpose()
    }

    /// Where the context or the configuration of the runs changed.
    fn epochs(&self, runs: &[Run], records: &RecordReader<'_>) -> Result<Vec<EpochMark>> {
        let mut epochs = Vec::new();
        for pair in runs.windows(2) {
            let [before, after] = pair else { continue };
            let mut words = Vec::new();
            if before.context != after.context {
                let [before, after] =
                    [&before.context, &after.context].map(|hash| self.context_text(hash, records));
                words.push(epoch_words(before?.as_deref(), after?.as_deref()));
            }
            if before.config != after.config {
                words
                    .push("another configuration: target, optimisation or way of measuring".into());
            }
            if !words.is_empty() {
                epochs.push(EpochMark { run: after.id.to_string(), words: words.join("; ") });
            }
        }
        Ok(epochs)
    }

    fn context_text(&self, hash: &str, records: &RecordReader<'_>) -> Result<Option<String>> {
        // Texts are added whole, also where another thread panicked.
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = contexts.get(hash) {
            return Ok(known.clone());
        }
        let is_hash = Digest::is_hex16(hash);
        let text = if is_hash { records.store.context(hash)? } else { None };
        contexts.insert(hash.to_owned(), text.clone());
        Ok(text)
    }
}

impl<'a> EntryMaker<'a> {
    fn new(
        runs: &'a Runs,
        limit: usize,
        profiles: ReportProfiles,
        context: &CommandContext<'_>,
    ) -> Result<Self> {
        let all = context.acceptances()?;
        let default_branch = Branches::around(&here()?).default;
        Ok(Self {
            reader: HistoryReader::new(runs, limit, context)?.with_summaries(),
            limit,
            detection: Detection { detector: ChangeDetector::Settled, settings: Vec::new() },
            acceptances: all.into_iter().map(|entry| entry.acceptance).collect(),
            lineages: [Lineage::after_all_of(&default_branch), Lineage::default()],
            contexts: Mutex::default(),
            profiles,
            grids: QuantileGrids::default(),
        })
    }
}
