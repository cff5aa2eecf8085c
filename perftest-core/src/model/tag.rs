//! Tags of a run's conditions, and their weights.

/// How far numbers can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing to report.
    Ok,
    /// Worth a dim line, and recorded.
    Note,
    /// Measurements were set aside and repeated.
    Suspect,
    /// Neither green nor red, and it does not count for the baseline.
    Untrusted,
}

impl Grade {
    /// The stable name: `ok`, `note`, `suspect`, `untrusted`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Suspect => "suspect",
            Self::Untrusted => "untrusted",
        }
    }
}

/// A special condition of a run. The names are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    /// The processor was throttled while measuring.
    Throttled,
    /// The machine runs more slowly than when its history was recorded.
    SlowMachine,
    /// The machine runs faster than when its history was recorded.
    FastMachine,
    /// Power source or a power setting changed in between.
    PowerChanged,
    /// The machine was swapping to disk.
    Swap,
    /// Hardly any measurement ran undisturbed.
    Busy,
    /// Measurements were interrupted by other work.
    OffCpu,
    /// The host took the processor away.
    Steal,
    /// The container's quota held it back.
    Quota,
    /// Something outside this machine's view slowed the processor's throughput.
    Contended,
    /// The processor slowed down while measuring.
    SlowClock,
    /// Others needed the processors or memory for much of the time.
    Loaded,
    /// Another measuring process may have run at the same time.
    Parallel,
    /// Ran on battery at either end.
    Battery,
    /// The clock is capped by a setting.
    Capped,
    /// Within 5 C of the critical temperature at both ends, at full speed.
    Hot,
    /// A throttle event too short for the kernel to count its time, at full speed.
    ThrottleSpike,
    /// Measurements ran on different kinds of core.
    CoreKind,
    /// Times fell during the run: the processor adapted to the input.
    LearnedInput,
}

impl Tag {
    /// All tags, the gravest first.
    pub const ALL: [Self; 19] = [
        Self::Throttled,
        Self::SlowMachine,
        Self::FastMachine,
        Self::PowerChanged,
        Self::Swap,
        Self::Busy,
        Self::OffCpu,
        Self::Steal,
        Self::Quota,
        Self::Contended,
        Self::SlowClock,
        Self::Loaded,
        Self::Parallel,
        Self::Battery,
        Self::Capped,
        Self::Hot,
        Self::ThrottleSpike,
        Self::CoreKind,
        Self::LearnedInput,
    ];

    /// The stable name used in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throttled => "throttled",
            Self::SlowMachine => "slow-machine",
            Self::FastMachine => "fast-machine",
            Self::PowerChanged => "power-changed",
            Self::Swap => "swap",
            Self::Busy => "busy",
            Self::OffCpu => "off-cpu",
            Self::Steal => "steal",
            Self::Quota => "quota",
            Self::Contended => "contended",
            Self::SlowClock => "slow-clock",
            Self::Loaded => "loaded",
            Self::Parallel => "parallel",
            Self::Battery => "battery",
            Self::Capped => "capped",
            Self::Hot => "hot",
            Self::ThrottleSpike => "throttle-spike",
            Self::CoreKind => "core-kind",
            Self::LearnedInput => "learned-input",
        }
    }

    /// The tag with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tag| tag.name() == name)
    }

    /// Returns its least weight. A severe case of a [`Grade::Suspect`] tag may weigh more:
    /// [`Environment::distrust`](super::Environment::distrust).
    pub fn grade(self) -> Grade {
        match self {
            Self::Throttled
            | Self::SlowMachine
            | Self::FastMachine
            | Self::PowerChanged
            | Self::Swap
            | Self::Busy => Grade::Untrusted,
            Self::OffCpu
            | Self::Steal
            | Self::Quota
            | Self::Contended
            | Self::SlowClock
            | Self::Loaded => Grade::Suspect,
            Self::Parallel
            | Self::Battery
            | Self::Capped
            | Self::Hot
            | Self::ThrottleSpike
            | Self::CoreKind
            | Self::LearnedInput => Grade::Note,
        }
    }
}
