//! Summary of the machine's conditions at the end of a session.

use super::conditions::{celsius, ghz};
use super::counted;
use crate::list::IntoList;
use crate::model::{Environment, MachineState, Tag};

/// The tests of a session whose conditions prevented a verdict, and the state of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    /// The reasons, in order of appearance.
    pub reasons: Vec<Tag>,
    /// The state before the first of these tests.
    pub before: MachineState,
    /// The state after the last one.
    pub after: MachineState,
    /// Changes of the power source and of power settings.
    pub power_changes: Vec<String>,
    /// Throttle events during these tests; `None` if the system does not count them.
    pub throttle_events: Option<u64>,
    /// Time throttled meanwhile.
    pub throttle_ms: Option<u64>,
    /// Number of tests in the session with repeated measurements.
    pub measured_again: usize,
    /// Number of tests in the session without a verdict because of the machine.
    pub without_verdict: usize,
}

impl SessionSummary {
    /// Begins with the run of one test.
    pub fn of(environment: &Environment) -> Self {
        Self {
            reasons: environment.distrusted.clone(),
            before: environment.before.clone(),
            after: environment.after.clone(),
            power_changes: environment.power_changes(),
            throttle_events: environment.throttle_events(),
            throttle_ms: environment.throttle_ms(),
            measured_again: 0,
            without_verdict: 0,
        }
    }

    /// Adds the run of another test.
    pub fn go_on(&mut self, environment: &Environment) {
        for tag in &environment.distrusted {
            if !self.reasons.contains(tag) {
                self.reasons.push(*tag);
            }
        }
        for change in environment.power_changes() {
            if !self.power_changes.contains(&change) {
                self.power_changes.push(change);
            }
        }
        let sum = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| a + b).or(a).or(b);
        self.throttle_events = sum(self.throttle_events, environment.throttle_events());
        self.throttle_ms = sum(self.throttle_ms, environment.throttle_ms());
        self.after = environment.after.clone();
    }

    /// Formats the gravest reason, the readings before and after, the number of tests, and the
    /// advice. The first line is the warning.
    pub fn describe(&self) -> String {
        let mut reasons = Tag::ALL.iter().copied().filter(|tag| self.reasons.contains(tag));
        let (title, advice) = title_and_advice(reasons.next());
        let readings = self.readings();
        let colon = if readings.is_empty() { "" } else { ": " };
        let tests = self.tests();
        format!("{title}{colon}{readings} in this session.{tests}\n   {advice}")
    }

    /// Formats the known readings: `61 -> 92 C, clock 4.1 -> 3.2 GHz, 34 throttle events (340 ms)`. Leaves out a clock
    /// that did not change, unless a speed is the reason.
    fn readings(&self) -> String {
        let Self { before, after, .. } = self;
        let heat = [before.temperature_milli_c.get(), after.temperature_milli_c.get()];
        let heat = heat.iter().any(Option::is_some);
        let heat = heat.then(|| format!("{} -> {} C", celsius(before), celsius(after)));
        let clocks = [ghz(before), ghz(after)];
        let is_of_speed = |tag: &Tag| {
            matches!(tag, Tag::Throttled | Tag::SlowMachine | Tag::FastMachine | Tag::SlowClock)
        };
        let is_news = clocks[0] != clocks[1] || self.reasons.iter().any(is_of_speed);
        let clock = is_news && clocks.iter().any(|ghz| ghz != "?");
        let clock = clock.then(|| format!("clock {} GHz", clocks.iter().joined(" -> ")));
        let ms = self.throttle_ms.map_or_else(String::new, |ms| format!(" ({ms} ms)"));
        let events = self.throttle_events.filter(|events| *events > 0);
        let events = events.map(|events| format!("{}{ms}", counted(events, "throttle event")));
        let changes = self.power_changes.iter().cloned();
        let readings = [heat, clock, events].into_iter().flatten().chain(changes);
        readings.joined(", ")
    }

    /// Formats ` 3 tests were measured again, 1 has no verdict.`
    fn tests(&self) -> String {
        let tests = |count: usize| counted(count as u64, "test");
        let (again, silent) = (self.measured_again, self.without_verdict);
        let were = if again == 1 { "was" } else { "were" };
        let have = if silent == 1 { "has" } else { "have" };
        match (again, silent) {
            (0, 0) => String::new(),
            (0, _) => format!(" {} {have} no verdict.", tests(silent)),
            (_, 0) => format!(" {} {were} measured again.", tests(again)),
            _ => format!(" {} {were} measured again, {silent} {have} no verdict.", tests(again)),
        }
    }
}

