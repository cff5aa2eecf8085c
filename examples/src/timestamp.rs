//! Parsing time stamps: a function of some tens of nanoseconds.

use crate::seeded::Seeded;

/// How long after `earlier` the time stamp `later` is, in milliseconds; negative where it is
/// before. `None` where one of them is no time stamp: see [`unix_millis`].
///
/// ```
/// use perftest_examples::timestamp::millis_between;
/// let (earlier, later) = ("2024-02-28T23:59:59Z", "2024-03-01T01:00:00.25+01:00");
/// assert_eq!(millis_between(earlier, later), Some(86_401_250));
/// ```
#[must_use]
pub fn millis_between(earlier: &str, later: &str) -> Option<i64> {
    Some(unix_millis(later)? - unix_millis(earlier)?)
}

/// A time stamp of RFC 3339, such as `2024-02-29T23:59:60.250+05:30`, as milliseconds since the
/// beginning of 1970 in UTC. Digits beyond the millisecond are cut off; a leap second counts as
/// the first second of the next minute.
///
/// `None` for anything else, a day that its month does not have included.
///
/// ```
/// use perftest_examples::timestamp::unix_millis;
/// assert_eq!(unix_millis("1970-01-02T01:00:00.5+01:00"), Some(86_400_500));
/// assert_eq!(unix_millis("1970-02-30T00:00:00Z"), None);
/// ```
#[must_use]
pub fn unix_millis(text: &str) -> Option<i64> {
    let (date_time, rest) = text.as_bytes().split_at_checked(19)?;
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T' | b't' | b' ', ref time @ ..] =
        date_time
    else {
        return None;
    };
    let &[h1, h2, b':', n1, n2, b':', s1, s2] = time else {
        return None;
    };
    let year = 100 * two_digits(y1, y2)? + two_digits(y3, y4)?;
    let day = days_since_1970(year, two_digits(m1, m2)?, two_digits(d1, d2)?)?;
    let second = within(two_digits(h1, h2)?, 23)? * 3_600
        + within(two_digits(n1, n2)?, 59)? * 60
        + within(two_digits(s1, s2)?, 60)?;
    let (millis, rest) = fraction(rest)?;
    Some((day * 86_400 + second - offset_seconds(rest)?) * 1_000 + millis)
}

fn two_digits(tens: u8, ones: u8) -> Option<i64> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| i64::from(tens) * 10 + i64::from(ones))
}

fn within(value: i64, highest: i64) -> Option<i64> {
    (value <= highest).then_some(value)
}

/// Days from 1 January 1970 in the Gregorian calendar; `None` for a date it does not have.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    const BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    /// From 1 January of the year 0 to 1 January 1970.
    const BEFORE_1970: i64 = 719_528;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let before_month = BEFORE_MONTH.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    if day < 1 || day > days_in_month {
        return None;
    }
    // Leap days of the years before this one, the year 0 among them; and this year's if it is over.
    let leap_days = (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400;
    let this_year = i64::from(is_leap && month > 2);
    Some(365 * year + leap_days + before_month + this_year + day - 1 - BEFORE_1970)
}

/// The milliseconds of `.250` and what follows it; 0 where there is no fraction.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(after_point) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let length = after_point.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = after_point.split_at(length);
    let millis = digits
        .iter()
        .zip([100, 10, 1])
        .map(|(digit, weight)| i64::from(digit - b'0') * weight)
        .sum();
    (length > 0).then_some((millis, rest))
}

/// How far a local time is ahead of UTC, in seconds: `Z` or `+05:30`.
fn offset_seconds(text: &[u8]) -> Option<i64> {
    match *text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let hours = within(two_digits(h1, h2)?, 23)?;
            let minutes = within(two_digits(m1, m2)?, 59)?;
            let ahead = hours * 3_600 + minutes * 60;
            Some(if sign == b'+' { ahead } else { -ahead })
        }
        _ => None,
    }
}

/// Time stamps of this century, all valid and of the same form.
#[must_use]
pub fn input(count: usize) -> Vec<String> {
    let mut seeded = Seeded::new(3_339);
    let mut part = |first: u64, last: u64| first + seeded.below(last - first + 1);
    (0..count)
        .map(|_| {
            let (year, month, day) = (part(2000, 2099), part(1, 12), part(1, 28));
            let (hour, minute, second) = (part(0, 23), part(0, 59), part(0, 59));
            let (millis, offset) = (part(0, 999), part(0, 12));
            format!(
                "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}\
                 +{offset:02}:00"
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_met() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2001-09-09T01:46:40z", 1_000_000_000_000),
            ("2038-01-19 03:14:07.000999-00:00", 2_147_483_647_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("1996-12-19T16:39:57-08:00", 851_042_397_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] {
            assert_eq!(unix_millis(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut days = Vec::new();
        for year in 1800..2200 {
            for month in 1..=12 {
                days.extend((0..=32).filter_map(|day| days_since_1970(year, month, day)));
            }
        }
        assert_eq!(days.len(), 146_097);
        assert!(days.windows(2).all(|pair| pair[0] + 1 == pair[1]));
    }

    #[test]
    fn what_is_no_time_stamp_is_refused() {
        for text in [
            "",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00ZZ",
            "1970-01-01T00:00:00+1:00",
            "1970-01-01T24:00:00Z",
            "1970-13-01T00:00:00Z",
            "1970-00-01T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "1970/01/01T00:00:00Z",
            "197x-01-01T00:00:00Z",
            "1970-01-01T00:00:0\u{e9}Z",
        ] {
            assert_eq!(unix_millis(text), None, "{text}");
        }
    }

    #[test]
    fn the_input_is_valid_and_the_same_each_time() {
        assert!(input(100).iter().all(|text| unix_millis(text).is_some()));
        assert_eq!(input(5), input(5));
    }
}
