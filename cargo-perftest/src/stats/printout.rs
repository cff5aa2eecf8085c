//! Parses the output of a harness: values by benchmark and unit.
//!
//! Reads two formats: that of Go's benchmarks (`BenchmarkName-8  100  123.4 ns/op  16 B/op`,
//! after lines of `key: value`) and the bench lines of libtest (`test name ... bench:  1,234
//! ns/iter (+/- 56)`). Each line has one value for each of its units, and other lines are skipped.
//! The number after `+/-` is skipped too: it is the range inside one run.

use super::csv::all_lines;
use perftest_core::model::Direction;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// The content of one file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Printout {
    /// The values in file order.
    pub(crate) values: Vec<PrintedValue>,
    /// The last value of each key.
    pub(crate) keys: Rc<BTreeMap<String, String>>,
    /// The direction of units, where a line of Go has it: `Unit hits/s better=higher`.
    pub(crate) better: BTreeMap<String, Direction>,
    /// Lines that begin like a result and are none.
    pub(crate) left_out: usize,
}

/// Who prints such a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrintedBy {
    Go,
    Libtest,
}

/// One value of a benchmark.
#[derive(Debug, PartialEq)]
pub(crate) struct PrintedValue {
    pub(crate) by: PrintedBy,
    /// The name without the prefix that all names share.
    pub(crate) benchmark: String,
    pub(crate) unit: String,
    pub(crate) value: f64,
    /// The number of iterations; 1 if the line has none.
    pub(crate) iterations: u64,
    /// The keys before the line.
    keys: Rc<BTreeMap<String, String>>,
}

impl PrintedValue {
    /// Returns the value of a key before the line; empty if there is none.
    pub(crate) fn key(&self, key: &str) -> &str {
        self.keys.get(key).map_or("", String::as_str)
    }

    /// Returns the benchmark's package; empty if the file names none.
    pub(crate) fn package(&self) -> &str {
        self.key("pkg")
    }
}

/// A broken line.
#[derive(Debug)]
pub(crate) struct TornLine {
    /// Its number, from 1.
    pub(crate) line: usize,
    pub(crate) problem: String,
}

impl fmt::Display for TornLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// Parses the results in a text, perhaps none. An error names the broken line.
pub(crate) fn printout(text: &str) -> Result<Printout, TornLine> {
    let mut printout = Printout::default();
    for (line, text) in (1..).zip(all_lines(text)) {
        printout.read(text).map_err(|problem| TornLine { line, problem })?;
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
                match line.strip_prefix("Unit ") {
                    Some(rest) => self.read_unit(rest),
                    None => self.read_key(line),
                }
                Ok(())
            }
        }
    }

    /// `hits/s better=higher assume=exact`
    fn read_unit(&mut self, rest: &str) {
        let mut fields = rest.split_whitespace();
        let Some(unit) = fields.next() else { return };
        let better = fields.find_map(|field| Direction::from_name(field.strip_prefix("better=")?));
        self.better.extend(better.map(|direction| (unit.to_owned(), direction)));
    }

    fn read_go(&mut self, rest: &str) -> Result<(), String> {
        let (name, results) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        // The function may be called `Benchmark` and nothing else.
        let is_bare = name.is_empty() || name.starts_with('-');
        let name = if is_bare { &format!("Benchmark{name}") } else { name };
        let mut fields = results.split_whitespace();
        // A line with only a name marks the start of a benchmark.
        let Some(iterations) = fields.next() else {
            return Ok(());
        };
        let Ok(iterations) = iterations.parse() else {
            self.left_out += 1;
            return Ok(());
        };
        let fields: Vec<&str> = fields.collect();
        if fields.is_empty() || fields.len() % 2 == 1 {
            return Err("after the number of iterations each value needs its unit".into());
        }
        for pair in fields.chunks_exact(2) {
            self.push(PrintedBy::Go, name, iterations, [pair[0], pair[1]])?;
        }
        Ok(())
    }

    fn read_libtest(&mut self, name: &str, result: &str) -> Result<(), String> {
        if name.is_empty() {
            return Err("a bench line has a name before ` ... bench:`".into());
        }
        // `1,234 ns/iter (+/- 56) = 10 MB/s`
        for part in result.split(" = ") {
            let mut fields = part.split_whitespace();
            let (Some(value), Some(unit)) = (fields.next(), fields.next()) else {
                return Err("a bench line has a value and its unit".into());
            };
            self.push(PrintedBy::Libtest, name, 1, [&value.replace(',', ""), unit])?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        by: PrintedBy,
        benchmark: &str,
        iterations: u64,
        [value, unit]: [&str; 2],
    ) -> Result<(), String> {
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let value =
            number.ok_or_else(|| format!("{value} {unit} is no finite number of a unit"))?;
        let (benchmark, unit) = (benchmark.to_owned(), unit.to_owned());
        let keys = Rc::clone(&self.keys);
        self.values.push(PrintedValue { by, benchmark, unit, value, iterations, keys });
        Ok(())
    }

    /// Reads a key, one word without capitals. An empty value removes the key.
    fn read_key(&mut self, line: &str) {
        let is_key = |key: &str| {
            let is_inside = |it: char| !it.is_whitespace() && !it.is_uppercase();
            key.starts_with(char::is_lowercase) && key.chars().all(is_inside)
        };
        if let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) {
            let keys = Rc::make_mut(&mut self.keys);
            match value.trim() {
                "" => keys.remove(key),
                value => keys.insert(key.to_owned(), value.to_owned()),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(text: &str) -> Vec<(String, String, f64)> {
        let values = printout(text).unwrap().values.into_iter();
        let name = |it: &PrintedValue| format!("{}.{}", it.package(), it.benchmark);
        values.map(|it| (name(&it), it.unit, it.value)).collect()
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
    fn a_function_of_go_may_be_called_benchmark_and_a_line_of_libtest_needs_a_name() {
        let names = values_of("Benchmark 500 3 ns/op\nBenchmark-8 1 7 ns/op\n").into_iter();
        let names: Vec<String> = names.map(|(name, ..)| name).collect();
        assert_eq!(names, [".Benchmark", ".Benchmark-8"]);
        let torn = printout("\ntest  ... bench: 5 ns/iter (+/- 1)\n").unwrap_err();
        assert!(torn.line == 2 && torn.problem.contains("name"), "{torn}");
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
            let error = printout(text).unwrap_err().to_string();
            assert!(error.starts_with("line ") && error.contains(expected), "{text}: {error}");
        }
    }
}
