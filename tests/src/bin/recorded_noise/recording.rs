//! Recorded measurements and the text they are kept in.
//!
//! A file has a header that names its columns, a line a sample, and remarks that begin with `#`.
//! `tests/fixtures/noise/README.md` has the columns. A `run` or `chunk` is one process; without
//! either the file is one process.

use perftest_core::model::{Measurement, Probes};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The clock probe counts so many cycles.
const CHAIN_CYCLES: f64 = 8_192.0;
/// From here on a run's number also tells how much slower the code was made:
/// `1000 * repetition + percent`.
const PLANTED_FROM: u64 = 1_000;

/// All processes of one file that ran the same code.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recording {
    /// Name of the file without its extension.
    pub(crate) name: String,
    /// What was measured.
    pub(crate) workload: String,
    /// The measurements of each process, in their order.
    pub(crate) runs: Vec<Vec<Measurement>>,
}

impl Recording {
    /// The recordings of a file, in the order of their first lines. A file of notes about runs
    /// holds none.
    ///
    /// # Errors
    /// The file and line, and what is wrong there.
    pub(crate) fn read_all(file: &Path) -> Result<Vec<Self>, String> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse_all(&name, &text).map_err(|problem| format!("{}:{problem}", file.display()))
    }

    /// The recordings of a text.
    ///
    /// # Errors
    /// The line, and what is wrong there.
    fn parse_all(name: &str, text: &str) -> Result<Vec<Self>, LineError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
        let Some((number, header)) = lines.next() else {
            return Err(LineError::at(1, "no header"));
        };
        let columns = Columns::named(header);
        if columns.are_notes() {
            return Ok(Vec::new());
        }
        columns.check().map_err(|problem| LineError::at(number, problem))?;
        let mut parts: Vec<Part> = Vec::new();
        for (number, line) in lines {
            let row = columns.row(line).map_err(|problem| LineError::at(number, problem))?;
            row.join(&mut parts).map_err(|problem| LineError::at(number, problem))?;
        }
        Ok(parts.into_iter().map(|part| part.into_recording(name)).collect())
    }
}

/// What is wrong with a line.
#[derive(Debug, PartialEq)]
struct LineError {
    line: u32,
    problem: String,
}

impl LineError {
    fn at(line: u32, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into() }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.problem)
    }
}

/// The processes of one workload so far, each with its number.
struct Part {
    workload: String,
    processes: Vec<(u64, Vec<Measurement>)>,
}

impl Part {
    fn into_recording(self, name: &str) -> Recording {
        let runs = self.processes.into_iter().map(|(_, measurements)| measurements).collect();
        Recording { name: name.to_owned(), workload: self.workload, runs }
    }
}

/// The names of a file's columns.
struct Columns<'a> {
    names: Vec<&'a str>,
}

impl<'a> Columns<'a> {
    fn named(header: &'a str) -> Self {
        Self { names: header.split(',').collect() }
    }

    /// Notes tell the load under which a whole process ran.
    fn are_notes(&self) -> bool {
        self.names.contains(&"load_start")
    }

    fn check(&self) -> Result<(), String> {
        let is_missing = |name: &&str| !self.names.contains(name);
        match ["wall_ns", "cpu_ns"].into_iter().find(is_missing) {
            Some(name) => Err(format!("no column {name} in the header")),
            None => Ok(()),
        }
    }

    fn row(&'a self, line: &'a str) -> Result<Row<'a>, String> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() == self.names.len() {
            return Ok(Row { columns: self, cells });
        }
        Err(format!("{} cells under {} columns", cells.len(), self.names.len()))
    }
}

/// One sample.
struct Row<'a> {
    columns: &'a Columns<'a>,
    cells: Vec<&'a str>,
}

