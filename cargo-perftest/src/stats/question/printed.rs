//! `stats compare` with two outputs of a harness: compares each benchmark.

use super::comparison::InputComparison;
use super::{StatsOutput, noted};
use crate::args::stats::Compare as Args;
use crate::exit::{Result, refuse};
use crate::grouped::grouped;
use crate::report::{Table, Unit, counted, some_names};
use crate::stats::input::Input;
use crate::stats::printout::{PrintedValue, Printout};
use perftest_core::model::Sample;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};

/// Keys that identify the machine.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

/// The values of one benchmark in one unit, before and after.
struct PrintedBenchmark {
    name: String,
    unit: String,
    values: [Vec<f64>; 2],
}

pub(crate) fn compare_printed(files: &[(String, Printout); 2], args: &Args) -> Result<StatsOutput> {
    if !args.probabilities.is_empty() {
        return refuse(
            "--probabilities compares inputs of numbers, and these are results of benchmarks: leave it out",
        );
    }
    let benchmarks = benchmarks(files);
    let notes = notes(files, &benchmarks);
    let inputs: Vec<(&PrintedBenchmark, [Input; 2])> =
        benchmarks.iter().filter_map(|it| Some((it, it.inputs(files)?))).collect();
    let compared = inputs
        .iter()
        .map(|(benchmark, inputs)| Ok((*benchmark, InputComparison::of(inputs.each_ref(), args)?)));
    let compared = compared.collect::<Result<Vec<_>>>()?;
    let by_unit = grouped(compared.iter().map(|row| (row.0.unit.as_str(), row)));
    let tables: Vec<String> =
        by_unit.into_iter().map(|(unit, rows)| table(unit, rows).text()).collect();
    let rows = compared.iter().map(|(benchmark, compared)| {
        let mut row = compared.as_json();
        row["benchmark"] = benchmark.name.as_str().into();
        row["unit"] = benchmark.unit.as_str().into();
        row
    });
    Ok(StatsOutput {
        text: tables.join("\n") + &noted(&notes),
        json: json!({
            "event": "compare_benchmarks",
            "v": 1,
            "sources": files.each_ref().map(|(name, _)| name),
            "rows": rows.collect::<Vec<_>>(),
            "notes": notes,
        }),
    })
}

fn table(unit: &str, rows: Vec<&(&PrintedBenchmark, InputComparison<'_>)>) -> Table {
    // A unit may be per iteration.
    let each = ["/op", "/iter"].into_iter().find_map(|suffix| unit.strip_suffix(suffix));
    let of_value = Unit(each.unwrap_or(unit));
    Table::of(rows)
        .column(unit, |(benchmark, _)| benchmark.name.clone())
        .column(" values", |(_, it)| it.inputs.map(|it| it.sample.size().to_string()).join(", "))
        .column(" before", |(_, it)| of_value.format(it.inputs[0].sample.median()))
        .column(" after", |(_, it)| of_value.format(it.inputs[1].sample.median()))
        .column(" ratio", |(_, it)| it.ratio_cell())
        .column(" bounds", |(_, it)| it.bounds_cell())
        .column("answer", |(_, it)| it.in_words())
        .narrowed(&[unit], &["values", "before", "after", "bounds"])
}

/// Lists all benchmarks in file order.
fn benchmarks(files: &[(String, Printout); 2]) -> Vec<PrintedBenchmark> {
    // The one package of a file may have another name in the next file.
    let packages = |(_, printout): &(String, Printout)| {
        let packages = printout.values.iter().map(PrintedValue::package);
        packages.collect::<BTreeSet<&str>>().len()
    };
    let has_packages = files.iter().any(|file| packages(file) > 1);
    let mut places: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut benchmarks: Vec<PrintedBenchmark> = Vec::new();
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
                benchmarks.push(PrintedBenchmark { name, unit: it.unit.clone(), values });
                benchmarks.len() - 1
            });
            benchmarks[place].values[file].push(it.value);
        }
    }
    benchmarks
}

impl PrintedBenchmark {
    /// Returns both inputs; `None` if one file lacks the benchmark.
    fn inputs(&self, files: &[(String, Printout); 2]) -> Option<[Input; 2]> {
        let input = |file: usize| {
            let sample = Sample::new(self.values[file].clone()).ok()?;
            Some(Input { name: files[file].0.clone(), sample })
        };
        Some([input(0)?, input(1)?])
    }
}

fn notes(files: &[(String, Printout); 2], benchmarks: &[PrintedBenchmark]) -> Vec<String> {
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
fn names_in(file: usize, benchmarks: &[PrintedBenchmark]) -> BTreeSet<&str> {
    let has = |it: &&PrintedBenchmark| !it.values[file].is_empty();
    benchmarks.iter().filter(has).map(|it| it.name.as_str()).collect()
}

/// Lists the benchmarks that only one file has, in any unit.
fn only_in(file: usize, benchmarks: &[PrintedBenchmark]) -> Vec<&str> {
    let mut seen = names_in(1 - file, benchmarks);
    let of_file = benchmarks.iter().filter(|it| !it.values[file].is_empty());
    of_file.map(|it| it.name.as_str()).filter(|name| seen.insert(name)).collect()
}

/// Lists the benchmarks of both files that only one file has in a unit, by unit.
fn units_only_in(file: usize, benchmarks: &[PrintedBenchmark]) -> Vec<(&str, Vec<&str>)> {
    let in_other = names_in(1 - file, benchmarks);
    let of_both = benchmarks.iter().filter(|it| in_other.contains(it.name.as_str()));
    let lacking = of_both.filter(|it| it.values[1 - file].is_empty());
    grouped(lacking.map(|it| (it.unit.as_str(), it.name.as_str())))
}
