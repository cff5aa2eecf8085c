//! Tags of a run's conditions, and their weights.

use crate::named;

named! {
    /// How far numbers can be trusted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Grade {
        /// Nothing to report.
        Ok = "ok",
        /// Worth a dim line, and recorded.
        Note = "note",
        /// Measurements were set aside and repeated.
        Suspect = "suspect",
        /// Neither green nor red, and it does not count for the baseline.
        Untrusted = "untrusted",
    }
}

named! {
    /// A special condition of a run, the gravest first. The names are stored.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Tag {
        /// The processor was throttled while measuring.
        Throttled = "throttled",
        /// The machine runs more slowly than when its history was recorded.
        SlowMachine = "slow-machine",
        /// The machine runs faster than when its history was recorded.
        FastMachine = "fast-machine",
        /// Power source or a power setting changed in between.
        PowerChanged = "power-changed",
        /// The machine was swapping to disk.
        Swap = "swap",
        /// Hardly any measurement ran undisturbed.
        Busy = "busy",
        /// Measurements were interrupted by other work.
        OffCpu = "off-cpu",
        /// The host took the processor away.
        Steal = "steal",
        /// The container's quota held it back.
        Quota = "quota",
        /// Something outside this machine's view slowed the processor's throughput.
        Contended = "contended",
        /// The processor slowed down while measuring.
        SlowClock = "slow-clock",
        /// Others needed the processors or memory for much of the time.
        Loaded = "loaded",
        /// Another measuring process may have run at the same time.
        Parallel = "parallel",
        /// Ran on battery at either end.
        Battery = "battery",
        /// The clock is capped by a setting.
        Capped = "capped",
        /// Within 5 C of the critical temperature at both ends, at full speed.
        Hot = "hot",
        /// A throttle event too short for the kernel to count its time, at full speed.
        ThrottleSpike = "throttle-spike",
        /// Measurements ran on different kinds of core.
        CoreKind = "core-kind",
        /// Times fell during the run: the processor adapted to the input.
        LearnedInput = "learned-input",
    }
}

impl Tag {
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
