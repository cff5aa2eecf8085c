//! Parses the times of numbers: dates, or times since 1970 in a unit that follows from their size.

use super::cells::Cell;
use super::date::date_ms;
use super::numbers::{excerpt, number_in};
use std::ops::Range;

/// Units of times since 1970: an upper limit, and the unit in milliseconds. Each unit covers the
/// years up to 5138; the same number in the unit before would be no later than 1973.
const UNITS_MS: [(f64, f64); 4] = [(1e11, 1e3), (1e14, 1.0), (1e17, 1e-3), (f64::INFINITY, 1e-6)];

/// Smaller numbers of seconds are before March 1973: a year, a date of eight digits, or a number of a commit.
const FIRST_SECOND: f64 = 1e8;

/// From 1978 to 2499. Milliseconds of other years are the digits of a date with its time: 202601310830.
const YEARS_MS: Range<f64> = 252_460_800_000.0..16_725_225_600_000.0;

/// A time in its written form.
#[derive(Clone, Copy)]
enum Time {
    Ms(u64),
    /// Since 1970 in the unit of the column.
    Since(f64),
}

/// Returns one time in milliseconds since the Unix epoch: a date, or a number in the unit that suits it.
pub(crate) fn time_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    match since_1970(text) {
        Some(number) => Some((number * scale_ms(number)).round() as u64),
        None => written_date_ms(text),
    }
}

/// Returns a number that is a time since 1970, and no date.
fn since_1970(text: &str) -> Option<f64> {
    let is_time = |number: &f64| {
        let ms = (number * scale_ms(*number)).round();
        let is_date = *number >= UNITS_MS[0].0 && !YEARS_MS.contains(&ms);
        number.is_finite() && *number >= FIRST_SECOND && !is_date
    };
    text.parse().ok().filter(is_time)
}

/// Returns the milliseconds in the unit of times since 1970 of which this is the largest.
fn scale_ms(largest: f64) -> f64 {
    UNITS_MS.iter().find(|(end, _)| largest < *end).map_or(1.0, |(_, scale)| *scale)
}

/// Returns the times of cells in milliseconds since the Unix epoch; `None` for empty cells. All
/// numbers have the unit that suits the largest; those of 8, 12 or 14 digits are dates if all cells are dates.
pub(super) fn times_ms(cells: &[Cell<'_>]) -> Result<Vec<Option<u64>>, String> {
    let dates = cells.iter().map(|cell| cell.content.as_deref().map(written_date_ms));
    let dates: Vec<Option<Option<u64>>> = dates.collect();
    if !dates.contains(&Some(None)) {
        return Ok(dates.into_iter().map(Option::flatten).collect());
    }
    let times = cells.iter().map(time).collect::<Result<Vec<Option<Time>>, String>>()?;
    let numbers = times.iter().filter_map(|time| match time {
        Some(Time::Since(number)) => Some(*number),
        _ => None,
    });
    let scale = scale_ms(numbers.fold(0.0, f64::max));
    let in_ms = |time| match time {
        Time::Ms(ms) => ms,
        Time::Since(number) => (number * scale).round() as u64,
    };
    Ok(times.into_iter().map(|time| time.map(in_ms)).collect())
}

/// Returns the milliseconds of a date, which may be one of 8 digits, or of 12 or 14 with its time.
fn written_date_ms(text: &str) -> Option<u64> {
    let is_compact = matches!(text.len(), 12 | 14) && text.bytes().all(|it| it.is_ascii_digit());
    match text.split_at_checked(8) {
        _ if since_1970(text).is_some() => None,
        Some((day, time)) if is_compact => date_ms(&format!("{day}T{time}")),
        _ => date_ms(text),
    }
}

fn time(cell: &Cell<'_>) -> Result<Option<Time>, String> {
    match &cell.content {
        Some(text) if text.parse::<f64>().is_err() => {
            let why = || {
                format!(
                    "{} is `{}`, which is no time: write dates such as 2026-01-31T08:30Z, or seconds or \
                     milliseconds since 1970",
                    cell.place,
                    excerpt(text)
                )
            };
            Ok(Some(Time::Ms(date_ms(text).ok_or_else(why)?)))
        }
        _ => match number_in(cell)? {
            Some(number) if number < 0.0 => {
                Err(format!("{} is {number}, which is before 1970", cell.place))
            }
            number => Ok(number.map(Time::Since)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::cells::cells;

    fn times(text: &str) -> Result<Vec<Option<u64>>, String> {
        times_ms(&cells(text, None).unwrap())
    }

    #[test]
    fn dates_are_read_with_and_without_an_offset() {
        let text = "2026-01-03\n2026-01-03T03:00:00Z\n2026-01-03 04:00:00\n2026-01-03T06:00+01:00";
        let hours = |hours: u64| Some(1_767_398_400_000 + hours * 3_600_000);
        assert_eq!(times(text), Ok(vec![hours(0), hours(3), hours(4), hours(5)]));
    }

    #[test]
    fn one_time_is_a_date_or_a_number_that_is_no_year_and_no_count() {
        let day = Some(1_769_817_600_000);
        for text in ["20260131", " 2026-01-31 ", "1769817600", "1769817600000"] {
            assert_eq!(time_ms(text), day, "{text}");
        }
        for text in ["2026", "202601", "0", "17", "99999999", "-5", "NaN", "inf", "1e400"] {
            assert_eq!(time_ms(text), None, "{text}");
        }
        for text in ["202601310830", "20260131083000"] {
            assert_eq!(time_ms(text), Some(1_769_848_200_000), "{text} is a date and its time");
        }
        for text in ["202613310830", "20260131086000", "197701010000.5"] {
            assert_eq!(time_ms(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_with_its_time_may_be_twelve_or_fourteen_digits() {
        let written = times("2026-01-03T08:30\n2026-01-04T23:59");
        assert_eq!(times("202601030830\n202601042359"), written);
        assert_eq!(times("20260103083000\n20260104235900"), written);
        assert_eq!(times("19780101000000").unwrap(), times("1978-01-01").unwrap());
    }

    #[test]
    fn eight_digits_are_a_date_where_every_cell_is_one() {
        let days = |text: &str| times(text).unwrap();
        assert_eq!(days("20260103\n20260104"), days("2026-01-03\n2026-01-04"));
        assert_eq!(
            days("[20260103, null, \"2026-01-04\"]"),
            days("[\"2026-01-03\", null, \"2026-01-04\"]")
        );
        assert_eq!(days("20260103\n60"), [Some(20_260_103_000), Some(60_000)]);
    }

    #[test]
    fn numbers_are_in_the_unit_of_the_largest() {
        for text in [
            "1767398400\n1767398401.5",
            "1767398400000\n1767398401500",
            "1767398400000000\n1767398401500000",
            "1767398400000000000\n1767398401500000000",
            "[\"1767398400\", 1767398401.5]",
        ] {
            let expected = vec![Some(1_767_398_400_000), Some(1_767_398_401_500)];
            assert_eq!(times(text), Ok(expected), "{text}");
        }
        assert_eq!(times("[0, null, 60]"), Ok(vec![Some(0), None, Some(60_000)]));
    }

    #[test]
    fn what_is_no_time_is_reported_with_its_place() {
        for (text, expected) in [
            (
                "2026-01-03\nyesterday",
                "line 2 is `yesterday`, which is no time: write dates such as",
            ),
            ("2026-13-03", "line 1 is `2026-13-03`"),
            ("-5", "before 1970"),
            ("1960-01-01", "no time"),
            ("NaN", "finite"),
        ] {
            let error = times(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
