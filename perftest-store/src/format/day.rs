//! Days of the calendar, for the one date that people write.

use std::fmt;

const DAY_MS: u64 = 86_400_000;

/// A day in UTC, from the first of the Unix epoch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    /// Days since the first one.
    number: u64,
}

impl Day {
    /// Parses `2027-01-31`; `None` if there is no such day after 1969.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '-').map(|part| {
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u64>().ok().filter(|_| is_number && part.len() <= 4)
        });
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        if year < 1970 || !(1..=12).contains(&month) {
            return None;
        }
        let months = (1..month).map(|month| days_of(year, month)).sum::<u64>();
        let fits = (1..=days_of(year, month)).contains(&day);
        fits.then(|| Self { number: days_before(year) + months + day - 1 })
    }

    /// Returns the day that ends at this time, in milliseconds since the Unix epoch; `None` if no
    /// day ends then.
    pub(crate) fn ending_at(end_ms: u64) -> Option<Self> {
        let number = (end_ms / DAY_MS).checked_sub(1)?;
        (end_ms.is_multiple_of(DAY_MS) && number < days_before(10_000)).then_some(Self { number })
    }

    /// The day's end, in milliseconds since the Unix epoch.
    pub(crate) fn end_ms(self) -> u64 {
        (self.number + 1) * DAY_MS
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut year = 1970 + self.number / 366;
        while days_before(year + 1) <= self.number {
            year += 1;
        }
        let (mut month, mut left) = (1, self.number - days_before(year));
        while left >= days_of(year, month) {
            left -= days_of(year, month);
            month += 1;
        }
        write!(f, "{year}-{month:02}-{:02}", left + 1)
    }
}

/// Days from the beginning of 1970 to that of `year`.
fn days_before(year: u64) -> u64 {
    let leap_days = |year: u64| year / 4 - year / 100 + year / 400;
    365 * (year - 1970) + leap_days(year - 1) - leap_days(1969)
}

fn days_of(year: u64, month: u64) -> u64 {
    let is_leap = match year.is_multiple_of(100) {
        true => year.is_multiple_of(400),
        false => year.is_multiple_of(4),
    };
    match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_with_its_night_and_reads_back() {
        for (text, end_ms) in [
            ("1970-01-01", 86_400_000),
            ("2000-02-29", 951_868_800_000),
            ("2027-01-31", 1_801_440_000_000),
        ] {
            let day = Day::parse(text).unwrap();
            assert_eq!((day.end_ms(), Day::ending_at(end_ms)), (end_ms, Some(day)), "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_written_as_it_is_read() {
        for number in 0..146_097 {
            let day = Day { number };
            assert_eq!(Day::parse(&day.to_string()), Some(day));
        }
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in
            ["", "2027", "2027-02-29", "2027-13-01", "2027-00-01", "2027-01-32", "1969-12-31"]
        {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        for text in ["+027-01-01", "2027-01-0x", "20270-01-01", "2027-01-01-01"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!(Day::ending_at(86_400_001), None);
        assert_eq!(Day::ending_at(0), None);
    }
}
