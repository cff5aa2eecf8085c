//! `cargo perftest export`: a session, or the history, in the format of another program.

use crate::args::{CSV_HAS_HISTORIES, ExportArgs as Args, ExportFormat};
use crate::branches::Branches;
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result, refuse};
use crate::export::{
    CsvColumn, CsvTable, LARGEST_SUMMARY, annotations, bmf, comment, jsonl, junit, libtest,
    markdown, open_metrics, skia,
};
use crate::history_directory::here;
use crate::reading::SessionView;
use crate::record_reader::RecordReader;
use crate::report::print_progress;
use crate::series::name_of;
use perftest_store::{Detail, PlannedRead, Query, Series, Which};
use std::fs;
use std::io;
use std::path::Path;

/// Newest runs of a history.
const LONGEST_HISTORY: usize = 100_000;

pub(crate) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let all = context.chosen_of(&args.tests)?;
    let text = match args.format {
        ExportFormat::Csv => table(&all, context)?.text(),
        format => text_of_session(format, &session(&args.session, &all, context)?)?,
    };
    match &args.out {
        None => Ok(context.out.write_all(text.as_bytes())?),
        Some(file) => write_to(file, &text),
    }
}

/// What is asked for; an empty session where nothing is recorded, so that a job without perf tests gets
/// a valid file.
fn session(asked: &str, all: &[Series], context: &CommandContext<'_>) -> Result<SessionView> {
    let named = Some(asked).filter(|id| *id != "last");
    let session = SessionView::read(named, all, context)?;
    match named {
        Some(id) if session.runs.is_empty() => refuse(format!(
            "no run of session `{id}` is recorded for these tests; `cargo perftest export jsonl` \
             prints the id of the newest one"
        )),
        None if session.runs.is_empty() => {
            print_progress(&"no test has a verdict here yet, so the export has no test");
            Ok(session)
        }
        _ => Ok(session),
    }
}

/// A session in a format.
///
/// # Errors
/// When the format is that of whole histories, or of one commit and the session has several.
pub(super) fn text_of_session(format: ExportFormat, session: &SessionView) -> Result<String> {
    Ok(match format {
        ExportFormat::Jsonl => jsonl(session),
        ExportFormat::Junit => junit(session)?,
        ExportFormat::Github => annotations(session),
        ExportFormat::GitHubSummary | ExportFormat::Markdown => markdown(session, LARGEST_SUMMARY),
        ExportFormat::Comment => comment(session),
        ExportFormat::Gitlab => open_metrics(session),
        ExportFormat::Bmf => bmf(session),
        ExportFormat::Libtest => libtest(session),
        ExportFormat::Skia => return skia_of_one_commit(session),
        ExportFormat::Csv => return refuse(CSV_HAS_HISTORIES),
    })
}

/// A file of Skia Perf is of one commit.
fn skia_of_one_commit(session: &SessionView) -> Result<String> {
    let mut commits: Vec<&str> =
        session.runs.iter().map(|it| it.run.revision.commit.as_str()).collect();
    commits.retain(|commit| !commit.is_empty());
    commits.dedup();
    let why = match commits.as_slice() {
        [one] => return Ok(skia(session, one)),
        [] if session.runs.is_empty() => return Ok(skia(session, "")),
        [] => "no run of this session knows its commit: run the tests in a git repository",
        _ => "this session has runs of several; choose a session with --session",
    };
    refuse(format!("a file of Skia Perf is of one commit, and {why}"))
}

/// One column a series, of the default branch where it is known; the testbed is in its heading where there are several.
fn table(all: &[Series], context: &CommandContext<'_>) -> Result<CsvTable> {
    let branch = Branches::around(&here()?).default;
    let is_one_testbed = all.windows(2).all(|pair| pair[0].testbed == pair[1].testbed);
    let query = |series: &Series| Query {
        which: Which::AllAndSummaries,
        detail: Detail::Center,
        ..series.query(LONGEST_HISTORY)
    };
    context.announce(all.iter().map(|series| PlannedRead::Runs(query(series))));
    let read = |series: &Series, records: &RecordReader<'_>| {
        let runs = records.readable(records.store.load(&query(series))?).runs;
        let name = name_of(series);
        let heading = if is_one_testbed { name } else { format!("{name} on {}", series.testbed) };
        Ok((heading, CsvColumn::new(&runs, &branch)))
    };
    let mut table = CsvTable::default();
    context.for_each_history(all, read, |(heading, column)| {
        table.add(heading, column);
        Ok(())
    })?;
    Ok(table)
}

pub(super) fn write_to(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).map_err(|error| {
        let why = format!("`{}`: {error}", file.display());
        CommandError::Output(io::Error::new(error.kind(), why))
    })
}
