//! Formats work per second.

use super::quantity::{LONGEST, four_digits, largest_unit};
use crate::model::{Work, WorkKind};

const BYTES: [(f64, &str); 5] = [
    ((1_u64 << 40) as f64, "TiB/s"),
    ((1_u64 << 30) as f64, "GiB/s"),
    ((1_u64 << 20) as f64, "MiB/s"),
    ((1_u64 << 10) as f64, "KiB/s"),
    (1.0, "B/s"),
];
const ITEMS: [(f64, &str); 4] =
    [(1e9, "G items/s"), (1e6, "M items/s"), (1e3, "k items/s"), (1.0, "items/s")];

/// Returns the throughput of an iteration of this duration; `None` without work or time.
///
/// ```
/// use perftest_core::model::{Work, WorkKind};
/// use perftest_core::words::throughput;
/// let work = |kind| Work { amount: 1 << 20, kind };
/// assert_eq!(throughput(work(WorkKind::Bytes), 2e6).as_deref(), Some("500.0 MiB/s"));
/// assert_eq!(throughput(work(WorkKind::Items), 2e6).as_deref(), Some("524.3 M items/s"));
/// ```
pub fn throughput(work: Work, iteration_ns: f64) -> Option<String> {
    let per_second = work.per_second(iteration_ns)?;
    let units = match work.kind {
        WorkKind::Bytes => &BYTES[..],
        WorkKind::Items => &ITEMS[..],
    };
    let largest = largest_unit(per_second, units).filter(|_| per_second < LONGEST);
    let (scale, unit) = largest.unwrap_or((1.0, units[units.len() - 1].1));
    Some(format!("{} {unit}", four_digits(per_second / scale)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_reported_in_a_unit_that_suits_it() {
        let formatted = |amount, kind, ns| throughput(Work { amount, kind }, ns);
        for (amount, kind, ns, text) in [
            (1, WorkKind::Bytes, 1e9, "1.000 B/s"),
            (1_024, WorkKind::Bytes, 1e9, "1.000 KiB/s"),
            (64, WorkKind::Bytes, 32.0, "1.863 GiB/s"),
            (1, WorkKind::Items, 4e9, "0.2500 items/s"),
            (999_960, WorkKind::Items, 1e9, "1.000 M items/s"),
            (u64::MAX, WorkKind::Items, 1.0, "1.845e28 items/s"),
            (u64::MAX, WorkKind::Bytes, 1.0, "1.845e28 B/s"),
        ] {
            assert_eq!(formatted(amount, kind, ns).as_deref(), Some(text));
        }
        assert_eq!(formatted(0, WorkKind::Bytes, 1.0), None);
    }
}
