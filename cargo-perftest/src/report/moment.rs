//! Points in time as people write them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Date and minute where the user is.
pub(crate) fn local_minute(time_ms: u64) -> String {
    let moment = i64::try_from(time_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let local = |moment: Timestamp| moment.to_zoned(TimeZone::system());
    match moment.map(local) {
        Some(zoned) => zoned.strftime("%Y-%m-%d %H:%M").to_string(),
        None => "?".into(),
    }
}

/// The end of a time that is given as its last day (`2027-01-31`) or as a number of days from now
/// (`30d`), in milliseconds since the Unix epoch.
pub(crate) fn deadline(text: &str, now: Timestamp) -> Result<u64, String> {
    let unclear = || format!("`{text}` is no day: write 2027-01-31, or 30d for 30 days from now");
    let end = match text.strip_suffix('d') {
        Some(days) => {
            let days: i64 = days.parse().map_err(|_| unclear())?;
            let hours = days.checked_mul(24).filter(|hours| *hours < 24 * 365 * 1000);
            let duration = SignedDuration::from_hours(hours.ok_or_else(unclear)?);
            now.checked_add(duration).map_err(|_| unclear())?
        }
        None => {
            let last: Date = text.parse().map_err(|_| unclear())?;
            let next = last.tomorrow().map_err(|_| unclear())?;
            next.to_zoned(TimeZone::system()).map_err(|_| unclear())?.timestamp()
        }
    };
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

    #[test]
    fn days_count_from_now() {
        let end = deadline("30d", now()).unwrap();
        assert_eq!(end as i64, now().as_millisecond() + 30 * 86_400_000);
    }

    #[test]
    fn a_last_day_ends_with_its_night() {
        let end = deadline("2027-01-31", now()).unwrap() as i64;
        let midnight: Timestamp = "2027-02-01T00:00:00Z".parse().unwrap();
        let hours = (end - midnight.as_millisecond()).abs() / 3_600_000;
        assert!(hours <= 14, "midnight somewhere on earth");
    }

    #[test]
    fn what_is_no_later_day_is_refused() {
        for text in ["", "d", "soon", "2027-02-30", "-3d", "0d", "2020-01-01", "99999999999999d"] {
            assert!(deadline(text, now()).is_err(), "{text}");
        }
    }
}
