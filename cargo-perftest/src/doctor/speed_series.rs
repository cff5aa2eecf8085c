//! How fast the processor was while it was watched.

use super::threshold::{CONTENDED_CYCLES, UNDISTURBED};
use perftest_core::model::{Reading, Sample};
use perftest_core::stats::quantile;
use perftest_machine::Speed;

/// The readings of both probes over some time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpeedSeries {
    /// Effective clock.
    pub(crate) clock_ghz: Reading<ValueSpread>,
    /// Time of the reference kernel.
    pub(crate) reference_ns: Reading<ValueSpread>,
    /// Share of the readings that needed more cycles than undisturbed ones: another process shared the
    /// core. `None` when a probe cannot be used here.
    pub(crate) contended_share: Option<f64>,
}

/// The middle of values, and between which two lie nine tenths of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueSpread {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl SpeedSeries {
    /// The course of these readings.
    pub(crate) fn of(readings: &[Speed]) -> Self {
        Self {
            clock_ghz: spread(readings.iter().map(|speed| &speed.clock_ghz)),
            reference_ns: spread(readings.iter().map(|speed| &speed.reference_ns)),
            contended_share: contended_share(readings),
        }
    }
}

impl ValueSpread {
    fn of(sample: &Sample) -> Self {
        let at = |probability| quantile(sample, probability);
        Self { median: at(0.5), low: at(0.05), high: at(0.95) }
    }
}

fn spread<'a>(readings: impl Iterator<Item = &'a Reading<f64>> + Clone) -> Reading<ValueSpread> {
    let values = readings.clone().filter_map(Reading::get).collect();
    match (Sample::new(values), readings.last()) {
        (Ok(sample), _) => Reading::Value(ValueSpread::of(&sample)),
        (Err(_), Some(Reading::Absent(why))) => Reading::absent(why.clone()),
        (Err(error), _) => Reading::absent(error.to_string()),
    }
}

fn contended_share(readings: &[Speed]) -> Option<f64> {
    let cycles = |speed: &Speed| Some(speed.clock_ghz.get()? * speed.reference_ns.get()?);
    let cycles = Sample::new(readings.iter().filter_map(cycles).collect()).ok()?;
    let usual = quantile(&cycles, UNDISTURBED);
    let contended = cycles.values().iter().filter(|cycles| **cycles > CONTENDED_CYCLES * usual);
    Some(contended.count() as f64 / cycles.size() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(clock_ghz: f64, reference_ns: f64) -> Speed {
        Speed { clock_ghz: Reading::Value(clock_ghz), reference_ns: Reading::Value(reference_ns) }
    }

    #[test]
    fn a_slower_clock_is_no_contention_and_a_neighbour_is() {
        let mut readings = vec![speed(4.0, 9_000.0); 60];
        readings.extend(vec![speed(2.0, 18_000.0); 20]);
        readings.extend(vec![speed(4.0, 10_500.0); 20]);
        let course = SpeedSeries::of(&readings);
        assert_eq!(course.contended_share, Some(0.2));
        let clock = course.clock_ghz.get().unwrap();
        assert_eq!((clock.low, clock.median, clock.high), (2.0, 4.0, 4.0));
    }

    #[test]
    fn one_reading_that_is_too_good_is_no_contention() {
        let mut readings = vec![speed(4.0, 9_000.0); 100];
        readings[50] = speed(3.4, 9_000.0);
        assert_eq!(SpeedSeries::of(&readings).contended_share, Some(0.0));
    }

    #[test]
    fn probes_that_cannot_be_used_give_the_reason() {
        let absent = || Reading::absent("too coarse");
        let course =
            SpeedSeries::of(&[Speed { clock_ghz: absent(), reference_ns: Reading::Value(9.0) }]);
        assert_eq!(course.clock_ghz, Reading::absent("too coarse"));
        assert_eq!(course.contended_share, None);
        assert!(SpeedSeries::of(&[]).clock_ghz.get().is_none());
    }
}
