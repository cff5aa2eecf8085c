//! What a simulated machine and test are like.

use crate::{Family, Phases};
use std::fmt;

/// What is promised to tests of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// What holds on a machine of its own.
    Quiet,
    /// What holds where others use the machine as well, or the test is noisy itself.
    Noisy,
}

impl Promise {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiet => "quiet",
            Self::Noisy => "noisy",
        }
    }
}

/// A machine and a test on it, with all that makes times differ while the code does not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct World {
    /// Name, as given on the command line.
    pub name: &'static str,
    /// Which promises hold.
    pub promise: Promise,
    /// Where the parameters come from.
    pub source: &'static str,
    /// Time of one call of the body, in nanoseconds.
    pub call_ns: f64,
    /// Calls in a batch.
    pub calls: u64,
    /// Deviation of the logarithm from one process to the next.
    pub between: f64,
    /// Noise from one measurement to the next.
    pub within: Family,
    /// Step of the clock, in nanoseconds; 0 for one that counts all.
    pub tick_ns: f64,
    /// Work of others, now and then.
    pub interference: Option<Interference>,
    /// The processor's clock wanders over hours.
    pub drift: Option<SpeedDrift>,
    /// Two places in memory for the code.
    pub layouts: Option<Layouts>,
    /// Processes that are slow throughout.
    pub slow_processes: Option<SlowProcesses>,
    /// In each hour the processor is throttled for one minute.
    pub throttled_minutes: bool,
    /// The processor learns the input in the course of a process.
    pub learned_input: bool,
    /// Whether counters and probes tell of it.
    pub has_counters: bool,
}

/// Work of others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interference {
    /// When.
    pub phases: Phases,
    /// What it does.
    pub effect: CodeEffect,
}

/// What the work of others does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CodeEffect {
    /// It takes the processor.
    Interruptions {
        /// Mean time the test has the processor in between, in nanoseconds.
        every_ns: f64,
        /// Least and most time it is gone, in nanoseconds.
        lost_ns: (f64, f64),
    },
    /// It shares the physical core.
    Contention {
        /// How many times slower the code is, from phase to phase: least and most.
        slower: (f64, f64),
        /// How many times slower the reference kernel is.
        reference: f64,
    },
}

/// A clock that wanders: the logarithm is an Ornstein-Uhlenbeck process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedDrift {
    /// Deviation of the logarithm over a long time.
    pub deviation: f64,
    /// Time after which the clocks have hardly anything in common, in nanoseconds.
    pub time_ns: f64,
}

/// The place of the code in memory, drawn again by each build.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layouts {
    /// Probability of the slow one.
    pub probability: f64,
    /// How many times slower.
    pub slower: f64,
}

/// Processes that are slow from start to end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowProcesses {
    /// When processes may be slow.
    pub phases: Phases,
    /// Probability that one that is started then is slow.
    pub probability: f64,
    /// How many times slower: least and most.
    pub slower: (f64, f64),
}

/// A machine and a test without any trouble; what other worlds do not name is as here.
const STEADY: World = World {
    name: "steady",
    promise: Promise::Quiet,
    source: "processes of sort10k and json as recorded: 0.7 to 1.1% apart",
    call_ns: 62_500.0,
    calls: 8,
    between: 0.01,
    within: Family::Normal(0.01),
    tick_ns: 0.0,
    interference: None,
    drift: None,
    layouts: None,
    slow_processes: None,
    throttled_minutes: false,
    learned_input: false,
    has_counters: true,
};

const FAMILIES: &str = "families of the decision study";
const RECORDED: &str = "recorded: builds on both processors";
const NEIGHBOUR: &str = "recorded: a neighbour on the host";
const LONGER: &str = "chosen: the recorded neighbour, but for seconds";
const OWN: &str = "chosen";

const MS: f64 = 1e6;
const SECOND: f64 = 1e9;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;

/// Of batches of 0.3, 0.5 and 1 ms 8, 13 and 25% are interrupted, as recorded.
const BUILDS: CodeEffect =
    CodeEffect::Interruptions { every_ns: 3.7 * MS, lost_ns: (3.0 * MS, 9.0 * MS) };
