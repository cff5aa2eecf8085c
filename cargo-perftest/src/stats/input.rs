//! Reads numbers from files and from standard input.

use super::cells::{Cell, paired_cells};
use super::numbers::{NONE, number_in, numbers};
use super::printout::{Printout, printout};
use super::times::times_ms;
use crate::args::numbers::{Numbers, SeveralNumbers};
use crate::exit::{CommandError, Result};
use perftest_core::model::Sample;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

const PIPE: &str = "-";

/// A sample with its source.
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

/// The inputs of a comparison.
pub(crate) enum CompareInput {
    /// Two or more inputs; the first one is the reference.
    Numbers(Vec<Input>),
    /// Two outputs of a harness, before and after, with their file names.
    Printouts([(String, Printout); 2]),
}

/// Reads one input.
pub(crate) fn one(place: &Numbers) -> Result<Input> {
    let file = place.file.as_deref().unwrap_or(Path::new(PIPE));
    input(file, &text(file)?, place.column.as_deref())
}

/// Reads one input with the times of its values, if a column has them.
pub(crate) fn timed(place: &Numbers, times: Option<&str>) -> Result<TimedInput> {
    match times {
        None => Ok(TimedInput { input: one(place)?, times_ms: None }),
        Some(times) => {
            let (input, times_ms) = paired(place, "time", times, times_ms)?;
            Ok(TimedInput { input, times_ms: Some(times_ms) })
        }
    }
}

/// Larger values have differences and sums that overflow.
const LARGEST_COMPARED: f64 = 1e300;

/// Reads the inputs of a comparison: two outputs of a harness, or inputs of numbers.
pub(crate) fn compared(places: &SeveralNumbers) -> Result<CompareInput> {
    let compared = match (places.files.as_slice(), places.columns.as_slice()) {
        ([before, after], []) => of_two_files(before, after)?,
        _ => CompareInput::Numbers(of_several(places)?),
    };
    if let CompareInput::Numbers(inputs) = &compared {
        inputs.iter().try_for_each(refuse_too_large)?;
    }
    Ok(compared)
}

fn of_two_files(before: &Path, after: &Path) -> Result<CompareInput> {
    let first = text(before)?;
    let second = if before == after { first.clone() } else { text(after)? };
    match (printed(before, &first)?, printed(after, &second)?) {
        (Some(one), Some(other)) => {
            Ok(CompareInput::Printouts([(name(before, None), one), (name(after, None), other)]))
        }
        (None, None) => Ok(CompareInput::Numbers(vec![
            input(before, &first, None)?,
            input(after, &second, None)?,
        ])),
        _ => Err(CommandError::Usage(format!(
            "one of {} and {} has results of benchmarks and the other has none: give two files that a \
             harness printed",
            name(before, None),
            name(after, None)
        ))),
    }
}

/// Parses results of benchmarks; `None` for plain numbers.
fn printed(file: &Path, text: &str) -> Result<Option<Printout>> {
    let printout = printout(text)
        .map_err(|error| CommandError::Usage(format!("{}: {error}", name(file, None))))?;
    match printout.values.iter().find(|it| it.value.abs() > LARGEST_COMPARED) {
        None => Ok(Some(printout).filter(|printout| !printout.values.is_empty())),
        Some(it) => Err(too_large(&name(file, None), it.value)),
    }
}

fn refuse_too_large(Input { name, sample }: &Input) -> Result<()> {
    match sample.values().iter().find(|it| it.abs() > LARGEST_COMPARED) {
        None => Ok(()),
        Some(value) => Err(too_large(name, *value)),
    }
}

fn too_large(name: &str, value: f64) -> CommandError {
    CommandError::Usage(format!(
        "{name}: {value:e} is too large to be compared: divide all values of all inputs by the same \
         number, so that none is beyond {LARGEST_COMPARED:e}"
    ))
}

fn of_several(places: &SeveralNumbers) -> Result<Vec<Input>> {
    let (files, columns) = (places.files.as_slice(), places.columns.as_slice());
    match (files, columns) {
        ([file], [_, _, _, ..]) => {
            let text = text(file)?;
            columns.iter().map(|column| input(file, &text, Some(column))).collect()
        }
        ([_, _, _, ..], [] | [_]) => {
            let column = columns.first().map(String::as_str);
            files.iter().map(|file| input(file, &text(file)?, column)).collect()
        }
        ([_, _, _, ..], _) => Err(CommandError::Usage(
            "three files or more have the same column: give --column once".into(),
        )),
        ([first, rest @ ..], _) => {
            Ok(both(first, rest.first().map(PathBuf::as_path), columns)?.into())
        }
        ([], _) => Err(CommandError::Usage("there are no numbers: name two files".into())),
    }
}

