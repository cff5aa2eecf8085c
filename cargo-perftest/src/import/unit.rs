//! Units of other tools, and what they are here.

use perftest_core::model::{Direction, Metric};

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
    let each = ["/op", "/iter"].into_iter().find_map(|suffix| unit.strip_suffix(suffix));
    let plain = each.unwrap_or(unit);
    if let Some(nanoseconds) = nanoseconds_in(plain) {
        return (Metric::wall(), nanoseconds);
    }
    let metric = match (each.is_some(), plain) {
        (true, "B") => Metric::allocated_bytes(),
        (true, "allocs") => Metric::allocations(),
        (_, "B/s" | "KB/s" | "MB/s" | "GB/s") => higher("throughput", unit),
        _ if unit.ends_with("/s") => higher(unit, unit),
        _ => lower(plain, plain),
    };
    (metric, 1.0)
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
        assert_eq!(metric_of_unit("records/s").0, higher("records/s", "records/s"));
        assert_eq!(metric_of_unit("misses/op").0, lower("misses", "misses"));
    }
}