fn title_and_advice(reason: Option<Tag>) -> (&'static str, &'static str) {
    match reason {
        Some(Tag::Throttled) => {
            ("THROTTLED", "Let the machine cool, or plug it in, and run again.")
        }
        Some(Tag::SlowMachine) => ("SLOWER THAN ITS HISTORY", BACK_AT_SPEED),
        Some(Tag::FastMachine) => ("FASTER THAN ITS HISTORY", BACK_AT_SPEED),
        Some(Tag::PowerChanged) => {
            ("POWER CHANGED", "Leave power source and power settings as they are, and run again.")
        }
        Some(Tag::Swap) => ("SWAPPED TO DISK", "Free memory, and run again."),
        Some(Tag::Busy) => ("TOO BUSY", "Close other work, and run again."),
        Some(Tag::Steal) => {
            ("PROCESSOR TAKEN BY THE HOST", "Run again when the host is less busy.")
        }
        Some(Tag::Quota) => {
            ("HELD BACK BY A QUOTA", "Give the container more processor time, and run again.")
        }
        Some(Tag::Contended) => {
            ("SHARED CORE", "Run again when the neighbour on the same core is gone.")
        }
        Some(Tag::SlowClock) => {
            ("CLOCK FELL", "Plug the machine in, or wait until its clock is back, and run again.")
        }
        _ => ("NOT TO BE TRUSTED", "Run again."),
    }
}

const BACK_AT_SPEED: &str =
    "Run again when its speed is back, or start a new series: PERFTEST_EPOCH=new";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reading, ThrottleState};

    fn state(celsius: i64, khz: u64, throttle_ms: u64) -> MachineState {
        MachineState {
            temperature_milli_c: Reading::Value(celsius * 1_000),
            effective_khz: Reading::Value(khz),
            throttling: ThrottleState {
                package_events: Reading::Value(throttle_ms / 10),
                package_ms: Reading::Value(throttle_ms),
                ..ThrottleState::default()
            },
            ..MachineState::default()
        }
    }

    #[test]
    fn the_story_goes_from_before_the_first_throttled_test_to_after_the_last() {
        let first = Environment::between(state(61, 4_100_000, 0), state(88, 3_600_000, 340));
        let last = Environment::between(state(88, 3_600_000, 500), state(92, 3_200_000, 530));
        let mut story = SessionSummary::of(&first);
        story.go_on(&last);
        (story.measured_again, story.without_verdict) = (3, 1);
        assert_eq!(
            story.describe(),
            "THROTTLED: 61 -> 92 C, clock 4.1 -> 3.2 GHz, 37 throttle events (370 ms) in this \
             session. 3 tests were measured again, 1 has no verdict.\n   \
             Let the machine cool, or plug it in, and run again."
        );
    }

    #[test]
    fn what_was_not_read_is_not_printed() {
        let mut environment = Environment::default();
        environment.mark(Tag::Busy);
        let mut story = SessionSummary::of(&environment);
        let end = "\n   Close other work, and run again.";
        assert_eq!(story.describe(), format!("TOO BUSY in this session.{end}"));
        story.without_verdict = 2;
        let text = format!("TOO BUSY in this session. 2 tests have no verdict.{end}");
        assert_eq!(story.describe(), text);
        (story.measured_again, story.without_verdict) = (1, 0);
        let text = format!("TOO BUSY in this session. 1 test was measured again.{end}");
        assert_eq!(story.describe(), text);
    }

    #[test]
    fn a_clock_that_did_not_change_is_no_news_unless_it_is_the_reason() {
        let steady = Environment::between(state(61, 3_010_000, 0), state(61, 3_020_000, 0));
        let story = SessionSummary::of(&steady).describe();
        assert!(story.starts_with("NOT TO BE TRUSTED: 61 -> 61 C in this session."), "{story}");
        let mut slow = steady.clone();
        slow.mark(Tag::SlowMachine);
        let story = SessionSummary::of(&slow).describe();
        let words = "SLOWER THAN ITS HISTORY: 61 -> 61 C, clock 3.0 -> 3.0 GHz in this session.";
        assert!(story.starts_with(words), "{story}");
    }

    #[test]
    fn the_gravest_reason_gives_the_title() {
        let mut busy = Environment::default();
        busy.mark(Tag::Busy);
        let mut story = SessionSummary::of(&busy);
        let mut throttled = Environment::default();
        throttled.mark(Tag::Throttled);
        story.go_on(&throttled);
        assert!(story.describe().starts_with("THROTTLED in this session."));
    }
}
