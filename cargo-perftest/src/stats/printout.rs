//! Parses the output of a harness: values by benchmark and unit.
//!
//! Reads two formats: that of Go's benchmarks (`BenchmarkName-8  100  123.4 ns/op  16 B/op`,
//! after lines of `key: value`) and the bench lines of libtest (`test name ... bench:  1,234
//! ns/iter (+/- 56)`). Each line has one value for each of its units, and other lines are skipped.
//! The number after `+/-` is skipped too: it is the range inside one run.

use super::csv::all_lines;
use std::collections::BTreeMap;

/// The content of one file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Printout {
    /// The values in file order.
    pub(super) values: Vec<PrintedValue>,
    /// The last value of each key.
    pub(super) keys: BTreeMap<String, String>,
    /// Lines that begin like a result and are none.
    pub(super) left_out: usize,
}

/// One value of a benchmark.
#[derive(Debug, PartialEq)]
pub(super) struct PrintedValue {
    /// The name without the prefix that all names share.
    pub(super) benchmark: String,
    /// The benchmark's package; empty if the file names none.
    pub(super) package: String,
    pub(super) unit: String,
    pub(super) value: f64,
}

/// The key with the package of the benchmarks below it.
const PACKAGE: &str = "pkg";

/// Parses the results in a text, perhaps none. An error names the broken line.
pub(super) fn printout(text: &str) -> Result<Printout, String> {
    let mut printout = Printout::default();
    for (number, line) in (1..).zip(all_lines(text)) {
        printout.read(line).map_err(|error| format!("line {number}: {error}"))?;
    }
    Ok(printout)
}

impl Printout {
    fn read(&mut self, line: &str) -> Result<(), String> {
        let libtest = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... bench:"));
        match (libtest, line.strip_prefix("Benchmark")) {
            (Some((name, result)), _) => self.read_libtest(name.trim(), result),
            // `Benchmarking ..` is criterion's output.
            (None, Some(rest)) if !rest.starts_with(char::is_lowercase) => self.read_go(rest),
            _ => {
                self.read_key(line);
                Ok(())
            }
        }
    }

    fn read_go(&mut self, rest: &str) -> Result<(), String> {
        let (name, results) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let mut fields = results.split_whitespace();
        // A line with only a name marks the start of a benchmark.
        let Some(iterations) = fields.next() else {
            return Ok(());
        };
        if iterations.parse::<u64>().is_err() {
            self.left_out += 1;
            return Ok(());
        }
        let fields: Vec<&str> = fields.collect();
        if fields.is_empty() || fields.len() % 2 == 1 {
            return Err("after the number of iterations each value needs its unit".into());
        }
        for pair in fields.chunks_exact(2) {
            self.push(name, pair[0], pair[1])?;
        }
        Ok(())
    }

    fn read_libtest(&mut self, name: &str, result: &str) -> Result<(), String> {
        // `1,234 ns/iter (+/- 56) = 10 MB/s`
        for part in result.split(" = ") {
            let mut fields = part.split_whitespace();
            let (Some(value), Some(unit)) = (fields.next(), fields.next()) else {
                return Err("a bench line has a value and its unit".into());
            };
            self.push(name, &value.replace(',', ""), unit)?;
        }
        Ok(())
    }

    fn push(&mut self, benchmark: &str, value: &str, unit: &str) -> Result<(), String> {
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let value =
            number.ok_or_else(|| format!("{value} {unit} is no finite number of a unit"))?;
        let package = self.keys.get(PACKAGE).cloned().unwrap_or_default();
        let (benchmark, unit) = (benchmark.to_owned(), unit.to_owned());
        self.values.push(PrintedValue { benchmark, package, unit, value });
        Ok(())
    }

    /// Reads a key, one word without capitals. An empty value removes the key.
    fn read_key(&mut self, line: &str) {
        let is_key = |key: &str| {
            let is_inside = |it: char| !it.is_whitespace() && !it.is_uppercase();
            key.starts_with(char::is_lowercase) && key.chars().all(is_inside)
        };
        if let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) {
            match value.trim() {
                "" => self.keys.remove(key),
                value => self.keys.insert(key.to_owned(), value.to_owned()),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(text: &str) -> Vec<(String, String, f64)> {
        let values = printout(text).unwrap().values.into_iter();
        values.map(|it| (it.package + "." + &it.benchmark, it.unit, it.value)).collect()
    }

    #[test]
    fn lines_of_go_have_a_value_for_each_unit() {
        let text = "goos: linux\npkg: a/b\nBenchmarkFib\nBenchmarkFib/n=1-8 \t 500 \t 3.25 ns/op  \
                    16 B/op\r\nPASS\nok  \ta/b\t1.2s\npkg: c\nBenchmark2 1 7 MB/s\n";
        assert_eq!(
            values_of(text),
            [
                ("a/b.Fib/n=1-8".into(), "ns/op".into(), 3.25),
                ("a/b.Fib/n=1-8".into(), "B/op".into(), 16.0),
                ("c.2".into(), "MB/s".into(), 7.0),
            ]
        );
        assert_eq!(printout(text).unwrap().keys["goos"], "linux");
    }

    #[test]
    fn lines_of_libtest_have_a_time_and_sometimes_a_throughput() {
        let text = "\nrunning 2 tests\ntest a::b ... bench:   1,234.56 ns/iter (+/- 7.89)\n\
                    test c    ... bench:  12 ns/iter (+/- 0) = 83 MB/s\ntest d ... ignored\n";
        assert_eq!(
            values_of(text),
            [
                (".a::b".into(), "ns/iter".into(), 1_234.56),
                (".c".into(), "ns/iter".into(), 12.0),
                (".c".into(), "MB/s".into(), 83.0),
            ]
        );
    }

    #[test]
    fn what_others_print_is_passed_over() {
        let text = "Benchmarking fib: Warming up\nBenchmarkFib says hello\nerror: no\n1\n2\n";
        let printout = printout(text).unwrap();
        assert_eq!((printout.values.len(), printout.left_out), (0, 1));
    }

    #[test]
    fn a_torn_line_is_reported_with_its_number() {
        for (text, expected) in [
            ("\nBenchmarkA 10 3 ns/op 4", "line 2: after the number of iterations"),
            ("BenchmarkA 10", "line 1: after"),
            ("BenchmarkA 10 NaN ns/op", "line 1: NaN ns/op is no finite number"),
            ("BenchmarkA 10 x ns/op", "x ns/op"),
            ("test a ... bench: 12", "line 1: a bench line has a value and its unit"),
            ("test a ... bench: 1..2 ns/iter (+/- 1)", "1..2 ns/iter"),
        ] {
            let error = printout(text).unwrap_err();
            assert!(error.starts_with("line ") && error.contains(expected), "{text}: {error}");
        }
    }
}
