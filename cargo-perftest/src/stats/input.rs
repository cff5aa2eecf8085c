//! Reads numbers from files and from standard input.

use super::cells::{Cell, paired_cells};
use super::numbers::{NONE, ParsedNumbers, number_in, numbers};
use super::printout::{Printout, printout};
use super::times::times_ms;
use crate::args::numbers::{Numbers, SeveralNumbers};
use crate::exit::{CommandError, Result, refuse};
use perftest_core::model::Sample;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

const PIPE: &str = "-";

/// A sample with its source.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) sample: Sample,
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

/// Reads one input, and if a column has them the times of its values: milliseconds since the Unix epoch.
pub(crate) fn timed(place: &Numbers, times: Option<&str>) -> Result<(Input, Option<Vec<u64>>)> {
    let Some(times) = times else { return Ok((one(place)?, None)) };
    let (input, times_ms) = paired(place, "time", times, times_ms)?;
    Ok((input, Some(times_ms)))
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
        for Input { name, sample } in inputs {
            refuse_too_large(name, sample.values().iter().copied())?;
        }
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
        _ => refuse(format!(
            "one of {} and {} has results of benchmarks and the other has none: give two files that a \
             harness printed",
            name(before, None),
            name(after, None)
        )),
    }
}

/// Parses results of benchmarks; `None` for plain numbers.
fn printed(file: &Path, text: &str) -> Result<Option<Printout>> {
    let name = name(file, None);
    let printout =
        printout(text).map_err(|error| CommandError::Usage(format!("{name}: {error}")))?;
    refuse_too_large(&name, printout.values.iter().map(|it| it.value))?;
    Ok(Some(printout).filter(|printout| !printout.values.is_empty()))
}

fn refuse_too_large(name: &str, mut values: impl Iterator<Item = f64>) -> Result<()> {
    match values.find(|it| it.abs() > LARGEST_COMPARED) {
        None => Ok(()),
        Some(value) => refuse(format!(
            "{name}: {value:e} is too large to be compared: divide all values of all inputs by the same \
             number, so that none is beyond {LARGEST_COMPARED:e}"
        )),
    }
}

fn of_several(places: &SeveralNumbers) -> Result<Vec<Input>> {
    let mut texts = BTreeMap::<&Path, String>::new();
    let mut inputs = Vec::new();
    for (file, column) in sources(places)? {
        let text = match texts.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(text(file)?),
        };
        inputs.push(input(file, text, column)?);
    }
    Ok(inputs)
}

/// Returns the file and the column of each input.
fn sources(places: &SeveralNumbers) -> Result<Vec<(&Path, Option<&str>)>> {
    let files: Vec<&Path> = places.files.iter().map(PathBuf::as_path).collect();
    let is_standard_input = |file: &&&Path| **file == Path::new("-");
    if files.len() > 2 && files.iter().filter(is_standard_input).count() > 1 {
        return refuse("standard input is read once: name - once");
    }
    let columns: Vec<Option<&str>> = places.columns.iter().map(|it| Some(it.as_str())).collect();
    let sources: Vec<(&Path, Option<&str>)> = match (files.as_slice(), columns.as_slice()) {
        ([], _) => return refuse("there are no numbers: name two files"),
        ([_], [] | [_]) => {
            return refuse(
                "two inputs are compared: give a second file, or two columns of this one with --column A --column B",
            );
        }
        ([file], columns) => columns.iter().map(|column| (*file, *column)).collect(),
        (files, []) => files.iter().map(|file| (*file, None)).collect(),
        (files, [column]) => files.iter().map(|file| (*file, *column)).collect(),
        ([one, other], [first, second]) => vec![(*one, *first), (*other, *second)],
        ([_, _], _) => return refuse("--column is given once or twice"),
        _ => return refuse("three files or more have the same column: give --column once"),
    };
    Ok(sources)
}

fn input(file: &Path, text: &str, column: Option<&str>) -> Result<Input> {
    let name = name(file, column);
    let wrong = |error: String| CommandError::Usage(format!("{name}: {error}"));
    let ParsedNumbers { values, empty } = numbers(text, column).map_err(wrong)?;
    warn_of_empty(&name, empty);
    let sample = Sample::new(values).map_err(|error| wrong(error.to_string()))?;
    Ok(Input { name, sample })
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
            return refuse("there are no numbers: name a file, or pipe them in");
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
