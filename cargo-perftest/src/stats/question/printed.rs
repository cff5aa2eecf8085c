//! `stats compare` with two outputs of a harness: compares each benchmark.

use super::comparison::InputComparison;
use super::{StatsOutput, noted};
use crate::args::stats::Compare as Args;
use crate::exit::{CommandError, Result};
use crate::report::{Table, Unit, counted, some_names};
use crate::stats::input::Input;
use crate::stats::printout::{PrintedValue, Printout};
use perftest_core::model::Sample;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Keys that identify the machine.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

/// The values of one benchmark in one unit, before and after.
struct Benchmark {
    name: String,
    unit: String,
    values: [Vec<f64>; 2],
}

pub(crate) fn compare_printed(files: &[(String, Printout); 2], args: &Args) -> Result<StatsOutput> {
    if !args.probabilities.is_empty() {
        return Err(CommandError::Usage(
            "--probabilities compares inputs of numbers, and these are results of benchmarks: leave \
             it out"
                .into(),
        ));
    }
    let benchmarks = benchmarks(files);
    let notes = notes(files, &benchmarks);
    let mut tables: Vec<(&str, Table)> = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    for benchmark in &benchmarks {
        let Some([before, after]) = benchmark.inputs(files) else { continue };
        let compared = InputComparison::of([&before, &after], args)?;
        let known = tables.iter().position(|(unit, _)| *unit == benchmark.unit);
        let place = known.unwrap_or_else(|| {
            tables.push((&benchmark.unit, empty_table(&benchmark.unit)));
            tables.len() - 1
        });
        tables[place].1.push(benchmark.row(&compared));
        let mut row = compared.as_json();
        row["benchmark"] = benchmark.name.as_str().into();
        row["unit"] = benchmark.unit.as_str().into();
        rows.push(row);
    }
    let tables: Vec<String> = tables.iter().map(|(_, table)| table.text()).collect();
    let sources: Vec<&String> = files.iter().map(|(name, _)| name).collect();
    Ok(StatsOutput {
        text: tables.join("\n") + &noted(&notes),
        json: json!({
            "event": "compare_benchmarks",
            "v": 1,
            "sources": sources,
            "rows": rows,
            "notes": notes,
        }),
    })
}

fn empty_table(unit: &str) -> Table {
    let table = Table::new(&[unit, " values", " before", " after", " ratio", " bounds", "answer"]);
    table.narrowed(&[unit], &["values", "before", "after", "bounds"])
}

/// Lists all benchmarks in file order.
fn benchmarks(files: &[(String, Printout); 2]) -> Vec<Benchmark> {
    // The one package of a file may have another name in the next file.
    let packages = |(_, printout): &(String, Printout)| {
        let packages = printout.values.iter().map(PrintedValue::package);
        packages.collect::<BTreeSet<&str>>().len()
    };
    let has_packages = files.iter().any(|file| packages(file) > 1);
    let mut places: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut benchmarks: Vec<Benchmark> = Vec::new();
    for (file, (_, printout)) in files.iter().enumerate() {
        for it in &printout.values {
            let package = if has_packages { it.package() } else { "" };
            let key = (it.unit.as_str(), package, it.benchmark.as_str());
            let place = *places.entry(key).or_insert_with(|| {
                let name = match has_packages {
                    true => format!("{package}.{}", it.benchmark),
                    false => it.benchmark.clone(),
                };
                let values = [Vec::new(), Vec::new()];
                benchmarks.push(Benchmark { name, unit: it.unit.clone(), values });
                benchmarks.len() - 1
            });
            benchmarks[place].values[file].push(it.value);
        }
    }
    benchmarks
}

impl Benchmark {
    /// Returns both inputs; `None` if one file lacks the benchmark.
    fn inputs(&self, files: &[(String, Printout); 2]) -> Option<[Input; 2]> {
        let input = |file: usize| {
            let sample = Sample::new(self.values[file].clone()).ok()?;
            Some(Input { name: files[file].0.clone(), sample })
        };
        Some([input(0)?, input(1)?])
    }

    fn row(&self, compared: &InputComparison<'_>) -> [String; 7] {
        // A unit may be per iteration.
        let each = ["/op", "/iter"].into_iter().find_map(|suffix| self.unit.strip_suffix(suffix));
        let unit = Unit(each.unwrap_or(&self.unit));
        let [before, after] = compared.inputs.map(|input| &input.sample);
        let [ratio, bounds] = compared.ratio_cells();
        [
            self.name.clone(),
            format!("{}, {}", before.size(), after.size()),
            unit.format(before.median()),
            unit.format(after.median()),
            ratio,
            bounds,
            compared.in_words(),
        ]
    }
}

fn notes(files: &[(String, Printout); 2], benchmarks: &[Benchmark]) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, printout) in files.iter().filter(|(_, printout)| printout.left_out > 0) {
        notes.push(format!(
            "{name}: {} with an incomplete result left out",
            counted(printout.left_out, "line")
        ));
    }
    let [(first, before), (second, after)] = files;
    for key in MACHINE {
        if let (Some(then), Some(now)) = (before.keys.get(key), after.keys.get(key))
            && then != now
        {
            notes.push(format!(
                "{key} is {then} in {first} and {now} in {second}: not the same machine"
            ));
        }
    }
    if benchmarks.iter().all(|it| it.values.iter().any(Vec::is_empty)) {
        notes.push("no benchmark has the same unit in both files".into());
    }
    for (file, (name, _)) in files.iter().enumerate() {
        let only = only_in(file, benchmarks);
        notes.extend((!only.is_empty()).then(|| format!("only in {name}: {}", some_names(&only))));
        for (unit, benchmarks) in units_only_in(file, benchmarks) {
            notes.push(format!("{unit} only in {name}: {}", some_names(&benchmarks)));
        }
    }
    notes
}

/// Returns the names of the file's benchmarks.
fn names_in(file: usize, benchmarks: &[Benchmark]) -> BTreeSet<&str> {
    let has = |it: &&Benchmark| !it.values[file].is_empty();
    benchmarks.iter().filter(has).map(|it| it.name.as_str()).collect()
}

/// Lists the benchmarks that only one file has, in any unit.
fn only_in(file: usize, benchmarks: &[Benchmark]) -> Vec<&str> {
    let mut seen = names_in(1 - file, benchmarks);
    let of_file = benchmarks.iter().filter(|it| !it.values[file].is_empty());
    of_file.map(|it| it.name.as_str()).filter(|name| seen.insert(name)).collect()
}

/// Lists the benchmarks of both files that only one file has in a unit, by unit.
fn units_only_in(file: usize, benchmarks: &[Benchmark]) -> Vec<(&str, Vec<&str>)> {
    let in_other = names_in(1 - file, benchmarks);
    let mut units: Vec<(&str, Vec<&str>)> = Vec::new();
    for it in benchmarks.iter().filter(|it| in_other.contains(it.name.as_str())) {
        if it.values[1 - file].is_empty() {
            match units.iter_mut().find(|(unit, _)| *unit == it.unit) {
                Some((_, names)) => names.push(&it.name),
                None => units.push((&it.unit, vec![&it.name])),
            }
        }
    }
    units
}
