//! Recorded measurements as text.
//!
//! A recording is a CSV file: a header that names its columns, a line a sample, and remarks that
//! begin with `#`. Only `wall_ns` has to be there; `docs/reference/power-and-replay.md` lists the others. A `run` or
//! `chunk` is one process; without either the file is one process.

use perftest_core::model::{Measurement, Probes};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Cycles that the clock probe counts.
const CHAIN_CYCLES: f64 = 8_192.0;
/// From here on a run's number also encodes how much slower the code was made:
/// `1000 * repetition + percent`.
const PLANTED_FROM: u64 = 1_000;

/// The error about quotes.
const QUOTED: &str = "cells in quotes are not read; write them without";

/// The recordings in a file or directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoiseRecordings {
    /// The recordings, in the order of their paths.
    pub recordings: Vec<NoiseRecording>,
    /// Files in which no sample has a time, such as notes on the load.
    pub skipped: Vec<PathBuf>,
}

/// The recording in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseRecording {
    /// Name of the file without its extension.
    pub name: String,
    /// The workloads, in the order of their first lines.
    pub workloads: Vec<RecordedWorkload>,
}

/// All processes of one file that ran the same code.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedWorkload {
    /// The workload's name; slowed code has the factor in it: `sort x1.10`.
    pub name: String,
    /// The planted work, in percent of the code's own work; `None` without planted work.
    pub planted_percent: Option<u64>,
    /// The measurements of each process, in their order.
    pub runs: Vec<Vec<Measurement>>,
}

/// Why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingError {
    /// The file or directory.
    pub place: PathBuf,
    /// The number of the line from 1, if a line is wrong.
    pub line: Option<u32>,
    /// What is wrong.
    pub problem: String,
}

impl RecordingError {
    fn of_system(place: &Path, error: &io::Error) -> Self {
        Self { place: place.to_owned(), line: None, problem: error.to_string() }
    }
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, line, problem } = self;
        match line {
            Some(line) => write!(f, "{}:{line}: {problem}", place.display()),
            None => write!(f, "cannot read {}: {problem}", place.display()),
        }
    }
}

impl std::error::Error for RecordingError {}

impl NoiseRecordings {
    /// Reads a file, or all `.csv` files below a directory.
    ///
    /// A named file must be a recording. Files below a directory are skipped if they have no column
    /// `wall_ns`.
    ///
    /// # Errors
    /// The file, the line and the problem; a directory without a `.csv` file.
    pub fn read(place: &Path) -> Result<Self, RecordingError> {
        if !place.is_dir() {
            return Ok(Self {
                recordings: vec![NoiseRecording::parse(place, &read_text(place)?)?],
                skipped: Vec::new(),
            });
        }
        let files = csv_files_below(place)?;
        if files.is_empty() {
            let problem = "no .csv file is below it".to_owned();
            return Err(RecordingError { place: place.to_owned(), line: None, problem });
        }
        let mut read = Self::default();
        for file in files {
            match read_text(&file)? {
                text if has_times(&text) => {
                    read.recordings.push(NoiseRecording::parse(&file, &text)?);
                }
                _ => read.skipped.push(file),
            }
        }
        Ok(read)
    }
}

impl NoiseRecording {
    /// Samples in which a recorded process warms up: sort, hash and JSON settle in five to ten.
    /// They are part of the measurements of a run.
    pub const WARM_UP: usize = 10;

    fn parse(file: &Path, text: &str) -> Result<Self, RecordingError> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let wrong = |(line, problem)| {
            let place = file.to_owned();
            RecordingError { place, line: Some(line), problem }
        };
        Ok(Self { name, workloads: workloads_of(text).map_err(wrong)? })
    }
}

/// Returns the earliest start of the next measurement, if the record has none: after this one and
/// its probes.
pub fn next_start_ns(measurement: &Measurement) -> u64 {
    const PROBES_NS: u64 = 30_000;
    measurement.start_ns.saturating_add(measurement.wall_ns as u64).saturating_add(PROBES_NS)
}

