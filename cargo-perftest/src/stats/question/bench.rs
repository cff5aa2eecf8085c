//! `stats bench`: what other harnesses printed, side by side.

use super::{StatsOutput, noted};
use crate::args::bench::Bench as Args;
use crate::report::Table;
use crate::stats::bench_table::{BaseComparison, BenchCell, BenchRow, BenchTable};
use crate::stats::case::json_number;
use crate::stats::printout::Printout;
use crate::stats::unit::{Unit, counted};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::collections::HashSet;

/// Keys that say on which machine a file was made.
const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];
/// Benchmarks of one file alone that are named.
const NAMED: usize = 5;

pub(crate) fn bench(files: &[(String, Printout)], args: &Args, ascii: bool) -> StatsOutput {
    let tables = BenchTable::all_of(files, args);
    let notes = notes(files, &tables);
    let mut footnotes = Footnotes { ascii, texts: Vec::new() };
    let mut drawn: Vec<String> =
        tables.iter().map(|table| drawn(table, files, args, &mut footnotes)).collect();
    drawn.push(footnotes.text() + &noted(&notes));
    drawn.retain(|part| !part.is_empty());
    StatsOutput { text: drawn.join("\n"), json: as_json(files, &tables, args, &notes) }
}

/// What cells refer to, each text once.
struct Footnotes {
    ascii: bool,
    texts: Vec<String>,
}

impl Footnotes {
    /// The mark of a text; nothing without one.
    fn mark(&mut self, text: Option<String>) -> String {
        let Some(text) = text else {
            return String::new();
        };
        let known = self.texts.iter().position(|known| *known == text);
        let index = known.unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        });
        self.sign(index)
    }

    fn sign(&self, index: usize) -> String {
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let number = (index + 1).to_string();
        match self.ascii {
            true => format!("[{number}]"),
            false => number.bytes().map(|digit| RAISED[usize::from(digit - b'0')]).collect(),
        }
    }

    fn text(&self) -> String {
        let line = |(index, text): (usize, &String)| format!("{} {text}\n", self.sign(index));
        self.texts.iter().enumerate().map(line).collect()
    }
}

fn drawn(
    table: &BenchTable,
    files: &[(String, Printout)],
    args: &Args,
    footnotes: &mut Footnotes,
) -> String {
    let mut headings =
        vec![if table.unit.is_empty() { "benchmark" } else { &table.unit }.to_owned()];
    for (file, (name, _)) in files.iter().enumerate() {
        headings.push(format!(" {name}"));
        headings.extend(beside(file, files.len()).iter().map(|heading| (*heading).to_owned()));
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut text = Table::new(&headings);
    for row in &table.rows {
        text.push_row(cells(row, &table.unit, args, footnotes));
    }
    if table.rows.len() > 1 {
        text.push_row(means(table, files.len(), footnotes));
    }
    text.text()
}

/// What is beside the centres of a file: how many values there are, or how they compare.
fn beside(file: usize, files: usize) -> &'static [&'static str] {
    match file {
        0 if files == 1 => &[" n"],
        0 => &[],
        _ => &[" change", "p"],
    }
}

fn cells(row: &BenchRow, unit: &str, args: &Args, footnotes: &mut Footnotes) -> Vec<String> {
    let mut cells = vec![named(&row.name).to_owned()];
    for (file, cell) in row.cells.iter().enumerate() {
        let beside = beside(file, row.cells.len());
        let Some(cell) = cell else {
            cells.extend(vec![String::new(); 1 + beside.len()]);
            continue;
        };
        cells.push(center(cell, unit, args, footnotes));
        match (beside, &cell.versus) {
            ([], _) => {}
            ([_], _) => cells.push(cell.size.to_string()),
            (_, None) => cells.extend([String::new(), format!("n={}", cell.size)]),
            (_, Some(BaseComparison { comparison, delta, .. })) => {
                let mark = footnotes.mark(comparison.warning.clone());
                cells.extend([delta.clone(), comparison.words() + &mark]);
            }
        }
    }
    cells
}

/// The centre of a cell and how far its bounds are from it.
fn center(cell: &BenchCell, unit: &str, args: &Args, footnotes: &mut Footnotes) -> String {
    let (plus_minus, endless) = if footnotes.ascii { ("+-", "inf") } else { ("±", "∞") };
    let range = cell.summary.range().replace('∞', endless);
    // Too few values for an interval, or values that should agree and do not.
    let warning = cell.summary.warning.as_ref().map(|warning| match warning.starts_with("need") {
        true => format!("{warning} for an interval at confidence {}", args.confidence),
        false => warning.clone(),
    });
    let center = quantity(cell.summary.interval.estimate, unit);
    format!("{center} {plus_minus} {range}{}", footnotes.mark(warning))
}