impl Row<'_> {
    /// Adds the sample to the process it belongs to.
    fn join(&self, parts: &mut Vec<Part>) -> Result<(), String> {
        let (process, workload) = (self.process()?, self.workload()?);
        let mut measurement = self.measurement()?;
        let known = parts.iter().position(|part| part.workload == workload);
        let index = known.unwrap_or_else(|| {
            parts.push(Part { workload, processes: Vec::new() });
            parts.len() - 1
        });
        let part = &mut parts[index];
        match part.processes.iter_mut().find(|(number, _)| *number == process) {
            Some((_, measurements)) => {
                if measurement.start_ns == 0 {
                    measurement.start_ns = measurements.last().map_or(0, after);
                }
                measurements.push(measurement);
            }
            None => part.processes.push((process, vec![measurement])),
        }
        Ok(())
    }

    fn process(&self) -> Result<u64, String> {
        Ok(self.number("run")?.or(self.number("chunk")?).unwrap_or(0))
    }

    fn workload(&self) -> Result<String, String> {
        let workload = self.cell("workload").unwrap_or("mix");
        let percent = self.process()?;
        Ok(match percent >= PLANTED_FROM {
            true => format!("{workload} x{:.2}", (percent % PLANTED_FROM) as f64 / 100.0),
            false => workload.to_owned(),
        })
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
            // None of the workloads waits for anything.
            voluntary_switches: Some(self.number("nvcsw")?.unwrap_or(0)),
            major_faults: self.number("majflt")?,
            minor_faults: self.number("minflt")?,
            probes,
            ..Measurement::of_value_ns(wall_ns)
        })
    }

    /// A time that took place.
    fn time_ns(&self, column: &str) -> Result<Option<f64>, String> {
        match self.number::<f64>(column)? {
            Some(ns) if !(ns.is_finite() && ns > 0.0) => Err(format!("{column} is {ns}")),
            ns => Ok(ns),
        }
    }

    /// The number in a column; `None` where the file has no such column.
    fn number<N: FromStr>(&self, column: &str) -> Result<Option<N>, String> {
        let Some(cell) = self.cell(column) else {
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

/// When the next sample may have begun, in recordings that do not tell: after this one and its
/// probes.
fn after(measurement: &Measurement) -> u64 {
    const PROBES_NS: u64 = 30_000;
    measurement.start_ns + measurement.wall_ns as u64 + PROBES_NS
}

fn mean(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    before.zip(after).map(|(before, after)| f64::midpoint(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: &str = "run,workload,i,wall_ns,cpu_ns,wait_ns,nivcsw,minflt,chain_ns,ref_ns\n";

    fn problem(text: &str) -> String {
        Recording::parse_all("busy", text).unwrap_err().to_string()
    }

    #[test]
    fn a_line_becomes_a_measurement_of_its_process() {
        let text =
            format!("{FOUR}1,sort,0,400,300,90,1,2,2048,19700\n3,sort,0,410,310,0,0,0,2048,1\n");
        let recordings = Recording::parse_all("busy", &text).unwrap();
        let [sort] = &recordings[..] else {
            panic!("{recordings:?}");
        };
        let first = sort.runs[0][0];
        assert_eq!((sort.workload.as_str(), sort.runs.len()), ("sort", 2));
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
        let recordings = Recording::parse_all("idle", text).unwrap();
        assert_eq!(recordings[0].runs.len(), 2);
        let probes = recordings[0].runs[0][0].probes;
        assert_eq!((probes.clock_ghz, probes.reference_ns), (Some(3.0), Some(200.0)));
    }

    #[test]
    fn code_that_was_made_slower_is_another_workload() {
        let line = |run: u32| format!("{run},sort,0,400,300,90,1,2,2048,19700\n");
        let text = [FOUR.to_owned(), line(1100), line(1110), line(15110)].concat();
        let recordings = Recording::parse_all("planted", &text).unwrap();
        let found: Vec<_> =
            recordings.iter().map(|it| (it.workload.as_str(), it.runs.len())).collect();
        assert_eq!(found, [("sort x1.00", 1), ("sort x1.10", 2)]);
    }

    #[test]
    fn notes_about_runs_hold_no_recording() {
        let notes = "run,tag,load_start,load_end,secs\n1,busy,6.44,6.44,0.160\n";
        assert_eq!(Recording::parse_all("busy_runs", notes), Ok(Vec::new()));
    }

    #[test]
    fn a_bad_line_is_told_by_its_number_and_its_fault() {
        let after = |line: &str| problem(&format!("# remark\n{FOUR}{line}\n"));
        assert_eq!(after("1,sort,0"), "3: 3 cells under 10 columns");
        assert_eq!(after("1,sort,0,4oo,1,1,1,1,1,1"), "3: wall_ns is `4oo`, which is no number");
        assert_eq!(after("1,sort,0,NaN,1,1,1,1,1,1"), "3: wall_ns is NaN");
        assert_eq!(after("1,sort,0,4,-1,1,1,1,1,1"), "3: cpu_ns is `-1`, which is no number");
        assert_eq!(after("1,sort,0,4,1,1,1,1,0,1"), "3: chain_ns is 0");
        assert_eq!(problem("run,i\n1,2\n"), "1: no column wall_ns in the header");
        assert_eq!(problem("# nothing\n"), "1: no header");
    }
}