fn read_text(file: &Path) -> Result<String, RecordingError> {
    let text = fs::read_to_string(file).map_err(|error| RecordingError::of_system(file, &error))?;
    // Some editors and spreadsheets put this mark in front of a text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn csv_files_below(directory: &Path) -> Result<Vec<PathBuf>, RecordingError> {
    let problem = |error: io::Error| RecordingError::of_system(directory, &error);
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let path = entry.path();
        // A link to a directory is not followed: it may lead back here.
        if entry.file_type().map_err(problem)?.is_dir() {
            files.extend(csv_files_below(&path)?);
        } else if path.extension() == Some(OsStr::new("csv")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the lines that are neither blank nor remarks, with their numbers. The first is the
/// header.
fn lines_of(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let is_data = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    (1..).zip(text.lines()).filter(move |(_, line)| is_data(line))
}

/// Returns whether the header has times. An empty file and quoted names are errors and are not
/// skipped.
fn has_times(text: &str) -> bool {
    let is_time = |name: &str| name.trim_matches('"') == "wall_ns";
    let has_time = |header| ColumnNames::named(header).names.into_iter().any(is_time);
    lines_of(text).next().is_none_or(|(_, header)| has_time(header))
}

/// The error is the number of a line, and the problem with it.
fn workloads_of(text: &str) -> Result<Vec<RecordedWorkload>, (u32, String)> {
    let mut lines = lines_of(text);
    let Some((number, header)) = lines.next() else {
        return Err((1, "no header: is this a recording?".to_owned()));
    };
    let columns = ColumnNames::named(header);
    columns.check().map_err(|problem| (number, problem))?;
    let mut parts: Vec<WorkloadPart> = Vec::new();
    for (number, line) in lines {
        let joined = columns.row(line).and_then(|row| row.join(&mut parts));
        joined.map_err(|problem| (number, problem))?;
    }
    Ok(parts.into_iter().map(|part| part.workload).collect())
}

/// A workload so far.
struct WorkloadPart {
    workload: RecordedWorkload,
    /// The number of each of its processes.
    processes: Vec<u64>,
}

/// The names of a file's columns.
struct ColumnNames<'a> {
    names: Vec<&'a str>,
}

impl<'a> ColumnNames<'a> {
    fn named(header: &'a str) -> Self {
        Self { names: header.split(',').map(str::trim).collect() }
    }

    fn check(&self) -> Result<(), String> {
        if self.names.contains(&"wall_ns") {
            return Ok(());
        }
        if self.names.contains(&"\"wall_ns\"") {
            return Err(QUOTED.into());
        }
        Err("no column wall_ns in the header: the first line names the columns".into())
    }

    fn row(&'a self, line: &'a str) -> Result<RecordingRow<'a>, String> {
        if line.contains('"') {
            return Err(QUOTED.into());
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() == self.names.len() {
            return Ok(RecordingRow { columns: self, cells });
        }
        Err(format!("{} cells under {} columns", cells.len(), self.names.len()))
    }
}

/// One sample.
struct RecordingRow<'a> {
    columns: &'a ColumnNames<'a>,
    cells: Vec<&'a str>,
}

