//! Dates as people and tools write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Whether a text is a date.
pub(super) fn is_date(text: &str) -> bool {
    date_ms(text).is_some()
}

/// Parses a date with or without a time of the day, in UTC without an offset.
pub(super) fn date_ms(text: &str) -> Option<u64> {
    let moment = text.parse::<Timestamp>().ok().or_else(|| {
        let date: DateTime = text.parse().ok()?;
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
    });
    u64::try_from(moment?.as_millisecond()).ok()
}
