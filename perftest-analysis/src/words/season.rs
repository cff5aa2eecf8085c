//! Formats daily and weekly patterns.

use crate::detect::{Pattern, Period, Season};
use std::ops::Range;

const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const HOURS: u32 = 24;
/// Most times in one pattern.
const NAMED: usize = 3;

/// Formats the patterns that were removed from a history.
///
/// ```
/// use perftest_analysis::detect::Season;
/// use perftest_core::model::Sample;
/// use perftest_analysis::words::season;
/// let times_ms: Vec<u64> = (0..70).map(|day| 1_767_571_200_000 + day * 86_400_000).collect();
/// let value = |day: u64| if day % 7 >= 5 { 130.0 } else { 100.0 + (day % 3) as f64 };
/// let history = Sample::new((0..70).map(value).collect()).unwrap();
/// let recognised = Season::recognised(&times_ms, &history).unwrap().unwrap();
/// assert_eq!(season(&recognised), "a weekly pattern of +29% (Saturday, Sunday)");
/// ```
pub fn season(season: &Season) -> String {
    season.patterns().iter().map(pattern).collect::<Vec<_>>().join(" and ")
}

/// Formats one pattern: its peak and the times of the peak.
fn pattern(pattern: &Pattern) -> String {
    let period = pattern.period();
    let peak = pattern.peak();
    let percent = 100.0 * peak.change;
    let change =
        if percent.abs() < 9.95 { format!("{percent:+.1}%") } else { format!("{percent:+.0}%") };
    let times = times(period, &peak.hours);
    let times = if times.is_empty() { String::new() } else { format!(" ({times})") };
    format!("a {} pattern of {change}{times}", period.name())
}

/// Formats parts of a period: whole days by their names, others by their hours.
fn times(period: Period, hours: &[Range<u32>]) -> String {
    let is_whole = |range: &Range<u32>| {
        let ends = [range.start, range.end];
        period == Period::Week && ends.iter().all(|hour| hour.is_multiple_of(HOURS))
    };
    if hours.iter().all(is_whole) {
        return hours.iter().flat_map(days).collect::<Vec<_>>().join(", ");
    }
    let named: Vec<String> = hours.iter().take(NAMED).map(|range| from_to(period, range)).collect();
    let more = hours.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} UTC{more}", named.join(", "))
}

fn days(range: &Range<u32>) -> impl Iterator<Item = &'static str> + use<> {
    (range.start / HOURS..range.end / HOURS).map(day_named)
}

fn day_named(day: u32) -> &'static str {
    DAYS[day as usize % DAYS.len()]
}

fn from_to(period: Period, range: &Range<u32>) -> String {
    let clock = |hour: u32| format!("{:02}:00", hour % HOURS);
    let (from, to) = (clock(range.start), clock(range.end));
    let [first, last] = [range.start / HOURS, (range.end - 1) / HOURS];
    match period {
        Period::Day => format!("{from} to {to}"),
        Period::Week if first == last => format!("{} {from} to {to}", day_named(first)),
        Period::Week => {
            format!("{} {from} to {} {to}", day_named(first), day_named(range.end / HOURS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe_hours(period: Period, hours: &[[u32; 2]]) -> String {
        let hours: Vec<Range<u32>> = hours.iter().map(|[start, end]| *start..*end).collect();
        times(period, &hours)
    }

    #[test]
    fn parts_of_a_week_are_days_or_hours_of_days() {
        let week = |hours: &[[u32; 2]]| describe_hours(Period::Week, hours);
        assert_eq!(week(&[[120, 168]]), "Saturday, Sunday");
        assert_eq!(week(&[[0, 24], [72, 96]]), "Monday, Thursday");
        assert_eq!(week(&[[144, 192]]), "Sunday, Monday");
        assert_eq!(week(&[[8, 16]]), "Monday 08:00 to 16:00 UTC");
        assert_eq!(
            week(&[[20, 30], [120, 144]]).split(',').next(),
            Some("Monday 20:00 to Tuesday 06:00")
        );
        assert_eq!(week(&[[16, 24]]), "Monday 16:00 to 00:00 UTC");
        let work = [0, 1, 2, 3, 4].map(|day| [24 * day + 8, 24 * day + 16]);
        assert!(
            week(&work).ends_with("Wednesday 08:00 to 16:00 UTC and 2 more"),
            "{}",
            week(&work)
        );
    }

    #[test]
    fn parts_of_a_day_are_hours_and_may_go_over_midnight() {
        assert_eq!(describe_hours(Period::Day, &[[8, 16]]), "08:00 to 16:00 UTC");
        assert_eq!(
            describe_hours(Period::Day, &[[22, 26], [12, 13]]),
            "22:00 to 02:00, 12:00 to 13:00 UTC"
        );
        assert_eq!(describe_hours(Period::Day, &[]), "");
    }
}
