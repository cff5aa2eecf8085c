//! Thermal pressure: how strongly macOS limits the machine because of heat.

use crate::sensor_answer::SensorAnswer;

/// The highest level, sleeping.
const HIGHEST: u64 = 4;

/// A level of the notification `com.apple.system.thermalpressurelevel`: 0 nominal, 1 moderate,
/// 2 heavy, 3 trapping, 4 sleeping.
pub(super) fn parse_level(state: u64) -> SensorAnswer<u64> {
    match state {
        0..=HIGHEST => Ok(state),
        _ => Err(format!("thermal pressure {state} is not understood")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_beyond_the_highest_is_not_taken_for_heat() {
        assert_eq!(parse_level(HIGHEST), Ok(4));
        // The levels of other Apple systems go in steps of ten.
        assert!(parse_level(10).is_err());
        assert!(parse_level(u64::MAX).is_err());
    }
}
