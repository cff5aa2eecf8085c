//! What divan prints: a tree of names beside a table.
//!
//! ```text
//! codec          fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ decode      1.5 µs        │ 9.1 µs        │ 1.6 µs        │ 1.7 µs        │ 100     │ 800
//! ╰─ encode                    │               │               │               │         │
//!    ├─ 64       80 ns         │ 101 ns        │ 82 ns         │ 84 ns         │ 100     │ 6400
//!    │           800 MB/s      │ 633 MB/s      │ 780 MB/s      │ 761 MB/s      │         │
//!    ╰─ 4096     4 µs          │ 5 µs          │ 4.1 µs        │ 4.2 µs        │ 100     │ 100
//! ```
//!
//! A run has three measurements, the fastest, the median and the slowest sample, so that the median of the
//! run is divan's. The mean, and a throughput, follow from others or from no sample, and are left out.
//! Of allocations the median counts.

use super::import_error::LineProblem;
use super::imported_run::{ImportedFile, RunOrigin};
use super::unit::{lower, nanoseconds_in};
use perftest_core::model::Metric;

/// Of fastest, slowest, median, mean, samples and iterations.
const COLUMNS: usize = 6;
const MEDIAN: usize = 2;
/// Characters of a level of the tree.
const LEVEL: usize = 3;

pub(super) fn read(text: &str) -> Result<ImportedFile, LineProblem> {
    let mut tree = DivanTable::default();
    for (number, line) in (1..).zip(text.lines()) {
        tree.read(line).map_err(|problem| LineProblem::at(number, problem))?;
    }
    tree.file.refuse_empty(
        "no line has the columns fastest, slowest, median, mean, samples and iters: give what `cargo \
         bench` with divan prints",
    )
}

/// What was read so far.
#[derive(Default)]
struct DivanTable {
    /// The names from the root to the present line; empty outside of a table.
    path: Vec<String>,
    /// The benchmark whose rows come.
    benchmark: String,
    /// What the next rows count: allocations, then bytes.
    counts: Vec<Metric>,
    file: ImportedFile,
}

