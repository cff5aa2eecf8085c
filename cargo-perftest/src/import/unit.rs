//! Units of other tools, and what they are here.

use perftest_core::model::{Direction, Metric};
use std::collections::HashSet;

/// Endings of a unit that counts something a second.
const A_SECOND: [&str; 3] = ["/s", "/sec", "/second"];

/// The units of each benchmark of a file.
#[derive(Debug)]
pub(super) struct BenchmarkUnits {
    units: HashSet<(String, String)>,
}

impl BenchmarkUnits {
    /// Collects benchmarks, each with a unit.
    pub(super) fn of(units: impl Iterator<Item = (String, String)>) -> Self {
        Self { units: units.collect() }
    }

    /// The metric of a unit of a benchmark, and the factor that its values are multiplied with. The metric of
    /// `misses/op` is `misses`, unless the benchmark has `misses`, too. A time is a time in every unit.
    pub(super) fn metric_of(&self, benchmark: &str, unit: &str) -> (Metric, f64) {
        let (metric, factor) = metric_of_unit(unit);
        let plain = without_iteration(unit).filter(|plain| metric_of_unit(plain).0 == metric);
        let has = |plain: &str| self.units.contains(&(benchmark.to_owned(), plain.to_owned()));
        if metric != Metric::wall() && plain.is_some_and(has) {
            return (lower(unit, unit), 1.0);
        }
        (metric, factor)
    }
}

/// Nanoseconds in one of a unit of time.
pub(super) fn nanoseconds_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        // The micro sign, and the Greek letter.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
        "ms" => 1e6,
        "s" | "sec" | "second" | "seconds" => 1e9,
        "m" | "min" => 60e9,
        "h" => 3_600e9,
        "d" => 86_400e9,
        _ => return None,
    })
}

/// The metric of a unit such as `ns/op`, and the factor that its values are multiplied with.
pub(super) fn metric_of_unit(unit: &str) -> (Metric, f64) {
    let each = without_iteration(unit);
    let plain = each.unwrap_or(unit);
    if let Some(nanoseconds) = nanoseconds_in(plain) {
        return (Metric::wall(), nanoseconds);
    }
    let metric = match (each.is_some(), plain) {
        (true, "B") => Metric::allocated_bytes(),
        (true, "allocs") => Metric::allocations(),
        (_, "B/s" | "KB/s" | "MB/s" | "GB/s") => higher("throughput", unit),
        _ if A_SECOND.iter().any(|ending| unit.ends_with(ending)) => higher(unit, unit),
        _ => lower(plain, plain),
    };
    (metric, 1.0)
}

/// The unit of a value of one iteration, without that.
fn without_iteration(unit: &str) -> Option<&str> {
    ["/op", "/iter"].into_iter().find_map(|suffix| unit.strip_suffix(suffix))
}

/// A metric whose smaller values are better.
pub(super) fn lower(name: &str, unit: &str) -> Metric {
    Metric { name: name.into(), unit: unit.into(), direction: Direction::Lower }
}

/// A metric whose larger values are better.
pub(super) fn higher(name: &str, unit: &str) -> Metric {
    Metric { name: name.into(), unit: unit.into(), direction: Direction::Higher }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_of_time_becomes_nanoseconds() {
        for (unit, factor) in [
            ("ns/op", 1.0),
            ("ns/iter", 1.0),
            ("ps", 1e-3),
            ("µs", 1e3),
            ("μs", 1e3),
            ("s/op", 1e9),
        ] {
            assert_eq!(metric_of_unit(unit), (Metric::wall(), factor), "{unit}");
        }
        assert_eq!(nanoseconds_in("h"), Some(3.6e12));
    }

    #[test]
    fn what_is_counted_keeps_its_unit_and_a_rate_is_better_when_it_is_higher() {
        assert_eq!(metric_of_unit("B/op").0, Metric::allocated_bytes());
        assert_eq!(metric_of_unit("allocs/op").0, Metric::allocations());
        assert_eq!(metric_of_unit("MB/s").0, higher("throughput", "MB/s"));
        for rate in ["records/s", "records/sec", "records/second"] {
            assert_eq!(metric_of_unit(rate).0, higher(rate, rate));
        }
        assert_eq!(metric_of_unit("misses/op").0, lower("misses", "misses"));
    }
}