const SHARED_CORE: CodeEffect = CodeEffect::Contention { slower: (1.1, 1.5), reference: 1.12 };
const BURSTS: Interference =
    Interference { phases: Phases { on_ns: 200.0 * MS, off_ns: 600.0 * MS }, effect: BUILDS };
const SHORT_NEIGHBOUR: Interference =
    Interference { phases: Phases { on_ns: 30.0 * MS, off_ns: 90.0 * MS }, effect: SHARED_CORE };
const LONG_NEIGHBOUR: Interference = Interference {
    phases: Phases { on_ns: 2.0 * SECOND, off_ns: 8.0 * SECOND },
    effect: SHARED_CORE,
};
const DRIFT: SpeedDrift = SpeedDrift { deviation: 0.02, time_ns: 2.0 * HOUR };

const QUIET_WORLDS: [World; 8] = [
    STEADY,
    World { name: "normal-2", source: FAMILIES, within: Family::Normal(0.02), ..STEADY },
    World {
        name: "exponential-tail",
        source: OWN,
        within: Family::ExponentialTail(0.03),
        ..STEADY
    },
    World {
        name: "spikes",
        source: FAMILIES,
        within: Family::Spikes { share: 0.02, factor: 10.0 },
        ..STEADY
    },
    World {
        name: "pareto-tail",
        source: OWN,
        within: Family::ParetoTail { share: 0.1, exponent: 1.5 },
        ..STEADY
    },
    World {
        name: "coarse-clock",
        source: "a clock of 1 us under a body of 100 us",
        call_ns: 100_300.0,
        calls: 1,
        tick_ns: 1_000.0,
        within: Family::Normal(0.003),
        ..STEADY
    },
    World { name: "drift", source: OWN, drift: Some(DRIFT), ..STEADY },
    World { name: "throttled-minute", source: OWN, throttled_minutes: true, ..STEADY },
];

const NOISY_TESTS: [World; 7] = [
    World { name: "between-3", source: "two processes differ by 1 to 3%", between: 0.03, ..NOISY },
    World { name: "normal-10", source: FAMILIES, within: Family::Normal(0.1), ..NOISY },
    World { name: "lognormal", source: FAMILIES, within: Family::Lognormal(0.3), ..NOISY },
    World {
        name: "bimodal",
        source: FAMILIES,
        within: Family::Modes(&[(0.5, 1.0), (0.5, 2.0)]),
        ..NOISY
    },
    World {
        name: "multimodal",
        source: OWN,
        within: Family::Modes(&[(0.6, 1.0), (0.25, 1.15), (0.15, 1.4)]),
        ..NOISY
    },
    World {
        name: "autocorrelated",
        source: FAMILIES,
        within: Family::Autocorrelated { correlation: 0.8, deviation: 0.05 },
        ..NOISY
    },
    World {
        name: "learned-input",
        source: "btree3k as recorded",
        call_ns: 200_000.0,
        calls: 2,
        between: 0.085,
        learned_input: true,
        ..NOISY
    },
];

const NOISY: World = World { promise: Promise::Noisy, ..STEADY };

const NOISY_MACHINES: [World; 11] = [
    World { name: "bursts", source: RECORDED, interference: Some(BURSTS), ..NOISY },
    World {
        name: "bursts-untold",
        has_counters: false,
        source: RECORDED,
        interference: Some(BURSTS),
        ..NOISY
    },
    World {
        name: "busy-long-body",
        source: RECORDED,
        call_ns: 20.0 * MS,
        calls: 1,
        interference: Some(Interference { phases: Phases::ALWAYS, effect: BUILDS }),
        ..NOISY
    },
    World { name: "neighbour", source: NEIGHBOUR, interference: Some(SHORT_NEIGHBOUR), ..NOISY },
    World { name: "neighbour-long", source: LONGER, interference: Some(LONG_NEIGHBOUR), ..NOISY },
    World {
        name: "neighbour-untold",
        has_counters: false,
        source: LONGER,
        interference: Some(LONG_NEIGHBOUR),
        ..NOISY
    },
    World { name: "drift-untold", has_counters: false, source: OWN, drift: Some(DRIFT), ..NOISY },
    World {
        name: "throttled-untold",
        has_counters: false,
        source: OWN,
        throttled_minutes: true,
        ..NOISY
    },
    World {
        name: "layouts",
        source: "20 links of sort10k as recorded",
        layouts: Some(Layouts { probability: 0.25, slower: 1.15 }),
        ..NOISY
    },
    World {
        name: "slow-processes",
        source: "measured: 3 to 7% of the processes of ten workloads",
        slow_processes: Some(SlowProcesses {
            phases: Phases::ALWAYS,
            probability: 0.05,
            slower: (1.15, 1.7),
        }),
        ..NOISY
    },
    World {
        name: "slow-clusters",
        source: "the same, which come in clusters; how long they last is chosen",
        slow_processes: Some(SlowProcesses {
            phases: Phases { on_ns: 2.0 * SECOND, off_ns: 18.0 * SECOND },
            probability: 0.5,
            slower: (1.15, 1.7),
        }),
        ..NOISY
    },
];

