//! A table of results: CSV with named columns.
//!
//! `benchmark` and `value` have to be there; `metric`, `unit`, `better`, `iterations`, `time`, `commit`,
//! `branch`, `testbed` and `run` may be. Rows that agree in all but `value` and `iterations` are
//! measurements of one run.

use super::import_error::LineProblem;
use super::imported_run::{ImportedFile, RunOrigin};
use super::unit::{BenchmarkUnits, metric_of_unit};
use crate::stats::{UnclosedQuote, csv_rows, time_ms};
use perftest_core::model::{Direction, Metric};

const COLUMNS: [&str; 11] = [
    "benchmark",
    "value",
    "metric",
    "unit",
    "better",
    "iterations",
    "time",
    "commit",
    "branch",
    "testbed",
    "run",
];

pub(super) fn read(text: &str) -> Result<ImportedFile, LineProblem> {
    let rows = csv_rows(text)
        .map_err(|UnclosedQuote(line)| LineProblem::at(line, UnclosedQuote::PROBLEM))?;
    let [(line, names), rows @ ..] = rows.as_slice() else {
        return Err(LineProblem::of_file("it is empty"));
    };
    check_names(names).map_err(|problem| LineProblem::at(*line, problem))?;
    let naming_unit = |(_, cells): &(usize, Vec<String>)| Row { names, cells }.naming_unit();
    let units = BenchmarkUnits::of(rows.iter().filter_map(naming_unit));
    let mut file = ImportedFile::default();
    for (line, cells) in rows {
        let row = Row { names, cells };
        row.add_to(&mut file, &units).map_err(|problem| LineProblem::at(*line, problem))?;
    }
    file.refuse_empty("it has a header and no row")
}

/// Refuses names of columns that no table has.
fn check_names(names: &[String]) -> Result<(), String> {
    for (index, name) in names.iter().enumerate() {
        if !COLUMNS.contains(&name.as_str()) {
            return Err(format!(
                "there is no column `{name}`: rename or remove it; columns are {}",
                COLUMNS.join(", ")
            ));
        }
        if names[..index].contains(name) {
            return Err(format!("two columns are named `{name}`: remove one"));
        }
    }
    for needed in ["benchmark", "value"] {
        if !names.iter().any(|name| name == needed) {
            return Err(format!("the column `{needed}` is missing: name it in the first line"));
        }
    }
    Ok(())
}

/// One row.
struct Row<'a> {
    /// Of the columns.
    names: &'a [String],
    cells: &'a [String],
}

