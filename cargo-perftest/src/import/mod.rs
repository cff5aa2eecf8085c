//! Results of other benchmark tools, as runs of a history: one file a format.
//!
//! Each reader turns a text, or a directory, into `ImportedRun`s. [`ImportPlanner`] finds which of them are new.
//! Nothing here writes.

mod bmf;
mod criterion;
mod divan;
mod google_benchmark;
mod hyperfine;
mod import_error;
mod import_plan;
mod imported_run;
mod printed;
mod recorded_runs;
mod table;
mod unit;

pub(crate) use import_plan::{ImportPlanner, ImportTarget, PlannedRun};
pub(crate) use recorded_runs::{RunState, is_same_value};

use crate::args::{CriterionBaselines, ImportFormat};
use import_error::{ImportError, LineProblem};
use imported_run::ImportedFile;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A larger file is a mistake.
const MOST_BYTES: u64 = 1 << 30;

/// The results of a file, or of standard input for `-`; of criterion those of a directory.
///
/// # Errors
/// The file and line, and what is wrong there.
pub(crate) fn read(
    format: ImportFormat,
    path: &Path,
    baselines: CriterionBaselines,
) -> Result<ImportedFile, ImportError> {
    if format == ImportFormat::Criterion {
        return criterion::read(path, baselines);
    }
    let (name, text) = text_of(path)?;
    let imported = read_text(format, &text).and_then(|it| it.check());
    let mut imported = imported
        .map_err(|problem| ImportError::of_line(&name, problem, other_format(format, &text)))?;
    imported.digest_text(&text);
    imported.modified_ms = modified_ms(path);
    Ok(imported)
}

fn read_text(format: ImportFormat, text: &str) -> Result<ImportedFile, LineProblem> {
    match format {
        ImportFormat::Criterion => Err(LineProblem::of_file("criterion writes a directory")),
        ImportFormat::Divan => divan::read(text),
        ImportFormat::Libtest => printed::read_libtest(text),
        ImportFormat::Go => printed::read_go(text),
        ImportFormat::Bmf => bmf::read(text),
        ImportFormat::Hyperfine => hyperfine::read(text),
        ImportFormat::GoogleBenchmark => google_benchmark::read(text),
        ImportFormat::Csv => table::read(text),
    }
}

/// The format that a text has, where it is another one than was named.
fn other_format(named: ImportFormat, text: &str) -> Option<ImportFormat> {
    let others = [
        ImportFormat::Divan,
        ImportFormat::Libtest,
        ImportFormat::Go,
        ImportFormat::Hyperfine,
        ImportFormat::GoogleBenchmark,
        ImportFormat::Bmf,
    ];
    let is_of = |format: &ImportFormat| {
        *format != named && read_text(*format, text).is_ok_and(|it| !it.runs.is_empty())
    };
    others.into_iter().find(is_of)
}

/// The name and the text of a file.
fn text_of(path: &Path) -> Result<(String, String), ImportError> {
    let is_piped = path == Path::new("-");
    let name = if is_piped { "standard input".to_owned() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let read = if is_piped {
        io::stdin().take(MOST_BYTES).read_to_end(&mut bytes)
    } else if path.is_dir() {
        return Err(ImportError::of_file(&name, "it is a directory: name a file".into()));
    } else {
        fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(|error| ImportError::of_file(&name, format!("it cannot be read: {error}")))?;
    if bytes.len() as u64 == MOST_BYTES {
        return Err(ImportError::of_file(&name, "it has 1 GiB or more: split it".into()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let problem = "it is no text in UTF-8: save it as such".into();
        ImportError::of_line(&name, LineProblem { line: Some(line), problem }, None)
    })?;
    Ok((name, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// When a file was written last, in milliseconds since the Unix epoch.
fn modified_ms(path: &Path) -> Option<u64> {
    let modified = fs::metadata(path).and_then(|it| it.modified()).ok()?;
    let since = modified.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}