impl RecordingRow<'_> {
    /// Adds the sample to its process.
    fn join(&self, parts: &mut Vec<WorkloadPart>) -> Result<(), String> {
        let (process, planted_percent) = (self.process()?, self.planted_percent()?);
        let name = self.workload(planted_percent);
        let mut measurement = self.measurement()?;
        let known = parts.iter().position(|part| part.workload.name == name);
        let index = known.unwrap_or_else(|| {
            let workload = RecordedWorkload { name, planted_percent, runs: Vec::new() };
            parts.push(WorkloadPart { workload, processes: Vec::new() });
            parts.len() - 1
        });
        let WorkloadPart { workload, processes } = &mut parts[index];
        match processes.iter().position(|number| *number == process) {
            Some(place) => {
                let run = &mut workload.runs[place];
                if measurement.start_ns == 0 {
                    measurement.start_ns = run.last().map_or(0, next_start_ns);
                }
                run.push(measurement);
            }
            None => {
                processes.push(process);
                workload.runs.push(vec![measurement]);
            }
        }
        Ok(())
    }

    fn process(&self) -> Result<u64, String> {
        let process = self.number("run")?.or(self.number("chunk")?);
        let is_named = ["run", "chunk"].into_iter().find(|name| self.cell(name).is_some());
        match (process, is_named) {
            (Some(process), _) => Ok(process),
            (None, None) => Ok(0),
            // Samples of unknown processes cannot be grouped.
            (None, Some(name)) => Err(format!("{name} is empty")),
        }
    }

    fn planted_percent(&self) -> Result<Option<u64>, String> {
        let process = self.process()?;
        Ok((process >= PLANTED_FROM).then_some(process % PLANTED_FROM))
    }

    fn workload(&self, planted_percent: Option<u64>) -> String {
        let workload = self.cell("workload").unwrap_or("mix");
        match planted_percent {
            Some(percent) => format!("{workload} x{:.2}", percent as f64 / 100.0),
            None => workload.to_owned(),
        }
    }

    fn measurement(&self) -> Result<Measurement, String> {
        let wall_ns = self.time_ns("wall_ns")?.ok_or("wall_ns is empty")?;
        let clock_ghz = |column| Ok::<_, String>(self.time_ns(column)?.map(|ns| CHAIN_CYCLES / ns));
        let probes = Probes {
            clock_ghz: clock_ghz("chain_ns")?
                .or(mean(clock_ghz("chain_pre_ns")?, clock_ghz("chain_post_ns")?)),
            reference_ns: self
                .time_ns("ref_ns")?
                .or(mean(self.time_ns("ref_pre_ns")?, self.time_ns("ref_post_ns")?)),
            ..Probes::default()
        };
        Ok(Measurement {
            start_ns: self.number("t_us")?.unwrap_or(0_u64).saturating_mul(1_000),
            thread_cpu_ns: self.number("cpu_ns")?,
            wait_ns: self.number("wait_ns")?,
            involuntary_switches: self.number("nivcsw")?,
            // No workload waits.
            voluntary_switches: Some(self.number("nvcsw")?.unwrap_or(0)),
            major_faults: self.number("majflt")?,
            minor_faults: self.number("minflt")?,
            probes,
            ..Measurement::of_value(wall_ns)
        })
    }

    /// Parses a time above zero.
    fn time_ns(&self, column: &str) -> Result<Option<f64>, String> {
        match self.number::<f64>(column)? {
            Some(ns) if !(ns.is_finite() && ns > 0.0) => Err(format!("{column} is {ns}")),
            ns => Ok(ns),
        }
    }

    /// Parses the number in a column; `None` without the column, or if the cell is empty.
    fn number<N: FromStr>(&self, column: &str) -> Result<Option<N>, String> {
        let Some(cell) = self.cell(column).filter(|cell| !cell.is_empty()) else {
            return Ok(None);
        };
        let number = cell.parse().map_err(|_| format!("{column} is `{cell}`, which is no number"));
        number.map(Some)
    }

    fn cell(&self, column: &str) -> Option<&str> {
        let place = self.columns.names.iter().position(|name| *name == column)?;
        self.cells.get(place).copied()
    }
}

