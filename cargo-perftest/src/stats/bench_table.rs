//! Benchmarks of several files side by side, a table for each unit.

use super::printout::Printout;
use crate::args::bench::Bench as Args;
use perftest_analysis::stats::{RankSumTest, geometric_mean};
use perftest_analysis::thresholds::{Assumption, BenchstatComparison, BenchstatSummary};
use perftest_core::model::Sample;
use std::collections::{BTreeSet, HashMap};

/// All values of one unit.
pub(super) struct BenchTable {
    pub(super) unit: String,
    /// In the order in which the benchmarks came.
    pub(super) rows: Vec<BenchRow>,
}

/// One benchmark.
pub(super) struct BenchRow {
    pub(super) name: String,
    /// Its values by file; `None` where a file has none.
    pub(super) cells: Vec<Option<BenchCell>>,
}

/// The values of one benchmark in one file.
pub(super) struct BenchCell {
    pub(super) summary: BenchstatSummary,
    pub(super) size: usize,
    /// Against the first file, where that has the benchmark too.
    pub(super) versus: Option<BaseComparison>,
}

/// A comparison with the first file.
pub(super) struct BaseComparison {
    pub(super) comparison: BenchstatComparison,
    /// The centre over the first one, where that is not 0.
    pub(super) ratio: Option<f64>,
    /// The change in words, `~` where nothing is shown.
    pub(super) delta: String,
}

/// Values of one unit, by benchmark and file.
struct UnitValues<'a> {
    unit: &'a str,
    rows: Vec<(String, Vec<Vec<f64>>)>,
}

impl BenchTable {
    /// A table for each unit, in the order in which they came.
    pub(super) fn all_of(files: &[(String, Printout)], args: &Args) -> Vec<Self> {
        // One package a file may have another name in the next one.
        let packages = |(_, printout): &(String, Printout)| {
            let packages = printout.values.iter().map(|it| it.package.as_str());
            packages.collect::<BTreeSet<&str>>().len()
        };
        let names_package = files.iter().any(|file| packages(file) > 1);
        let mut places: HashMap<(&str, &str, &str), (usize, usize)> = HashMap::new();
        let mut tables: Vec<UnitValues<'_>> = Vec::new();
        for (file, (_, printout)) in files.iter().enumerate() {
            for it in &printout.values {
                let package = if names_package { it.package.as_str() } else { "" };
                let key = (it.unit.as_str(), package, it.benchmark.as_str());
                let (table, row) = *places.entry(key).or_insert_with(|| {
                    let known = tables.iter().position(|table| table.unit == it.unit);
                    let table = known.unwrap_or_else(|| {
                        tables.push(UnitValues { unit: &it.unit, rows: Vec::new() });
                        tables.len() - 1
                    });
                    let name = match names_package {
                        true => format!("{package}.{}", it.benchmark),
                        false => it.benchmark.clone(),
                    };
                    tables[table].rows.push((name, vec![Vec::new(); files.len()]));
                    (table, tables[table].rows.len() - 1)
                });
                tables[table].rows[row].1[file].push(it.value);
            }
        }
        let row = |(name, values): (String, Vec<Vec<f64>>)| BenchRow::of(name, values, args);
        let table = |UnitValues { unit, rows }: UnitValues<'_>| Self {
            unit: unit.to_owned(),
            rows: rows.into_iter().map(row).collect(),
        };
        tables.into_iter().map(table).collect()
    }

    /// The geometric mean of a file's centres; `None` where one is 0 or below.
    pub(super) fn mean(&self, file: usize) -> Option<f64> {
        let centers = self.rows.iter().filter_map(|row| row.cells[file].as_ref());
        geometric_mean(&centers.map(|it| it.summary.interval.estimate).collect::<Vec<_>>())
    }

    /// The geometric mean of the ratios to the first file, of the benchmarks that both have.
    pub(super) fn mean_ratio(&self, file: usize) -> Option<f64> {
        let compared = self.rows.iter().filter_map(|row| row.cells[file].as_ref()?.versus.as_ref());
        let ratios: Option<Vec<f64>> = compared.map(|versus| versus.ratio).collect();
        geometric_mean(&ratios?)
    }
}

impl BenchRow {
    fn of(name: String, values: Vec<Vec<f64>>, args: &Args) -> Self {
        let assumption = Assumption::from(args.assume);
        // What was read is finite; a file without values has no sample.
        let samples: Vec<Option<Sample>> =
            values.into_iter().map(|values| Sample::new(values).ok()).collect();
        let summary = |sample: &Sample| assumption.summary(sample, args.confidence);
        let first = samples.first().and_then(Option::as_ref).map(|it| (it, summary(it)));
        let cell = |(file, sample): (usize, &Option<Sample>)| {
            let sample = sample.as_ref()?;
            let summary = summary(sample);
            let versus = first.as_ref().filter(|_| file > 0).map(|(base, before)| {
                let mut comparison = assumption.compare(base, sample, args.alpha);
                if assumption == Assumption::Nothing {
                    ask_for_more(&mut comparison, args.alpha);
                }
                BaseComparison::of(comparison, before, &summary, args)
            });
            Some(BenchCell { summary, size: sample.size(), versus })
        };
        Self { name, cells: samples.iter().enumerate().map(cell).collect() }
    }
}