impl Row<'_> {
    /// The cell of a column; empty where the table has none.
    fn cell(&self, column: &str) -> &str {
        let index = self.names.iter().position(|name| name == column);
        index.and_then(|index| self.cells.get(index)).map_or("", String::as_str)
    }

    fn known(&self, column: &str) -> Option<String> {
        Some(self.cell(column)).filter(|cell| !cell.is_empty()).map(str::to_owned)
    }

    fn unit(&self) -> String {
        self.known("unit").unwrap_or_else(|| "ns".into())
    }

    /// The benchmark, and the unit that its metric has its name from.
    fn naming_unit(&self) -> Option<(String, String)> {
        self.known("metric").is_none().then(|| (self.cell("benchmark").to_owned(), self.unit()))
    }

    fn add_to(&self, file: &mut ImportedFile, units: &BenchmarkUnits) -> Result<(), String> {
        let columns = self.names.len();
        if self.cells.len() != columns {
            let cells = self.cells.len();
            return Err(format!("{cells} cells under {columns} columns: was the file cut short?"));
        }
        let benchmark = self.cell("benchmark");
        if benchmark.is_empty() {
            return Err("the cell `benchmark` is empty: name the benchmark".into());
        }
        let (metric, factor) = self.metric(units)?;
        let value = self.number("value")? * factor;
        let iterations = match self.cell("iterations") {
            "" => 1,
            text => text.parse().ok().filter(|it| *it > 0).ok_or_else(|| {
                format!("`{text}` is no number of iterations: give a whole number, at least 1")
            })?,
        };
        let started_ms = match self.cell("time") {
            "" => None,
            text => Some(time_ms(text).ok_or_else(|| {
                format!(
                    "`{text}` is no time: write dates such as 2026-01-31T08:30Z, or seconds or \
                     milliseconds since 1970, later than March 1973"
                )
            })?),
        };
        let origin = RunOrigin {
            started_ms,
            commit: self.known("commit"),
            branch: self.known("branch"),
            testbed: self.known("testbed"),
            digest: self.cell("run").to_owned(),
            ..RunOrigin::default()
        };
        file.add(benchmark, &metric, &origin, value, iterations);
        Ok(())
    }

    fn metric(&self, units: &BenchmarkUnits) -> Result<(Metric, f64), String> {
        let (mut metric, factor) = match self.known("metric") {
            Some(name) => {
                let (metric, factor) = metric_of_unit(&self.unit());
                (Metric { name, ..metric }, factor)
            }
            None => units.metric_of(self.cell("benchmark"), &self.unit()),
        };
        if let Some(better) = self.known("better") {
            metric.direction = Direction::from_name(&better)
                .ok_or_else(|| format!("`{better}` is no direction: write lower or higher"))?;
        }
        Ok((metric, factor))
    }

    fn number(&self, column: &str) -> Result<f64, String> {
        let text = self.cell(column);
        let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| {
            format!("`{text}` is no {column}: give a finite number, at least 0, without a unit")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_agree_are_measurements_of_one_run() {
        let text = "benchmark,value,unit,commit,time\nenc,5,us,abc,2026-01-03\nenc,6,us,abc,2026-01-03\n\
                    enc,7,us,def,2026-01-04\n";
        let runs = read(text).unwrap().runs;
        let values: Vec<Vec<f64>> =
            runs.iter().map(|run| run.measurements.iter().map(|it| it.value).collect()).collect();
        assert_eq!(values, [vec![5e3, 6e3], vec![7e3]]);
        assert_eq!(runs[1].origin.commit.as_deref(), Some("def"));
        assert_eq!(runs[0].origin.started_ms, Some(1_767_398_400_000));
    }

    #[test]
    fn a_metric_has_a_name_a_unit_and_a_direction() {
        let text = "benchmark;metric;value;unit;better;iterations\na;score;5;points;higher;10\n";
        let run = read(text).unwrap().runs.remove(0);
        assert_eq!((run.metric.name.as_str(), run.metric.unit.as_str()), ("score", "points"));
        assert_eq!((run.metric.direction, run.measurements[0].iterations), (Direction::Higher, 10));
    }

    #[test]
    fn two_units_of_one_benchmark_are_two_metrics_and_times_are_one() {
        let text =
            "benchmark,value,unit\na,7,misses/op\na,70,misses\nb,8,misses/op\na,1,us/op\na,2,us\n";
        let runs = read(text).unwrap().runs;
        let metrics: Vec<(&str, &str, usize)> = runs
            .iter()
            .map(|run| (run.benchmark.as_str(), run.metric.name.as_str(), run.measurements.len()))
            .collect();
        let expected =
            [("a", "misses/op", 1), ("a", "misses", 1), ("b", "misses", 1), ("a", "wall", 2)];
        assert_eq!(metrics, expected);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, part) in [
            ("benchmark,ns\na,1\n", 1, "no column `ns`"),
            ("benchmark\na\n", 1, "column `value` is missing"),
            ("benchmark,value,value\n", 1, "two columns"),
            ("benchmark,value\na,1\nb\n", 3, "1 cells under 2"),
            ("benchmark,value\n,1\n", 2, "`benchmark` is empty"),
            ("benchmark,value\na,1 ms\n", 2, "without a unit"),
            ("benchmark,value\na,-1\n", 2, "at least 0"),
            ("benchmark,value,time\na,1,soon\n", 2, "no time"),
            ("benchmark,value,better\na,1,up\n", 2, "lower or higher"),
            ("benchmark,value,iterations\na,1,0\n", 2, "at least 1"),
        ] {
            let problem = read(text).unwrap_err();
            assert_eq!(problem.line, Some(line), "{text}: {problem:?}");
            assert!(problem.problem.contains(part), "{problem:?}");
        }
        assert!(read("").is_err() && read("benchmark,value\n").is_err());
    }
}
