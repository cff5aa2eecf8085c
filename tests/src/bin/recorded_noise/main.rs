//! How far apart processes of the same code lie, before and after the rules of the core: prints a
//! table over recorded measurements. `docs/evidence/noise.md` has its answer and explains the columns.
//!
//!     recorded_noise [--markdown] <recording.csv or directory>...

mod noise;
mod table;

use noise::Noise;
use perftest_store::recording::NoiseRecordings;
use std::io::{self, Write};
use std::path::Path;
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
    // Without a standard error nothing more can be printed.
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
        let read = NoiseRecordings::read(Path::new(&place)).map_err(|error| error.to_string())?;
        for recording in &read.recordings {
            for workload in &recording.workloads {
                table.add(&recording.name, &workload.name, &Noise::of(&workload.runs));
            }
        }
    }
    Ok(if options.is_empty() { table.text() } else { table.markdown() })
}
