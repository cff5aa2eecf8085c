//! Points in time in the usual notation.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Date and minute in the user's time zone.
pub(crate) fn local_minute(time_ms: u64) -> String {
    let moment = i64::try_from(time_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let local = |moment: Timestamp| moment.to_zoned(TimeZone::system());
    match moment.map(local) {
        Some(zoned) => zoned.strftime("%Y-%m-%d %H:%M").to_string(),
        None => "?".into(),
    }
}

/// The end of a period: its last day if it ends with a day in UTC, or else date and minute.
pub(crate) fn end_of(time_ms: u64) -> String {
    const DAY_MS: u64 = 86_400_000;
    let last_day = time_ms.checked_sub(1).filter(|_| time_ms.is_multiple_of(DAY_MS));
    let last_ms = last_day.and_then(|last_ms| i64::try_from(last_ms).ok());
    match last_ms.and_then(|last_ms| Timestamp::from_millisecond(last_ms).ok()) {
        Some(last) => last.to_zoned(TimeZone::UTC).date().to_string(),
        None => local_minute(time_ms),
    }
}

/// Parses the end of a period, in milliseconds since the Unix epoch: its last day (`2027-01-31`) or
/// a number of days from now (`30d`). Days are in UTC, so that the end is the same everywhere.
pub(crate) fn deadline(text: &str, now: Timestamp) -> Result<u64, String> {
    let unclear = || format!("`{text}` is no day: write 2027-01-31, or 30d for 30 days from now");
    let last: Date = match text.strip_suffix('d') {
        Some(days) => {
            let days: i64 = days.parse().ok().filter(|days| *days > 0).ok_or_else(unclear)?;
            let hours = days.checked_mul(24).filter(|hours| *hours < 24 * 365 * 1000);
            let duration = SignedDuration::from_hours(hours.ok_or_else(unclear)?);
            let moment = now.checked_add(duration).map_err(|_| unclear())?;
            moment.to_zoned(TimeZone::UTC).date()
        }
        None => text.parse().map_err(|_| unclear())?,
    };
    let next = last.tomorrow().map_err(|_| unclear())?;
    let end = next.to_zoned(TimeZone::UTC).map_err(|_| unclear())?.timestamp();
    if end <= now {
        return Err(format!("`{text}` is over already; write a later day"));
    }
    u64::try_from(end.as_millisecond()).map_err(|_| unclear())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-12-01T12:00:00Z".parse().unwrap()
    }

    fn ms(text: &str) -> u64 {
        text.parse::<Timestamp>().unwrap().as_millisecond() as u64
    }

    #[test]
    fn days_count_from_now_and_the_last_is_whole() {
        assert_eq!(deadline("30d", now()).unwrap(), ms("2027-01-01T00:00:00Z"));
        assert_eq!(deadline("1d", now()).unwrap(), ms("2026-12-03T00:00:00Z"));
    }

    #[test]
    fn a_last_day_ends_with_its_night_and_is_reported_as_that_day() {
        let end_ms = deadline("2027-01-31", now()).unwrap();
        assert_eq!(end_ms, ms("2027-02-01T00:00:00Z"));
        assert_eq!(end_of(end_ms), "2027-01-31");
        assert_eq!(end_of(end_ms + 1), local_minute(end_ms + 1));
    }

    #[test]
    fn what_is_no_later_day_is_refused() {
        for text in ["", "d", "soon", "2027-02-30", "-3d", "0d", "2020-01-01", "99999999999999d"] {
            assert!(deadline(text, now()).is_err(), "{text}");
        }
    }
}
