//! Prints how often verdicts are wrong on simulated machines. `docs/evidence/verdicts.md` has its answer.

mod arguments;

use arguments::{Arguments, Form};
use perftest_simulate::{breaches, json, markdown, side_by_side, text, worlds};
use std::io::{self, Write};
use std::process::ExitCode;

/// A promise is clearly broken.
const BROKEN: u8 = 1;
/// The command line is wrong, or the answer cannot be written.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    match Arguments::parse(words).and_then(|arguments| run(&arguments)) {
        Ok(code) => code,
        Err(error) => {
            // Without a standard error nothing more can be printed.
            let _ = writeln!(io::stderr(), "perftest-simulate: {error}");
            ExitCode::from(MISUSED)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    match arguments.form {
        Form::Worlds => return print(&worlds()).map(|()| ExitCode::SUCCESS),
        Form::SideBySide => {
            let table = side_by_side(arguments.survey.decisions, arguments.survey.seed);
            return print(&table).map(|()| ExitCode::SUCCESS);
        }
        Form::Text | Form::Markdown | Form::Json => {}
    }
    let cells = arguments.survey.cells();
    let breaches = breaches(&cells);
    print(&match arguments.form {
        Form::Json => json(&arguments.survey, &cells),
        Form::Markdown => markdown(&cells, &breaches),
        Form::Text | Form::Worlds | Form::SideBySide => text(&cells, &breaches),
    })?;
    let is_broken = breaches.iter().any(|breach| breach.is_clear && breach.cause.is_none());
    Ok(ExitCode::from(if arguments.checks && is_broken { BROKEN } else { 0 }))
}

fn print(text: &str) -> Result<(), String> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|error| format!("cannot write the answer: {error}"))
}
