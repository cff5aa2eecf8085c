//! How far apart processes of the same code lie, before and after the rules of the core: prints a
//! table over recorded measurements. `docs/noise.md` has its answer and explains the columns.
//!
//!     recorded_noise [--markdown] <recording.csv or directory>...

mod noise;
mod recording;
mod table;

use noise::Noise;
use recording::Recording;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Table;

const USAGE: &str = "usage: recorded_noise [--markdown] <recording.csv or directory>...";

fn main() -> ExitCode {
    let printed = print_table().and_then(|text| {
        let written = io::stdout().write_all(text.as_bytes());
        written.map_err(|error| format!("cannot write the table: {error}"))
    });
    let Err(error) = printed else {
        return ExitCode::SUCCESS;
    };
    // Without a standard error there is nobody left to tell.
    let _ = writeln!(io::stderr(), "recorded_noise: {error}");
    ExitCode::FAILURE
}

fn print_table() -> Result<String, String> {
    let arguments = std::env::args_os().skip(1);
    let (options, places): (Vec<_>, Vec<_>) =
        arguments.partition(|argument| argument.to_string_lossy().starts_with("--"));
    if places.is_empty() || options.iter().any(|option| option != "--markdown") {
        return Err(USAGE.into());
    }
    let mut table = Table::default();
    for place in places {
        for recording in recordings_at(Path::new(&place))? {
            table.add(&recording, &Noise::of(&recording.runs));
        }
    }
    Ok(if options.is_empty() { table.text() } else { table.markdown() })
}

/// The recordings of a file, or of all `.csv` files of a directory in the order of their names.
fn recordings_at(place: &Path) -> Result<Vec<Recording>, String> {
    if !place.is_dir() {
        return Recording::read_all(place);
    }
    let problem = |error: io::Error| format!("cannot list {}: {error}", place.display());
    let entries = std::fs::read_dir(place).map_err(problem)?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|it| it.path()))
        .collect::<Result<_, _>>()
        .map_err(problem)?;
    files.retain(|file| file.extension() == Some(OsStr::new("csv")));
    if files.is_empty() {
        return Err(format!("no .csv file in {}", place.display()));
    }
    files.sort();
    let read: Result<Vec<_>, _> = files.iter().map(|file| Recording::read_all(file)).collect();
    Ok(read?.into_iter().flatten().collect())
}
