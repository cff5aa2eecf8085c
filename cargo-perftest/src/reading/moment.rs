//! The beginning and the end of the selected runs.

use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use perftest_core::model::Run;
use std::sync::atomic::{AtomicBool, Ordering};

/// Fewest digits of an abbreviated commit.
const FEWEST_DIGITS: usize = 4;
/// A longer number with a `d` is an abbreviated commit.
const MOST_DIGITS_OF_DAYS: usize = 4;

/// A moment in a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Moment {
    /// From the first of these times until before the second, in milliseconds since the Unix epoch.
    Time(i64, i64),
    /// A commit that git finds, by its time in seconds.
    Commit(u64),
    /// An abbreviated commit that git does not find.
    Recorded(String),
}

impl Moment {
    /// Parses the user's text. Days are in the user's time zone, like the times that the tool
    /// prints.
    pub(super) fn parse(
        text: &str,
        now: Timestamp,
        repository: Option<&GitCheckout>,
    ) -> Result<Self> {
        let time = days_before(text, now).or_else(|| day(text)).or_else(|| instant(text));
        let time =
            time.map(|(start, end)| Self::Time(start.as_millisecond(), end.as_millisecond()));
        let commit = || repository?.commit_time_s(text);
        let is_hex =
            || text.len() >= FEWEST_DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let recorded = || is_hex().then(|| Self::Recorded(text.to_ascii_lowercase()));
        time.or_else(|| commit().map(Self::Commit)).or_else(recorded).ok_or_else(|| {
            CommandError::Usage(format!(
                "`{text}` is no day (2026-11-01), no number of days (30d), and no commit that git \
                 knows here"
            ))
        })
    }

    /// Returns whether this is entirely after another moment. A commit and a day are not
    /// comparable, because a run may be of an old commit.
    pub(super) fn is_behind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Time(start_ms, _), Self::Time(_, end_ms)) => start_ms >= end_ms,
            (Self::Commit(time_s), Self::Commit(other_s)) => time_s > other_s,
            _ => false,
        }
    }

    /// Returns the position among these runs.
    fn among(&self, runs: &[Run]) -> RunPosition {
        match self {
            Self::Time(start_ms, end_ms) => RunPosition::Time(*start_ms, *end_ms),
            Self::Commit(time_s) => RunPosition::Commit(*time_s),
            Self::Recorded(beginning) => {
                let its = || runs.iter().filter(|run| run.revision.commit.starts_with(beginning));
                let time_s = its().map(|run| run.revision.order).find(|order| *order > 0);
                // Without the time of the commit, its runs are in the order of recording.
                let times = || Some((its().map(ms).min()?, its().map(ms).max()?.saturating_add(1)));
                let by_record = || times().map(|(start, end)| RunPosition::Time(start, end));
                time_s.map(RunPosition::Commit).or_else(by_record).unwrap_or(RunPosition::Nowhere)
            }
        }
    }
}

/// A moment that is sought in many histories.
#[derive(Debug)]
pub(super) struct SoughtMoment {
    moment: Moment,
    /// Whether one of them has it.
    is_found: AtomicBool,
}

impl SoughtMoment {
    /// Returns the position among the runs of a history.
    pub(super) fn among(&self, runs: &[Run]) -> RunPosition {
        let position = self.moment.among(runs);
        self.is_found.fetch_or(position != RunPosition::Nowhere, Ordering::Relaxed);
        position
    }

    /// The abbreviated commit that neither git nor a history has so far.
    pub(super) fn missing_commit(&self) -> Option<&str> {
        match &self.moment {
            Moment::Recorded(beginning) if !self.is_found.load(Ordering::Relaxed) => {
                Some(beginning)
            }
            _ => None,
        }
    }
}

impl From<Moment> for SoughtMoment {
    fn from(moment: Moment) -> Self {
        Self { moment, is_found: AtomicBool::new(false) }
    }
}

/// A position among runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunPosition {
    /// As of [`Moment::Time`].
    Time(i64, i64),
    /// At the time of a commit, in seconds.
    Commit(u64),
    /// No run is before it or after it.
    Nowhere,
}

impl RunPosition {
    /// Returns whether a run is at this position or after it.
    pub(super) fn is_reached_by(self, run: &Run) -> bool {
        match self {
            Self::Time(start_ms, _) => ms(run) >= start_ms,
            Self::Commit(order) => run.revision.order >= order,
            Self::Nowhere => false,
        }
    }

    /// Returns whether a run is at this position or before it.
    pub(super) fn is_not_passed_by(self, run: &Run) -> bool {
        match self {
            Self::Time(_, end_ms) => ms(run) < end_ms,
            Self::Commit(order) => (1..=order).contains(&run.revision.order),
            Self::Nowhere => false,
        }
    }
}

