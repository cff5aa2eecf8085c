//! Where numbers come from: files and what is piped in.

use super::cells::paired_cells;
use super::numbers::{NONE, number_in, numbers};
use super::times::times_ms;
use crate::args::numbers::{Numbers, TwoNumbers};
use crate::args::stats::Bounds;
use crate::exit::Failure;
use perftest_core::model::Sample;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;

const PIPE: &str = "-";

/// A sample and where it is from.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) sample: Sample,
}

/// A sample with its times.
pub(crate) struct TimedInput {
    pub(crate) input: Input,
    /// Milliseconds since the Unix epoch, one for each value.
    pub(crate) times_ms: Option<Vec<u64>>,
}

/// One input.
pub(crate) fn one(place: &Numbers) -> Result<Input, Failure> {
    let file = place.file.as_deref().unwrap_or(Path::new(PIPE));
    input(file, &text(file)?, place.column.as_deref())
}

/// One input with the times of its values, where they are in a column.
pub(crate) fn timed(place: &Numbers, times: Option<&str>) -> Result<TimedInput, Failure> {
    match times {
        None => Ok(TimedInput { input: one(place)?, times_ms: None }),
        Some(times) => {
            let file = place.file.as_deref().unwrap_or(Path::new(PIPE));
            timed_input(file, &text(file)?, place.column.as_deref(), times)
        }
    }
}

/// Two inputs, the first one before.
pub(crate) fn two(places: &TwoNumbers) -> Result<[Input; 2], Failure> {
    both(&places.before, places.current.as_deref(), &places.columns)
}

/// One input, or two where there are two files or columns.
pub(crate) fn one_or_two(places: &Bounds) -> Result<Vec<Input>, Failure> {
    let first = places.files.first().map_or(Path::new(PIPE), |file| file);
    match (places.files.get(1), places.columns.as_slice()) {
        (None, []) => Ok(vec![input(first, &text(first)?, None)?]),
        (None, [column]) => Ok(vec![input(first, &text(first)?, Some(column))?]),
        (second, columns) => Ok(both(first, second.map(|file| file.as_path()), columns)?.into()),
    }
}

fn both(before: &Path, current: Option<&Path>, columns: &[String]) -> Result<[Input; 2], Failure> {
    let [one, other] = match (columns, current) {
        ([], Some(_)) => [None, None],
        ([column], Some(_)) => [Some(column.as_str()); 2],
        ([one, other], _) => [Some(one.as_str()), Some(other.as_str())],
        ([] | [_], None) => {
            return Err(Failure::Usage(
                "two inputs are compared: give a second file, or two columns of this one with \
                 --column A --column B"
                    .into(),
            ));
        }
        _ => return Err(Failure::Usage("--column is given once or twice".into())),
    };
    let first = text(before)?;
    match current.filter(|current| *current != before) {
        Some(current) => Ok([input(before, &first, one)?, input(current, &text(current)?, other)?]),
        None => Ok([input(before, &first, one)?, input(before, &first, other)?]),
    }
}

fn input(file: &Path, text: &str, column: Option<&str>) -> Result<Input, Failure> {
    let name = name(file, column);
    let wrong = |error: String| Failure::Usage(format!("{name}: {error}"));
    let numbers = numbers(text, column).map_err(wrong)?;
    tell_empty(&name, numbers.empty);
    let sample = Sample::new(numbers.values).map_err(|error| wrong(error.to_string()))?;
    Ok(Input { name, sample })
}

/// The numbers of rows that have one, and their times.
fn timed_input(
    file: &Path,
    text: &str,
    column: Option<&str>,
    times: &str,
) -> Result<TimedInput, Failure> {
    let name = name(file, column);
    let wrong = |error: String| Failure::Usage(format!("{name}: {error}"));
    let column = column.ok_or_else(|| {
        wrong("times are in a column beside that of the numbers: name that with --column".into())
    })?;
    let [values, moments] = paired_cells(text, [column, times]).map_err(wrong)?;
    let moments = times_ms(&moments).map_err(wrong)?;
    let (mut numbers, mut taken_ms) = (Vec::new(), Vec::new());
    for (cell, moment) in values.iter().zip(moments) {
        if let Some(number) = number_in(cell).map_err(wrong)? {
            let untimed = || wrong(format!("{} has no time: give it one in {times}", cell.place));
            taken_ms.push(moment.ok_or_else(untimed)?);
            numbers.push(number);
        }
    }
    tell_empty(&name, values.len() - numbers.len());
    let sample = Sample::new(numbers).map_err(|_| wrong(NONE.into()))?;
    Ok(TimedInput { input: Input { name, sample }, times_ms: Some(taken_ms) })
}

fn name(file: &Path, column: Option<&str>) -> String {
    let piped = file == Path::new(PIPE);
    let mut name = if piped { "piped in".to_owned() } else { file.display().to_string() };
    name.extend(column.map(|column| format!(", {column}")));
    name
}

fn tell_empty(name: &str, empty: usize) {
    if empty > 0 {
        // Without a standard error there is nobody to tell.
        let _ = writeln!(anstream::stderr(), "note: {name}: {empty} empty cells are left out");
    }
}

fn text(file: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if file == Path::new(PIPE) {
        if io::stdin().is_terminal() {
            return Err(Failure::Usage(
                "there are no numbers: name a file, or pipe them in".into(),
            ));
        }
        io::stdin().read_to_end(&mut bytes).map_err(|error| unreadable(file, &error))?;
    } else {
        bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::Usage(format!("{} is no text: numbers are read as text", file.display()))
    })
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("{} cannot be read: {error}", file.display()))
}
