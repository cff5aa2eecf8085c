//! The beginning and the end of the selected runs.

use crate::exit::{Result, refuse};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// From the first of these times until before the second, in milliseconds since the Unix epoch.
    Time(i64, i64),
    /// That of a commit, by its time in seconds.
    Commit(u64),
}

impl Moment {
    /// Returns whether a run is at this moment or after it.
    pub(super) fn is_reached_by(self, run: &Run) -> bool {
        match self {
            Self::Time(start_ms, _) => ms(run) >= start_ms,
            Self::Commit(order) => run.revision.order >= order,
        }
    }

    /// Returns whether a run is at this moment or before it.
    pub(super) fn is_not_passed_by(self, run: &Run) -> bool {
        match self {
            Self::Time(_, end_ms) => ms(run) < end_ms,
            Self::Commit(order) => (1..=order).contains(&run.revision.order),
        }
    }
}

/// A moment that is sought in many histories.
#[derive(Debug)]
pub(super) struct SoughtMoment {
    /// The moment, or an abbreviated commit that git does not find.
    moment: Result<Moment, String>,
    /// Whether one of the histories has it.
    is_found: AtomicBool,
}

impl SoughtMoment {
    /// Parses the user's text. Days are in the user's time zone, like the times that the tool
    /// prints.
    pub(super) fn parse(
        text: &str,
        now: Timestamp,
        repository: Option<&GitCheckout>,
    ) -> Result<Self> {
        let time = days_before(text, now).or_else(|| day(text)).or_else(|| instant(text));
        let time =
            time.map(|(start, end)| Moment::Time(start.as_millisecond(), end.as_millisecond()));
        let commit = || repository?.commit_time_s(text).map(Moment::Commit);
        let is_hex = text.len() >= FEWEST_DIGITS && text.bytes().all(|it| it.is_ascii_hexdigit());
        let moment = match time.or_else(commit) {
            Some(moment) => Ok(moment),
            None if is_hex => Err(text.to_ascii_lowercase()),
            None => {
                return refuse(format!(
                    "`{text}` is no day (2026-11-01), no number of days (30d), and no commit that git \
                     knows here"
                ));
            }
        };
        Ok(Self { moment, is_found: AtomicBool::new(false) })
    }

    /// Returns whether this is entirely after another moment. A commit and a day are not
    /// comparable, because a run may be of an old commit.
    pub(super) fn is_behind(&self, other: &Self) -> bool {
        match (&self.moment, &other.moment) {
            (Ok(Moment::Time(start_ms, _)), Ok(Moment::Time(_, end_ms))) => start_ms >= end_ms,
            (Ok(Moment::Commit(time_s)), Ok(Moment::Commit(other_s))) => time_s > other_s,
            _ => false,
        }
    }

    /// Returns the moment among the runs of a history; `None` if no run is before it or after it.
    pub(super) fn among(&self, runs: &[Run]) -> Option<Moment> {
        let recorded = |beginning: &String| {
            let its = || runs.iter().filter(|run| run.revision.commit.starts_with(beginning));
            let time_s = its().map(|run| run.revision.order).find(|order| *order > 0);
            // Without the time of the commit, its runs are in the order of recording.
            let times = || Some((its().map(ms).min()?, its().map(ms).max()?.saturating_add(1)));
            time_s
                .map(Moment::Commit)
                .or_else(|| times().map(|(start, end)| Moment::Time(start, end)))
        };
        let found = self.moment.as_ref().map_or_else(recorded, |moment| Some(*moment));
        self.is_found.fetch_or(found.is_some(), Ordering::Relaxed);
        found
    }

    /// The abbreviated commit that neither git nor a history has so far.
    pub(super) fn missing_commit(&self) -> Option<&str> {
        let recorded = self.moment.as_ref().err();
        recorded.filter(|_| !self.is_found.load(Ordering::Relaxed)).map(String::as_str)
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

    fn sought(text: &str) -> Option<SoughtMoment> {
        SoughtMoment::parse(text, "2026-12-01T12:00:00Z".parse().unwrap(), None).ok()
    }

    fn parsed(text: &str) -> Option<Result<Moment, String>> {
        sought(text).map(|it| it.moment)
    }

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn days_and_instants_are_times() {
        let then = ms("2026-11-24T12:00:00Z");
        assert_eq!(parsed("7d"), Some(Ok(Moment::Time(then, then))));
        let Some(Ok(Moment::Time(start, end))) = parsed("2026-11-01") else { panic!() };
        assert!((end - start - 86_400_000).abs() <= 3_600_000);
        assert_eq!(parsed("2026-11-24T12:00:00Z"), Some(Ok(Moment::Time(then, then + 1))));
    }

    #[test]
    fn what_is_no_time_may_be_the_beginning_of_a_commit() {
        assert_eq!(parsed("A1B2C3"), Some(Err("a1b2c3".into())));
        assert_eq!(parsed("1234567d"), Some(Err("1234567d".into())));
        for text in ["", "abc", "soon", "-3d", "2026-02-30", "v1.2.0"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_commit_is_missing_until_one_history_has_it() {
        let commit = sought("aaaa").unwrap();
        assert_eq!(commit.among(&[example_run(1)]), None);
        assert_eq!(commit.missing_commit(), Some("aaaa"));
        assert_eq!(commit.among(&[of(0, "aaaa1", 10)]), Some(Moment::Commit(10)));
        assert_eq!(commit.among(&[]), None);
        assert_eq!(commit.missing_commit(), None);
        assert_eq!(sought("7d").unwrap().missing_commit(), None);
    }

    /// Returns a run with this place in the record, commit and time of it.
    fn of(ordinal: u64, commit: &str, order: u64) -> Run {
        let mut run = example_run(ordinal);
        (run.revision.commit, run.revision.order) = (commit.into(), order);
        run
    }

    /// Returns which of the runs are since a commit, and which until it.
    fn divided(runs: &[Run], commit: &str) -> [Vec<bool>; 2] {
        let place = sought(commit).unwrap().among(runs).unwrap();
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
        assert_eq!(sought("eeee").unwrap().among(&runs), None);
    }

    #[test]
    fn a_recorded_commit_without_its_time_divides_the_runs_by_the_order_of_recording() {
        let runs = [of(0, "aaaa1", 10), of(1, "bbbb2", 0), of(2, "bbbb2", 0), of(3, "cccc3", 0)];
        let [since, until] = divided(&runs, "bbbb");
        assert_eq!(since, [false, true, true, true]);
        assert_eq!(until, [true, true, true, false]);
        let commit = sought("bbbb").unwrap();
        commit.among(&runs);
        assert_eq!(commit.missing_commit(), None);
    }
}