fn ms(run: &Run) -> i64 {
    i64::try_from(run.started_ms).unwrap_or(i64::MAX)
}

/// Parses `30d`: this many times 24 hours ago.
fn days_before(text: &str, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let days = text.strip_suffix('d').filter(|days| days.len() <= MOST_DIGITS_OF_DAYS)?;
    let days: i64 = days.parse().ok().filter(|days| *days >= 0)?;
    let then = now.checked_sub(SignedDuration::from_hours(days.checked_mul(24)?)).ok()?;
    Some((then, then))
}

/// Parses `2026-11-01`.
fn day(text: &str) -> Option<(Timestamp, Timestamp)> {
    let day: Date = text.parse().ok().filter(|_| text.len() <= "2026-11-01".len())?;
    let start = |day: Date| Some(day.to_zoned(TimeZone::system()).ok()?.timestamp());
    Some((start(day)?, start(day.tomorrow().ok()?)?))
}

/// Parses `2026-11-01T12:00:00Z`.
fn instant(text: &str) -> Option<(Timestamp, Timestamp)> {
    let instant: Timestamp = text.parse().ok()?;
    Some((instant, instant.checked_add(SignedDuration::from_millis(1)).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::example_run;

    fn parsed(text: &str) -> Option<Moment> {
        Moment::parse(text, "2026-12-01T12:00:00Z".parse().unwrap(), None).ok()
    }

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn days_and_instants_are_times() {
        let then = ms("2026-11-24T12:00:00Z");
        assert_eq!(parsed("7d"), Some(Moment::Time(then, then)));
        let Some(Moment::Time(start, end)) = parsed("2026-11-01") else { panic!() };
        assert!((end - start - 86_400_000).abs() <= 3_600_000);
        assert_eq!(parsed("2026-11-24T12:00:00Z"), Some(Moment::Time(then, then + 1)));
    }

    #[test]
    fn what_is_no_time_may_be_the_beginning_of_a_commit() {
        assert_eq!(parsed("A1B2C3"), Some(Moment::Recorded("a1b2c3".into())));
        assert_eq!(parsed("1234567d"), Some(Moment::Recorded("1234567d".into())));
        for text in ["", "abc", "soon", "-3d", "2026-02-30", "v1.2.0"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_commit_is_missing_until_one_history_has_it() {
        let sought = SoughtMoment::from(parsed("aaaa").unwrap());
        assert_eq!(sought.among(&[example_run(1)]), RunPosition::Nowhere);
        assert_eq!(sought.missing_commit(), Some("aaaa"));
        assert_eq!(sought.among(&[of(0, "aaaa1", 10)]), RunPosition::Commit(10));
        assert_eq!(sought.among(&[]), RunPosition::Nowhere);
        assert_eq!(sought.missing_commit(), None);
        let time = SoughtMoment::from(parsed("7d").unwrap());
        assert_eq!(time.missing_commit(), None);
    }

    /// Returns a run with this place in the record, commit and time of it.
    fn of(ordinal: u64, commit: &str, order: u64) -> Run {
        let mut run = example_run(ordinal);
        (run.revision.commit, run.revision.order) = (commit.into(), order);
        run
    }

    /// Returns which of the runs are since a commit, and which until it.
    fn divided(runs: &[Run], commit: &str) -> [Vec<bool>; 2] {
        let place = parsed(commit).unwrap().among(runs);
        let since = runs.iter().map(|run| place.is_reached_by(run)).collect();
        [since, runs.iter().map(|run| place.is_not_passed_by(run)).collect()]
    }

    #[test]
    fn a_commit_divides_the_runs_by_the_order_of_commits() {
        let runs =
            [of(10, "aaaa1", 10), of(20, "bbbb2", 20), of(30, "cccc3", 30), of(0, "dddd4", 0)];
        let [since, until] = divided(&runs, "bbbb");
        assert_eq!(since, [false, true, true, false]);
        assert_eq!(until, [true, true, false, false]);
        assert_eq!(parsed("eeee").unwrap().among(&runs), RunPosition::Nowhere);
    }

    #[test]
    fn a_recorded_commit_without_its_time_divides_the_runs_by_the_order_of_recording() {
        let runs = [of(0, "aaaa1", 10), of(1, "bbbb2", 0), of(2, "bbbb2", 0), of(3, "cccc3", 0)];
        let [since, until] = divided(&runs, "bbbb");
        assert_eq!(since, [false, true, true, true]);
        assert_eq!(until, [true, true, true, false]);
        let sought = SoughtMoment::from(parsed("bbbb").unwrap());
        sought.among(&runs);
        assert_eq!(sought.missing_commit(), None);
    }
}
