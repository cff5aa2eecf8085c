//! How well, and how fast, the detectors of change points do. `docs/evidence/change-points.md` has the answer
//! and explains the columns.
//!
//!     detectors scores <directory of series>
//!     detectors stability <directory of series>
//!     detectors speed <directory for series> <number of values>...

mod detector;
#[path = "../../../../../perftest-analysis/src/noise.rs"]
mod noise;
mod scores;
mod series;
mod speed;
mod stability;

use series::Collection;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: detectors scores <directory of series>\n       \
    detectors stability <directory of series>\n       \
    detectors speed <directory for series> <number of values>...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let printed = text(&arguments).and_then(|text| {
        let written = io::stdout().write_all(text.as_bytes());
        written.map_err(|error| format!("cannot write: {error}"))
    });
    let Err(error) = printed else {
        return ExitCode::SUCCESS;
    };
    // Without a standard error nothing more can be printed.
    let _ = writeln!(io::stderr(), "detectors: {error}");
    ExitCode::FAILURE
}

fn text(arguments: &[String]) -> Result<String, String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["scores", directory] => {
            let table = scores::table(&Collection::read(Path::new(directory))?);
            table.map_err(|error| error.to_string())
        }
        ["stability", directory] => Ok(stability::table(&Collection::read(Path::new(directory))?)),
        ["speed", directory, ref lengths @ ..] if !lengths.is_empty() => {
            let lengths: Result<Vec<usize>, _> = lengths.iter().map(|it| it.parse()).collect();
            speed::rows(&lengths.map_err(|error| error.to_string())?, Path::new(directory))
        }
        _ => Err(USAGE.into()),
    }
}