fn both(before: &Path, current: Option<&Path>, columns: &[String]) -> Result<[Input; 2]> {
    let [one, other] = match (columns, current) {
        ([], Some(_)) => [None, None],
        ([column], Some(_)) => [Some(column.as_str()); 2],
        ([one, other], _) => [Some(one.as_str()), Some(other.as_str())],
        ([] | [_], None) => {
            return Err(CommandError::Usage(
                "two inputs are compared: give a second file, or two columns of this one with \
                 --column A --column B"
                    .into(),
            ));
        }
        _ => return Err(CommandError::Usage("--column is given once or twice".into())),
    };
    let first = text(before)?;
    match current.filter(|current| *current != before) {
        Some(current) => Ok([input(before, &first, one)?, input(current, &text(current)?, other)?]),
        None => Ok([input(before, &first, one)?, input(before, &first, other)?]),
    }
}

fn input(file: &Path, text: &str, column: Option<&str>) -> Result<Input> {
    let name = name(file, column);
    let sample = Sample::new(plain(&name, text, column)?);
    let sample = sample.map_err(|error| CommandError::Usage(format!("{name}: {error}")))?;
    Ok(Input { name, sample })
}

fn plain(name: &str, text: &str, column: Option<&str>) -> Result<Vec<f64>> {
    let numbers = numbers(text, column);
    let numbers = numbers.map_err(|error| CommandError::Usage(format!("{name}: {error}")))?;
    warn_of_empty(name, numbers.empty);
    Ok(numbers.values)
}

/// Returns the numbers of rows that have one, and the cells of another column beside them.
fn paired<T>(
    place: &Numbers,
    noun: &str,
    beside: &str,
    read: impl FnOnce(&[Cell<'_>]) -> Result<Vec<Option<T>>, String>,
) -> Result<(Input, Vec<T>)> {
    let file = place.file.as_deref().unwrap_or(Path::new(PIPE));
    let name = name(file, place.column.as_deref());
    let wrong = |error: String| CommandError::Usage(format!("{name}: {error}"));
    let column = place.column.as_deref().ok_or_else(|| {
        wrong(format!(
            "{noun}s are in a column beside that of the numbers: name that with --column"
        ))
    })?;
    let text = text(file)?;
    let [values, others] = paired_cells(&text, [column, beside]).map_err(wrong)?;
    let others = read(&others).map_err(wrong)?;
    let (mut numbers, mut taken) = (Vec::new(), Vec::new());
    for (cell, other) in values.iter().zip(others) {
        if let Some(number) = number_in(cell).map_err(wrong)? {
            let none = || wrong(format!("{} has no {noun}: give it one in {beside}", cell.place));
            taken.push(other.ok_or_else(none)?);
            numbers.push(number);
        }
    }
    warn_of_empty(&name, values.len() - numbers.len());
    let sample = Sample::new(numbers).map_err(|_| wrong(NONE.into()))?;
    Ok((Input { name, sample }, taken))
}

fn name(file: &Path, column: Option<&str>) -> String {
    let piped = file == Path::new(PIPE);
    let mut name = if piped { "piped in".to_owned() } else { file.display().to_string() };
    name.extend(column.map(|column| format!(", {column}")));
    name
}

fn warn_of_empty(name: &str, empty: usize) {
    if empty > 0 {
        // A closed standard error is ignored.
        let _ = writeln!(anstream::stderr(), "note: {name}: {empty} empty cells are left out");
    }
}

fn text(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new(PIPE) {
        if io::stdin().is_terminal() {
            return Err(CommandError::Usage(
                "there are no numbers: name a file, or pipe them in".into(),
            ));
        }
        io::stdin().read_to_end(&mut bytes).map_err(|error| unreadable(file, &error))?;
    } else {
        bytes = fs::read(file).map_err(|error| unreadable(file, &error))?;
    }
    String::from_utf8(bytes).map_err(|_| {
        CommandError::Usage(format!("{} is no text: numbers are read as text", file.display()))
    })
}

fn unreadable(file: &Path, error: &io::Error) -> CommandError {
    CommandError::Usage(format!("{} cannot be read: {error}", file.display()))
}