/// Go's p of samples with ties, or of very different sizes, can be below all that samples of these
/// sizes can prove.
fn ask_for_more(comparison: &mut BenchstatComparison, alpha: f64) {
    let (old, new) = comparison.sizes;
    let least = RankSumTest::least_two_sided(old, new);
    if least > alpha && comparison.p <= alpha {
        comparison.p = least;
        comparison.warning = Some(format!(
            "{old} and {new} samples cannot prove a difference at alpha level {alpha}"
        ));
    }
}

impl BaseComparison {
    fn of(
        comparison: BenchstatComparison,
        before: &BenchstatSummary,
        now: &BenchstatSummary,
        args: &Args,
    ) -> Self {
        let (old, new) = (before.interval.estimate, now.interval.estimate);
        let ratio = Some(new / old).filter(|ratio| ratio.is_finite());
        let is_small = ratio.is_some_and(|ratio| (ratio - 1.0).abs() < args.minimum_effect);
        let delta = match is_small {
            true => "~".into(),
            false => comparison.delta(old, new, args.alpha),
        };
        Self { comparison, ratio, delta }
    }

    /// Whether a difference is told.
    pub(super) fn is_shown(&self) -> bool {
        self.delta != "~"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::printout::printout;
    use clap::Parser;

    #[derive(Parser)]
    struct BenchLine {
        #[command(flatten)]
        bench: Args,
    }

    fn tables(texts: &[&str], options: &[&str]) -> Vec<BenchTable> {
        let args = BenchLine::parse_from([["bench"].as_slice(), options].concat()).bench;
        let files: Vec<(String, Printout)> =
            texts.iter().map(|text| (String::new(), printout(text).unwrap())).collect();
        BenchTable::all_of(&files, &args)
    }

    fn lines(name: &str, values: [f64; 6]) -> String {
        values.iter().map(|value| format!("Benchmark{name} 1 {value} ns/op 0 B/op\n")).collect()
    }

    fn deltas(tables: &[BenchTable]) -> Vec<String> {
        let versus =
            |row: &BenchRow| Some(row.cells.last()?.as_ref()?.versus.as_ref()?.delta.clone());
        tables[0].rows.iter().filter_map(versus).collect()
    }

    const OLD: [f64; 6] = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2];
    const NEW: [f64; 6] = [102.0, 103.0, 101.5, 102.5, 101.7, 102.2];

    #[test]
    fn every_unit_has_a_table_with_the_benchmarks_of_all_files() {
        let (old, new) = (lines("A", OLD), lines("A", NEW) + &lines("B", OLD));
        let tables = tables(&[&old, &new], &[]);
        assert_eq!(tables.iter().map(|it| it.unit.as_str()).collect::<Vec<_>>(), ["ns/op", "B/op"]);
        let [a, b] = tables[0].rows.as_slice() else { panic!("two benchmarks") };
        assert_eq!((a.name.as_str(), b.name.as_str()), ("A", "B"));
        assert!(a.cells[1].as_ref().unwrap().versus.is_some() && b.cells[0].is_none());
        assert!(b.cells[1].as_ref().unwrap().versus.is_none());
        assert!((tables[0].mean_ratio(1).unwrap() - 1.02).abs() < 0.001);
        // Nothing divides by no bytes.
        assert_eq!((tables[1].mean(0), tables[1].mean_ratio(1)), (None, None));
    }

    #[test]
    fn a_certain_difference_below_the_least_effect_is_not_reported() {
        let (old, new) = (lines("A", OLD), lines("A", NEW));
        assert_eq!(deltas(&tables(&[&old, &new], &[])), ["+2.00%"]);
        assert_eq!(deltas(&tables(&[&old, &new], &["--minimum-effect", "3%"])), ["~"]);
        assert_eq!(deltas(&tables(&[&old, &new], &["--alpha", "0.001"])), ["~"]);
        assert_eq!(deltas(&tables(&[&old, &old], &[])), ["~"]);
    }

    #[test]
    fn a_single_value_proves_nothing_in_either_direction() {
        let eight = "BenchmarkX 10 64 ns/op\n".repeat(8);
        for other in ["BenchmarkX 10 58 ns/op\n", "BenchmarkX 10 70 ns/op\n"] {
            for files in [[eight.as_str(), other], [other, eight.as_str()]] {
                assert_eq!(deltas(&tables(&files, &[])), ["~"]);
            }
        }
    }

    #[test]
    fn equal_names_of_two_packages_are_two_benchmarks() {
        let text = format!("pkg: a\n{}pkg: b\n{}", lines("X", OLD), lines("X", NEW));
        let names = |texts: &[&str]| -> Vec<String> {
            tables(texts, &[]).swap_remove(0).rows.into_iter().map(|row| row.name).collect()
        };
        assert_eq!(names(&[&text]), ["a.X", "b.X"]);
        assert_eq!(names(&[&lines("X", OLD)]), ["X"]);
    }
}
