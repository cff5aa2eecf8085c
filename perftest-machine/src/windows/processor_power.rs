//! Limits of the clock by firmware or heat, from `CallNtPowerInformation`.

use crate::sensor_answer::SensorAnswer;

/// The fields of one `PROCESSOR_POWER_INFORMATION` that are read here. `CurrentMhz` is none of
/// them: it never shows a boost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessorPower {
    /// `MaxMhz`, the nominal clock; 0 for a processor the machine does not have.
    pub max_mhz: u32,
    /// `MhzLimit`.
    pub limit_mhz: u32,
}

/// The allowed clock of the most limited processor, percent of its nominal one. Less than half a
/// percent is rounding, not a limit.
pub(super) fn limit_percent(processors: &[ProcessorPower]) -> SensorAnswer<u64> {
    let known =
        processors.iter().filter(|processor| processor.max_mhz > 0 && processor.limit_mhz > 0);
    let percents = known.map(|processor| {
        let share = f64::from(processor.limit_mhz) / f64::from(processor.max_mhz);
        (100.0 * share.min(1.0)).round() as u64
    });
    percents.min().ok_or_else(|| "Windows reports no clock limit".into())
}

/// The nominal clock of the first processor.
pub(super) fn nominal_mhz(processors: &[ProcessorPower]) -> SensorAnswer<u32> {
    let first = processors.iter().map(|processor| processor.max_mhz).find(|mhz| *mhz > 0);
    first.ok_or_else(|| "Windows reports no nominal clock".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processor(max_mhz: u32, limit_mhz: u32) -> ProcessorPower {
        ProcessorPower { max_mhz, limit_mhz }
    }

    #[test]
    fn a_limit_of_one_percent_is_one_and_a_rounded_clock_is_none() {
        assert_eq!(limit_percent(&[processor(2803, 2775)]), Ok(99));
        assert_eq!(limit_percent(&[processor(2803, 2800)]), Ok(100));
    }

    #[test]
    fn the_most_limited_processor_counts_by_its_own_nominal_clock() {
        let hybrid = [processor(3400, 3400), processor(2500, 2500), processor(3400, 1700)];
        assert_eq!(limit_percent(&hybrid), Ok(50));
        assert_eq!(limit_percent(&hybrid[..2]), Ok(100));
    }

    #[test]
    fn what_a_virtual_machine_does_not_know_is_no_limit() {
        assert!(limit_percent(&[]).is_err());
        assert!(limit_percent(&[processor(0, 0), processor(2500, 0)]).is_err());
        assert!(nominal_mhz(&[processor(0, 0)]).is_err());
        assert_eq!(limit_percent(&[processor(1, u32::MAX)]), Ok(100));
    }
}