/// The last row: the geometric means.
fn means(table: &BenchTable, files: usize, footnotes: &mut Footnotes) -> Vec<String> {
    let mut cells = vec!["geomean".to_owned()];
    for file in 0..files {
        let has_values = table.rows.iter().any(|row| row.cells[file].is_some());
        let mean = table.mean(file);
        cells.push(match mean {
            Some(mean) => quantity(mean, &table.unit),
            None if has_values => {
                footnotes.mark(Some("centres have to be above 0 to have a geometric mean".into()))
            }
            None => String::new(),
        });
        let ratio = table.mean_ratio(file).map(|ratio| format!("{:+.2}%", 100.0 * (ratio - 1.0)));
        let beside = beside(file, files).len();
        cells.extend([ratio.unwrap_or_default(), String::new()].into_iter().take(beside));
    }
    cells
}

/// A number of a unit that counts by iteration.
fn quantity(number: f64, unit: &str) -> String {
    let each = ["/op", "/iter"].into_iter().find_map(|suffix| unit.strip_suffix(suffix));
    Unit(each.unwrap_or(unit)).format(number)
}

fn notes(files: &[(String, Printout)], tables: &[BenchTable]) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, printout) in files.iter().filter(|(_, printout)| printout.left_out > 0) {
        notes.push(format!(
            "{name}: {} that begins as a benchmark does and is none is left out",
            counted(printout.left_out, "line")
        ));
    }
    let Some(((first, base), others)) = files.split_first() else {
        return notes;
    };
    for (name, other) in others {
        for key in MACHINE {
            if let (Some(before), Some(now)) = (base.keys.get(key), other.keys.get(key))
                && before != now
            {
                notes.push(format!(
                    "{key} is {before} in {first} and {now} in {name}: not the same machine"
                ));
            }
        }
    }
    for (file, (name, _)) in files.iter().enumerate().filter(|_| !others.is_empty()) {
        notes.extend(lone(file, tables).map(|lone| format!("only in {name}: {lone}")));
    }
    notes
}

/// Plain numbers have no name.
fn named(name: &str) -> &str {
    if name.is_empty() { "values" } else { name }
}

/// The benchmarks that one file alone has, in whatever unit.
fn lone(file: usize, tables: &[BenchTable]) -> Option<String> {
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let has = |row: &BenchRow, file: usize| row.cells[file].is_some();
    let others = |row: &BenchRow| (0..row.cells.len()).any(|it| it != file && has(row, it));
    let common: HashSet<&str> =
        rows().filter(|row| others(row)).map(|row| named(&row.name)).collect();
    let names = rows().filter(|row| has(row, file)).map(|row| named(&row.name));
    let mut seen = common;
    let mut names: Vec<&str> = names.filter(|name| seen.insert(name)).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names.truncate(NAMED);
    (!names.is_empty()).then(|| names.join(", ") + &more)
}

fn as_json(
    files: &[(String, Printout)],
    tables: &[BenchTable],
    args: &Args,
    notes: &[String],
) -> Value {
    let table = |table: &BenchTable| {
        let rows: Value = table
            .rows
            .iter()
            .map(|row| {
                let cells: Value =
                    row.cells.iter().map(|it| it.as_ref().map(cell_as_json)).collect();
                json!({ "name": row.name, "files": cells })
            })
            .collect();
        let files = || 0..files.len();
        json!({
            "unit": table.unit,
            "benchmarks": rows,
            "geomeans": files().map(|file| table.mean(file).map(json_number)).collect::<Value>(),
            "geomean_ratios": files().map(|it| table.mean_ratio(it).map(json_number)).collect::<Value>(),
        })
    };
    json!({
        "event": "bench",
        "v": 1,
        "sources": files.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "alpha": args.alpha,
        "confidence": args.confidence,
        "assume": args.assume.to_possible_value().map(|value| value.get_name().to_owned()),
        "minimum_effect": args.minimum_effect,
        "tables": tables.iter().map(table).collect::<Value>(),
        "notes": notes,
    })
}

fn cell_as_json(cell: &BenchCell) -> Value {
    let interval = cell.summary.interval;
    let versus = cell.versus.as_ref().map(|versus| {
        json!({
            "p": json_number(versus.comparison.p),
            "ratio": versus.ratio.map(json_number),
            "shown": versus.is_shown(),
            "warning": versus.comparison.warning,
        })
    });
    json!({
        "count": cell.size,
        "center": json_number(interval.estimate),
        "lower": json_number(interval.lower),
        "upper": json_number(interval.upper),
        "confidence": cell.summary.confidence,
        "warning": cell.summary.warning,
        "versus": versus,
    })
}
