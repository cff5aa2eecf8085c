//! The conditions of a run: what the machine's sensors said before and after.

/// A sensor's answer: a value, or the reason why there is none.
///
/// An absent sensor is named with its reason and never invented.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading<T> {
    /// What the sensor said.
    Value(T),
    /// Why it said nothing, in a few words.
    Absent(String),
}

impl<T> Reading<T> {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent(_) => None,
        }
    }

    /// An absent reading with its reason.
    pub fn absent(reason: impl Into<String>) -> Self {
        Self::Absent(reason.into())
    }
}

impl<T: Copy> Reading<T> {
    /// The value by copy, if there is one.
    pub fn get(&self) -> Option<T> {
        self.value().copied()
    }
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self::Absent("not read".into())
    }
}

/// One look at the machine. Counters count since boot; only differences mean something.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineState {
    /// Processor package temperature, thousandths of a degree Celsius.
    pub temperature_milli_c: Reading<i64>,
    /// Clock of the processor this thread runs on, as the system reports it.
    pub frequency_khz: Reading<u64>,
    /// One-minute load average, thousandths.
    pub load_milli: Reading<u64>,
    /// Thermal throttle events since boot.
    pub throttle_events: Reading<u64>,
    /// Time spent thermally throttled since boot.
    pub throttle_ms: Reading<u64>,
    /// Processor time the host took from this virtual machine since boot.
    pub steal_ms: Reading<u64>,
    /// Processor time all tasks of the machine used since boot.
    pub busy_ms: Reading<u64>,
    /// Periods in which the container's processor quota held it back.
    pub quota_throttled_periods: Reading<u64>,
    /// Context switches of this process, voluntary and involuntary.
    pub context_switches: Reading<u64>,
    /// Page faults of this process that needed the disk.
    pub major_faults: Reading<u64>,
    /// Page faults of this process that did not.
    pub minor_faults: Reading<u64>,
    /// Whether the machine runs on its battery.
    pub on_battery: Reading<bool>,
}

/// Why a run's numbers deserve less trust. The names are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    /// The processor was throttled while measuring: no verdict, not taught.
    Throttled,
    /// The host took more than 2 % of the machine's busy time.
    Steal,
    /// The container's quota held it back.
    Quota,
    /// Another measuring process may have run at the same time.
    Parallel,
    /// Ran on battery at either end.
    Battery,
    /// Most measurements were interrupted by other work.
    Busy,
}

impl Tag {
    const ALL: [Self; 6] =
        [Self::Throttled, Self::Steal, Self::Quota, Self::Parallel, Self::Battery, Self::Busy];

    /// The stable name used in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throttled => "throttled",
            Self::Steal => "steal",
            Self::Quota => "quota",
            Self::Parallel => "parallel",
            Self::Battery => "battery",
            Self::Busy => "busy",
        }
    }

    /// The tag with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.name() == name)
    }

    /// An untrusted run is neither green nor red and does not teach.
    pub fn is_untrusted(self) -> bool {
        matches!(self, Self::Throttled)
    }
}

/// The conditions of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Environment {
    /// Before the first measurement.
    pub before: MachineState,
    /// After the last one.
    pub after: MachineState,
    /// What follows from the two, and what the harness knows besides.
    pub tags: Vec<Tag>,
}

impl Environment {
    /// Draws the conclusions from two readings.
    ///
    /// Throttled: the kernel's throttle time rose by 10 ms or
    /// more, or events were counted and the clock fell below 0.97 of what it was. Steal: above
    /// 2 % of the busy time in between.
    pub fn between(before: MachineState, after: MachineState) -> Self {
        let mut tags = Vec::new();
        if throttled(&before, &after) {
            tags.push(Tag::Throttled);
        }
        let steal_ms = rise(&before.steal_ms, &after.steal_ms).unwrap_or(0);
        let busy_ms = rise(&before.busy_ms, &after.busy_ms).unwrap_or(0);
        // The counters step by 10 ms: a single step says nothing.
        if steal_ms > 10 && steal_ms * 50 > busy_ms {
            tags.push(Tag::Steal);
        }
        if rise(&before.quota_throttled_periods, &after.quota_throttled_periods).unwrap_or(0) > 0 {
            tags.push(Tag::Quota);
        }
        if before.on_battery.get() == Some(true) || after.on_battery.get() == Some(true) {
            tags.push(Tag::Battery);
        }
        Self { before, after, tags }
    }

    /// The run may be neither green nor red.
    pub fn is_untrusted(&self) -> bool {
        self.tags.iter().any(|tag| tag.is_untrusted())
    }

    /// By how much a counter rose between the two looks; `None` when either is absent or it ran
    /// backwards.
    pub fn rise(&self, counter: fn(&MachineState) -> &Reading<u64>) -> Option<u64> {
        rise(counter(&self.before), counter(&self.after))
    }
}

fn rise(before: &Reading<u64>, after: &Reading<u64>) -> Option<u64> {
    after.get()?.checked_sub(before.get()?)
}

fn throttled(before: &MachineState, after: &MachineState) -> bool {
    let events = rise(&before.throttle_events, &after.throttle_events).unwrap_or(0);
    let throttle_ms = rise(&before.throttle_ms, &after.throttle_ms).unwrap_or(0);
    let slower = match (before.frequency_khz.get(), after.frequency_khz.get()) {
        (Some(before), Some(after)) => (after as f64) < 0.97 * before as f64,
        _ => false,
    };
    throttle_ms >= 10 || (events > 0 && slower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(events: u64, throttle_ms: u64, khz: u64) -> MachineState {
        MachineState {
            throttle_events: Reading::Value(events),
            throttle_ms: Reading::Value(throttle_ms),
            frequency_khz: Reading::Value(khz),
            ..MachineState::default()
        }
    }

    #[test]
    fn ten_milliseconds_of_throttling_make_a_run_untrusted() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 50, 4_100_000));
        assert_eq!(environment.tags, [Tag::Throttled]);
        assert!(environment.is_untrusted());
    }

    #[test]
    fn a_short_spike_without_a_slower_clock_is_no_throttling() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 40, 4_090_000));
        assert_eq!(environment.tags, []);
    }

    #[test]
    fn an_event_with_a_slower_clock_is_throttling_that_still_goes_on() {
        let environment = Environment::between(state(3, 40, 4_100_000), state(4, 40, 3_200_000));
        assert!(environment.is_untrusted());
    }

    #[test]
    fn a_counter_that_runs_backwards_says_nothing() {
        let environment = Environment::between(state(9, 90, 1), state(1, 0, 1));
        assert_eq!(environment.rise(|state| &state.throttle_ms), None);
        assert_eq!(environment.tags, []);
    }

    #[test]
    fn absent_sensors_raise_no_tag() {
        let environment = Environment::between(MachineState::default(), MachineState::default());
        assert_eq!(environment.tags, []);
    }
}