impl DivanTable {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim_end();
        if is_header(line) {
            let name = line.split("fastest").next().unwrap_or_default().trim();
            self.path = vec![name.to_owned()];
            return Ok(());
        }
        if self.path.is_empty() {
            return Ok(());
        }
        match node(line) {
            Some((depth, rest)) => self.read_node(depth, rest),
            // A row below its benchmark begins with blanks or lines of the tree.
            None if line.starts_with(['│', ' ']) => self.read_further_row(line),
            None => {
                self.path.clear();
                Ok(())
            }
        }
    }

    fn read_node(&mut self, depth: usize, rest: &str) -> Result<(), String> {
        if depth > self.path.len() {
            return Err("a line of the tree has no line above it: the file was cut".into());
        }
        let cells: Vec<&str> = rest.split('│').map(str::trim).collect();
        if cells.len() != COLUMNS {
            let name = rest.trim();
            return Err(format!(
                "`{name}` has no results: the output ends too early, run it again"
            ));
        }
        self.path.truncate(depth);
        self.counts.clear();
        let is_parent = cells[1..].iter().all(|cell| cell.is_empty());
        if is_parent {
            let ignored = cells[0].strip_suffix("(ignored)").map(str::trim);
            if let Some(name) = ignored {
                self.file.notes.push(format!("`{name}` was ignored"));
            }
            self.path.push(ignored.unwrap_or(cells[0]).to_owned());
            return Ok(());
        }
        let (name, fastest) = name_and_time(cells[0])?;
        self.path.push(name.to_owned());
        self.benchmark = self.path.join("/");
        let [samples, iterations] = [cells[4], cells[5]].map(|cell| {
            cell.parse::<u64>()
                .map_err(|_| format!("`{cell}` is no number of samples or iterations"))
        });
        let iterations = (iterations? / samples?.max(1)).max(1);
        for value in [fastest, time_ns(cells[MEDIAN])?, time_ns(cells[1])?] {
            let origin = RunOrigin::default();
            self.file.add(&self.benchmark, &Metric::wall(), &origin, value, iterations);
        }
        Ok(())
    }

    /// A throughput, or a line about allocations.
    fn read_further_row(&mut self, line: &str) -> Result<(), String> {
        let mut cells: Vec<&str> = line.rsplitn(COLUMNS, '│').map(str::trim).collect();
        cells.reverse();
        // What is left of the first cell are lines of the tree.
        let label = cells.first().map_or("", |cell| cell.trim_start_matches(['│', ' ']));
        match label {
            "max alloc:" => {
                self.counts = vec![Metric::peak_bytes(), lower("alloc_peak_count", "allocs")];
            }
            "alloc:" => self.counts = vec![Metric::allocated_bytes(), Metric::allocations()],
            "dealloc:" | "grow:" | "shrink:" => self.counts.clear(),
            _ if cells.len() == COLUMNS => {
                if let Some(metric) = self.counts.pop() {
                    let value = amount(cells[MEDIAN])?;
                    self.file.add(&self.benchmark, &metric, &RunOrigin::default(), value, 1);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_header(line: &str) -> bool {
    let mut columns = line.split('│').map(str::trim);
    columns.next().is_some_and(|first| first.ends_with("fastest"))
        && columns.eq(["slowest", "median", "mean", "samples", "iters"])
}

/// The depth of a line with a branch, from 1, and what is behind the branch.
fn node(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    for depth in 1.. {
        if let Some(behind) = rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ "))
        {
            return Some((depth, behind));
        }
        rest = rest.strip_prefix("│  ").or_else(|| rest.strip_prefix(&" ".repeat(LEVEL)))?;
    }
    None
}

/// `encode   80 ns`.
fn name_and_time(cell: &str) -> Result<(&str, f64), String> {
    let split = |text: &'static str| move || format!("`{cell}` has no {text} behind the name");
    let (rest, _) = cell.rsplit_once(' ').ok_or_else(split("time"))?;
    let number = rest.trim_end().rsplit_once(' ').map(|(name, _)| name);
    let name = number.ok_or_else(split("time"))?;
    Ok((name.trim(), time_ns(cell[name.len()..].trim())?))
}

/// `80 ns`, `1.5 µs`.
fn time_ns(cell: &str) -> Result<f64, String> {
    let parts = cell.split_once(' ').and_then(|(number, unit)| {
        Some(number.parse::<f64>().ok()? * nanoseconds_in(unit.trim())?)
    });
    parts.ok_or_else(|| format!("`{cell}` is no time as divan prints it"))
}

/// `3`, `1.5 KB`, `2 MiB`.
fn amount(cell: &str) -> Result<f64, String> {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let factor = match unit.trim() {
        "" | "B" => 1.0,
        "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => return Err(format!("`{cell}` is no amount as divan prints it")),
    };
    let number: Option<f64> = number.parse().ok();
    number.map(|it| it * factor).ok_or_else(|| format!("`{cell}` is no amount as divan prints it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::imported_run::ImportedRun;

    const PRINTED: &str = "\
Timer precision: 20 ns
codec          fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ decode      1.5 µs        │ 9.1 µs        │ 1.6 µs        │ 1.7 µs        │ 100     │ 800
│              max alloc:    │               │               │               │         │
│                2           │ 2             │ 2             │ 2             │         │
│                96 B        │ 96 B          │ 96 B          │ 96 B          │         │
│              alloc:        │               │               │               │         │
│                1           │ 4             │ 3             │ 2.5           │         │
│                64 B        │ 2 KB          │ 1.5 KB        │ 1.2 KB        │         │
│              dealloc:      │               │               │               │         │
│                1           │ 1             │ 1             │ 1             │         │
│                64 B        │ 64 B          │ 64 B          │ 64 B          │         │
├─ slow        (ignored)     │               │               │               │         │
╰─ encode                    │               │               │               │         │
   ├─ 64       80 ns         │ 101 ns        │ 82.25 ns      │ 84 ns         │ 100     │ 6400
   │           800 MB/s      │ 633 MB/s      │ 780 MB/s      │ 761 MB/s      │         │
   ╰─ 4096     4 ms          │ 5 s           │ 4.25 ms       │ 4.5 ms        │ 100     │ 100

";

    fn values(text: &str) -> Vec<(String, String, Vec<f64>)> {
        let of = |run: ImportedRun| {
            let values = run.measurements.iter().map(|it| it.value).collect();
            (run.test_name(), run.metric.name, values)
        };
        read(text).unwrap().runs.into_iter().map(of).collect()
    }

    #[test]
    fn each_leaf_of_the_tree_is_a_run_with_its_fastest_median_and_slowest_sample() {
        let run = |name: &str, metric: &str, values: &[f64]| {
            (name.to_owned(), metric.to_owned(), values.to_vec())
        };
        assert_eq!(
            values(PRINTED),
            [
                run("codec::decode", "wall", &[1500.0, 1600.0, 9100.0]),
                run("codec::decode", "alloc_peak_count", &[2.0]),
                run("codec::decode", "alloc_peak", &[96.0]),
                run("codec::decode", "allocs", &[3.0]),
                run("codec::decode", "alloc_bytes", &[1500.0]),
                run("codec::encode::64", "wall", &[80.0, 82.25, 101.0]),
                run("codec::encode::4096", "wall", &[4e6, 4.25e6, 5e9]),
            ]
        );
        let file = read(PRINTED).unwrap();
        assert_eq!(file.notes, ["`slow` was ignored"]);
        assert_eq!(file.runs[0].measurements[0].iterations, 8);
    }

    #[test]
    fn output_that_ends_in_a_line_is_refused_with_its_number() {
        let whole: Vec<&str> = PRINTED.lines().collect();
        for (count, cut, part) in [
            (3, "├─ decode      1.5 µs        │ 9.1", "no results"),
            (3, "├─ decode", "no results"),
            (3, "├─ decode      1.5 µs  │ 9.1 µs  │ 1.6  │ 1.7 µs │ 100 │ 800", "no time"),
            (3, "├─ decode      1.5 µs  │ 9.1 µs  │ 1.6 µs │ 1.7 µs │ 100 │ ", "no number"),
            (3, "│  ╰─ 64       80 ns │ 101 ns │ 82 ns │ 84 ns │ 100 │ 6400", "no line above"),
        ] {
            let text = format!("{}\n{cut}", whole[..count - 1].join("\n"));
            let problem = read(&text).unwrap_err();
            assert!(problem.problem.contains(part), "{problem:?}");
            assert_eq!(problem.line, Some(count), "{problem:?}");
        }
        assert!(read("running 1 test").unwrap_err().problem.contains("fastest"));
    }
}