impl World {
    /// All worlds, the quiet ones first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        QUIET_WORLDS.iter().chain(&NOISY_TESTS).chain(&NOISY_MACHINES)
    }

    /// The world of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().find(|world| world.name == name)
    }

    /// A number that is the name's own, so that a world's figures do not depend on the others
    /// (FNV-1a).
    pub(crate) fn seed(&self) -> u64 {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.name.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
    }
}

/// The parameters, in words.
impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "processes {:.1}% apart; {}", 100.0 * self.between, self.within)?;
        if self.tick_ns > 0.0 {
            write!(f, "; a clock step is {:.0} ns of {:.0}", self.tick_ns, self.call_ns)?;
        }
        if let Some(Interference { phases, effect }) = self.interference {
            write!(f, "; {effect}, {phases}")?;
        }
        if let Some(SpeedDrift { deviation, time_ns }) = self.drift {
            let (percent, hours) = (100.0 * deviation, time_ns / HOUR);
            write!(f, "; the clock wanders by {percent:.0}% over {hours:.0} h")?;
        }
        if let Some(Layouts { probability, slower }) = self.layouts {
            write!(f, "; x{slower} in {:.0}% of the builds", 100.0 * probability)?;
        }
        if let Some(SlowProcesses { phases, probability, slower: (least, most) }) =
            self.slow_processes
        {
            let percent = 100.0 * probability;
            write!(f, "; {percent:.0}% of processes x{least} to x{most}, {phases}")?;
        }
        if self.throttled_minutes {
            f.write_str("; in each hour one minute at 0.75 of the clock")?;
        }
        if self.learned_input {
            f.write_str("; at first x3.2, falling over 15 to 45 calls")?;
        }
        if self.call_ns > MS {
            write!(f, "; a body of {:.0} ms", self.call_ns / MS)?;
        }
        f.write_str(if self.has_counters { "" } else { "; no counter or probe tells" })
    }
}

impl fmt::Display for CodeEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interruptions { every_ns, lost_ns: (least, most) } => {
                let [every, least, most] = [*every_ns, *least, *most].map(|ns| ns / MS);
                write!(f, "off the processor every {every} ms for {least} to {most} ms")
            }
            Self::Contention { slower: (least, most), reference } => {
                write!(f, "a shared core x{least} to x{most}, reference kernel x{reference}")
            }
        }
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.off_ns > 0.0 {
            true => {
                write!(f, "{:.0} of {:.0} ms", self.on_ns / MS, (self.on_ns + self.off_ns) / MS)
            }
            false => f.write_str("always"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_world_has_a_name_of_its_own_and_is_found_by_it() {
        let names: BTreeSet<&str> = World::all().map(|world| world.name).collect();
        assert_eq!(names.len(), World::all().count());
        assert!(World::all().all(|world| World::named(world.name) == Some(world)));
        assert_eq!(World::named("nowhere"), None);
    }

    #[test]
    fn the_parameters_are_reported_in_words() {
        let text = World::named("neighbour-untold").unwrap().to_string();
        assert!(text.contains("x1.1 to x1.5") && text.ends_with("tells"), "{text}");
    }
}
