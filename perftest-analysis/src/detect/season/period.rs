//! The period of a pattern.

use perftest_core::named;

/// Hours of a day.
const DAY: u32 = 24;
const HOUR_MS: u64 = 3_600_000;
/// The epoch was on a Thursday, three days into its week.
const EPOCH_IN_WEEK_MS: u64 = 3 * 24 * HOUR_MS;

named! {
    /// The period of a pattern, by the name as an adjective. Days and weeks are in UTC, and weeks begin on Monday.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Period {
        /// 24 hours.
        Day = "daily",
        /// 7 days.
        Week = "weekly",
    }
}

impl Period {
    /// The length in hours.
    pub fn hours(self) -> u32 {
        match self {
            Self::Day => DAY,
            Self::Week => 7 * DAY,
        }
    }

    /// Returns the hour within the period of a time, in milliseconds since the Unix epoch.
    ///
    /// ```
    /// use perftest_analysis::detect::Period;
    /// // 2026-01-03 was a Saturday.
    /// let three_in_the_morning = 1_767_409_200_000;
    /// assert_eq!(Period::Day.hour_of(three_in_the_morning), 3);
    /// assert_eq!(Period::Week.hour_of(three_in_the_morning), 5 * 24 + 3);
    /// ```
    pub fn hour_of(self, time_ms: u64) -> u32 {
        let length = u64::from(self.hours()) * HOUR_MS;
        let since_begin = (time_ms % length + EPOCH_IN_WEEK_MS) % length;
        (since_begin / HOUR_MS) as u32
    }

    /// Returns the number of periods before that of a time, since one before the epoch.
    pub(super) fn cycle_of(self, time_ms: u64) -> u64 {
        let length = u64::from(self.hours()) * HOUR_MS;
        let in_first = EPOCH_IN_WEEK_MS % length;
        time_ms / length + u64::from(time_ms % length + in_first >= length)
    }

    /// How many hours a slot of the pattern may have, the widest first. A day of the week that is like
    /// every other hour by hour is one slot.
    pub(super) fn widths(self) -> &'static [u32] {
        const OF_A_WEEK: [u32; 8] = [24, 12, 8, 6, 4, 3, 2, 1];
        match self {
            Self::Day => &OF_A_WEEK[1..],
            Self::Week => &OF_A_WEEK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday_at_midnight() {
        let monday_ms = 4 * 24 * HOUR_MS;
        assert_eq!(Period::Week.hour_of(monday_ms), 0);
        assert_eq!(Period::Week.hour_of(monday_ms - 1), 167);
        assert_eq!(Period::Week.cycle_of(monday_ms), Period::Week.cycle_of(monday_ms - 1) + 1);
        assert_eq!(Period::Week.cycle_of(0), Period::Week.cycle_of(monday_ms - 1));
        assert_eq!(Period::Day.cycle_of(24 * HOUR_MS - 1), 0);
        assert_eq!(Period::Day.cycle_of(24 * HOUR_MS), 1);
    }

    #[test]
    fn periods_are_named_the_shortest_first() {
        assert_eq!(Period::ALL.map(Period::name), ["daily", "weekly"]);
    }

    #[test]
    fn the_last_time_there_is_has_its_hour() {
        for period in Period::ALL {
            assert!(period.hour_of(u64::MAX) < period.hours());
            assert!(period.cycle_of(u64::MAX) > 0);
        }
    }
}