fn mean(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    before.zip(after).map(|(before, after)| f64::midpoint(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: &str = "run,workload,i,wall_ns,cpu_ns,wait_ns,nivcsw,minflt,chain_ns,ref_ns\n";

    fn problem(text: &str) -> String {
        let (line, problem) = workloads_of(text).unwrap_err();
        format!("{line}: {problem}")
    }

    #[test]
    fn a_line_becomes_a_measurement_of_its_process() {
        let text =
            format!("{FOUR}1,sort,0,400,300,90,1,2,2048,19700\n3,sort,0,410,310,0,0,0,2048,1\n");
        let workloads = workloads_of(&text).unwrap();
        let [sort] = &workloads[..] else {
            panic!("{workloads:?}");
        };
        let first = sort.runs[0][0];
        assert_eq!((sort.name.as_str(), sort.runs.len()), ("sort", 2));
        assert_eq!(
            (first.wall_ns, first.thread_cpu_ns, first.wait_ns),
            (400.0, Some(300), Some(90))
        );
        assert_eq!((first.involuntary_switches, first.voluntary_switches), (Some(1), Some(0)));
        assert_eq!(first.probes.clock_ghz, Some(4.0));
        assert_eq!(first.probes.reference_ns, Some(19_700.0));
    }

    #[test]
    fn probes_before_and_after_count_by_their_mean() {
        let text = "# load_start=1\nchunk,wall_ns,cpu_ns,chain_pre_ns,chain_post_ns,ref_pre_ns,\
                    ref_post_ns\n0,400,300,2048,4096,100,300\n# load_end=1\n1,1,1,1,1,1,1\n";
        let workloads = workloads_of(text).unwrap();
        assert_eq!(workloads[0].runs.len(), 2);
        let probes = workloads[0].runs[0][0].probes;
        assert_eq!((probes.clock_ghz, probes.reference_ns), (Some(3.0), Some(200.0)));
    }

    #[test]
    fn times_alone_are_a_recording_and_an_empty_cell_is_not_known() {
        let bare = workloads_of("wall_ns\n400\n").unwrap();
        let [only] = bare[0].runs[0][..] else {
            panic!("{bare:?}");
        };
        assert_eq!((only.value, only.thread_cpu_ns, only.probes), (400.0, None, Probes::default()));
        let empty = workloads_of("wall_ns,cpu_ns,other\n400,,x\n").unwrap();
        assert_eq!(empty, bare);
    }

    #[test]
    fn code_that_was_made_slower_is_another_workload() {
        let line = |run: u32| format!("{run},sort,0,400,300,90,1,2,2048,19700\n");
        let text = [FOUR.to_owned(), line(1100), line(1110), line(15110)].concat();
        let workloads = workloads_of(&text).unwrap();
        let found: Vec<_> = workloads
            .iter()
            .map(|it| (it.name.as_str(), it.planted_percent, it.runs.len()))
            .collect();
        assert_eq!(found, [("sort x1.00", Some(100), 1), ("sort x1.10", Some(110), 2)]);
    }

    #[test]
    fn notes_about_runs_have_no_times() {
        assert!(!has_times("run,tag,load_start,load_end,secs\n1,busy,6.44,6.44,0.160\n"));
        assert!(has_times(FOUR));
    }

    #[test]
    fn a_bad_line_is_reported_by_its_number_and_its_fault() {
        let after = |line: &str| problem(&format!("# remark\n{FOUR}{line}\n"));
        assert_eq!(after("1,sort,0"), "3: 3 cells under 10 columns");
        assert_eq!(after("1,sort,0,4oo,1,1,1,1,1,1"), "3: wall_ns is `4oo`, which is no number");
        assert_eq!(after("1,sort,0,,1,1,1,1,1,1"), "3: wall_ns is empty");
        assert_eq!(after("1,sort,0,NaN,1,1,1,1,1,1"), "3: wall_ns is NaN");
        assert_eq!(after("1,sort,0,4,-1,1,1,1,1,1"), "3: cpu_ns is `-1`, which is no number");
        assert_eq!(after("1,sort,0,4,1,1,1,1,0,1"), "3: chain_ns is 0");
        assert!(problem("run,i\n1,2\n").starts_with("1: no column wall_ns in the header"));
        assert_eq!(after("1,sort,0,-4,1,1,1,1,1,1"), "3: wall_ns is -4");
        assert_eq!(after(",sort,0,4,1,1,1,1,1,1"), "3: run is empty");
        assert_eq!(after("1,\"sort\",0,4,1,1,1,1,1,1"), format!("3: {QUOTED}"));
        assert_eq!(problem("\"run\",\"wall_ns\"\n1,2\n"), format!("1: {QUOTED}"));
        assert_eq!(problem("# nothing\n"), "1: no header: is this a recording?");
    }
}
