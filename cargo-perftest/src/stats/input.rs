//! Where numbers come from: files and what is piped in.

use super::cells::{Cell, paired_cells};
use super::numbers::{NONE, number_in, numbers};
use super::printout::{Printout, printout};
use super::times::times_ms;
use crate::args::bench::Bench;
use crate::args::numbers::{Numbers, SeveralNumbers, TwoNumbers};
use crate::args::stats::Bounds;
use crate::exit::CommandError;
use perftest_core::model::Sample;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

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

/// A sample with its weights.
pub(crate) struct WeightedInput {
    pub(crate) input: Input,
    /// One for each value.
    pub(crate) weights: Option<Vec<f64>>,
}

/// One input.
pub(crate) fn one(place: &Numbers) -> Result<Input, CommandError> {
    let file = place.file.as_deref().unwrap_or(Path::new(PIPE));
    input(file, &text(file)?, place.column.as_deref())
}

/// One input with the times of its values, where they are in a column.
pub(crate) fn timed(place: &Numbers, times: Option<&str>) -> Result<TimedInput, CommandError> {
    match times {
        None => Ok(TimedInput { input: one(place)?, times_ms: None }),
        Some(times) => {
            let (input, times_ms) = paired(place, "time", times, times_ms)?;
            Ok(TimedInput { input, times_ms: Some(times_ms) })
        }
    }
}

/// One input with the weights of its values, where they are in a column.
pub(crate) fn weighted(
    place: &Numbers,
    weights: Option<&str>,
) -> Result<WeightedInput, CommandError> {
    match weights {
        None => Ok(WeightedInput { input: one(place)?, weights: None }),
        Some(weights) => {
            let read = |cells: &[Cell<'_>]| cells.iter().map(number_in).collect();
            let (input, weights) = paired(place, "weight", weights, read)?;
            Ok(WeightedInput { input, weights: Some(weights) })
        }
    }
}

/// What harnesses printed, by the name of the file: results of benchmarks, or the plain numbers of one
/// without a name.
pub(crate) fn printed(args: &Bench) -> Result<Vec<(String, Printout)>, CommandError> {
    let piped = [PathBuf::from(PIPE)];
    let files = if args.files.is_empty() { piped.as_slice() } else { args.files.as_slice() };
    let column = args.column.as_deref();
    let read = |file: &PathBuf| {
        let (name, text) = (name(file, column), text(file)?);
        let parsed = match column {
            Some(_) => Printout::default(),
            None => {
                printout(&text).map_err(|error| CommandError::Usage(format!("{name}: {error}")))?
            }
        };
        if parsed.values.is_empty() {
            let values = plain(&name, &text, column)?;
            return Ok((name, Printout::of_numbers(values, &args.shown.unit)));
        }
        Ok((name, parsed))
    };
    files.iter().map(read).collect()
}

/// What is larger has differences and sums beyond the range of numbers.
const LARGEST_COMPARED: f64 = 1e300;

/// Two inputs, the first one before.
pub(crate) fn two(places: &TwoNumbers) -> Result<[Input; 2], CommandError> {
    let inputs = both(&places.before, places.current.as_deref(), &places.columns)?;
    inputs.iter().try_for_each(refuse_too_large)?;
    Ok(inputs)
}

fn refuse_too_large(Input { name, sample }: &Input) -> Result<(), CommandError> {
    match sample.values().iter().find(|it| it.abs() > LARGEST_COMPARED) {
        None => Ok(()),
        Some(value) => Err(CommandError::Usage(format!(
            "{name}: {value:e} is too large to be compared: divide all values of all inputs by the same \
             number, so that none is beyond {LARGEST_COMPARED:e}"
        ))),
    }
}

/// Two inputs or more, the first one the reference.
pub(crate) fn several(places: &SeveralNumbers) -> Result<Vec<Input>, CommandError> {
    let inputs = of_several(places)?;
    inputs.iter().try_for_each(refuse_too_large)?;
    Ok(inputs)
}

fn of_several(places: &SeveralNumbers) -> Result<Vec<Input>, CommandError> {
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
            "of three files and more all have the same column: give --column once".into(),
        )),
        ([first, rest @ ..], _) => {
            Ok(both(first, rest.first().map(PathBuf::as_path), columns)?.into())
        }
        ([], _) => Err(CommandError::Usage("there are no numbers: name two files".into())),
    }
}

/// One input, or two where there are two files or columns.
pub(crate) fn one_or_two(places: &Bounds) -> Result<Vec<Input>, CommandError> {
    let first = places.files.first().map_or(Path::new(PIPE), |file| file);
    match (places.files.get(1), places.columns.as_slice()) {
        (None, []) => Ok(vec![input(first, &text(first)?, None)?]),
        (None, [column]) => Ok(vec![input(first, &text(first)?, Some(column))?]),
        (second, columns) => Ok(both(first, second.map(|file| file.as_path()), columns)?.into()),
    }
}

fn both(
    before: &Path,
    current: Option<&Path>,
    columns: &[String],
) -> Result<[Input; 2], CommandError> {
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

fn input(file: &Path, text: &str, column: Option<&str>) -> Result<Input, CommandError> {
    let name = name(file, column);
    let sample = Sample::new(plain(&name, text, column)?);
    let sample = sample.map_err(|error| CommandError::Usage(format!("{name}: {error}")))?;
    Ok(Input { name, sample })
}

fn plain(name: &str, text: &str, column: Option<&str>) -> Result<Vec<f64>, CommandError> {
    let numbers = numbers(text, column);
    let numbers = numbers.map_err(|error| CommandError::Usage(format!("{name}: {error}")))?;
    warn_of_empty(name, numbers.empty);
    Ok(numbers.values)
}

/// The numbers of rows that have one, and what stands beside each of them in another column.
fn paired<T>(
    place: &Numbers,
    noun: &str,
    beside: &str,
    read: impl FnOnce(&[Cell<'_>]) -> Result<Vec<Option<T>>, String>,
) -> Result<(Input, Vec<T>), CommandError> {
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
        // Without a standard error there is nobody to tell.
        let _ = writeln!(anstream::stderr(), "note: {name}: {empty} empty cells are left out");
    }
}

fn text(file: &Path) -> Result<String, CommandError> {
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
