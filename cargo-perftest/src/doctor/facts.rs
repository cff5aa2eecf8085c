//! What is known when questions are asked.

use super::{BusyProcess, CargoProfile, FlagSource, HistoryPlace, SpeedSeries};
use perftest_core::model::{Environment, MachineState, Reading, Tag};
use perftest_machine::{Countable, Epoch, MachineIdentity, Uncountable};

/// What is known about a machine.
#[derive(Debug, Clone)]
pub(crate) struct MachineFacts {
    /// Two looks, with what follows from them. Equal when there was but one.
    pub(crate) environment: Environment,
    pub(crate) identity: MachineIdentity,
    pub(crate) epoch: Epoch,
    pub(crate) cpu_info: ProcessorInfo,
    /// The readings of the probes between the looks; `None` for a machine made of files.
    pub(crate) course: Option<SpeedSeries>,
    /// Who can count instructions; `None` for a machine made of files.
    pub(crate) counters: Option<CounterFacts>,
    /// Processor time that the looking itself used between the looks.
    pub(crate) own_cpu_ms: Option<f64>,
    /// Other processes that were busy between the looks, the worst first; none for a machine made of files.
    pub(crate) processes: Vec<BusyProcess>,
}

/// Who can count what code executes.
#[derive(Debug, Clone)]
pub(crate) struct CounterFacts {
    /// What the processor counts for us, or why it counts no instructions.
    pub(crate) processor: Result<Vec<Countable>, Uncountable>,
    /// The version of valgrind, or why there is none.
    pub(crate) valgrind: Result<String, String>,
}

/// What is known about the project round the current directory.
#[derive(Debug, Clone)]
pub(crate) struct ProjectFacts {
    /// `None` where cargo finds no project.
    pub(crate) build: Option<BuildFacts>,
    pub(crate) history: HistoryPlace,
    /// The text of nextest's configuration; `None` without one.
    pub(crate) nextest: Option<String>,
}

/// How a project's tests are built.
#[derive(Debug, Clone)]
pub(crate) struct BuildFacts {
    pub(crate) profile: CargoProfile,
    /// Where compiler flags come from; cargo takes the first.
    pub(crate) flags: Vec<FlagSource>,
}

impl MachineFacts {
    /// Time between the looks; `None` when there was but one.
    pub(super) fn elapsed_ms(&self) -> Option<f64> {
        self.rise(|state| &state.taken_ms).filter(|ms| *ms > 0.0)
    }

    /// Processors that others used, on average between the looks: as the system counts them, or else
    /// those of the busy processes together.
    pub(crate) fn others_cpus(&self) -> Option<f64> {
        let of_processes = || self.processes.iter().map(|it| it.cores).sum();
        let is_known = !self.processes.is_empty();
        self.counted_others_cpus().or_else(|| is_known.then(of_processes))
    }

    fn counted_others_cpus(&self) -> Option<f64> {
        let busy_ms = self.rise(|state| &state.busy_ms)?;
        let steal_ms = self.rise(|state| &state.steal_ms).unwrap_or(0.0);
        let others_ms = busy_ms - steal_ms - self.own_cpu_ms?;
        // The system counts in steps of 10 ms, and a step may be another process's.
        Some((others_ms / self.elapsed_ms()?).max(0.0))
    }

    /// Share of the used processor time that the host took; `None` when nothing was used.
    pub(crate) fn steal_share(&self) -> Option<f64> {
        let busy_ms = self.rise(|state| &state.busy_ms).filter(|ms| *ms > 0.0)?;
        Some(self.rise(|state| &state.steal_ms)? / busy_ms)
    }

    /// Processors of the machine: those it reports, else those that can be used.
    pub(super) fn cpus(&self) -> u32 {
        self.cpu_info.cpus.unwrap_or(self.identity.usable_cpus)
    }

    pub(super) fn is_virtual(&self) -> bool {
        self.identity.hypervisor.as_deref().is_some_and(|vendor| vendor != "none")
    }

    pub(super) fn has(&self, tag: Tag) -> bool {
        self.environment.tags.contains(&tag)
    }

    pub(super) fn forbids(&self, tag: Tag) -> bool {
        self.environment.distrusted.contains(&tag)
    }

    pub(super) fn rise(&self, counter: fn(&MachineState) -> &Reading<u64>) -> Option<f64> {
        self.environment.rise(counter).map(|rise| rise as f64)
    }
}

#[cfg(test)]
impl MachineFacts {
    /// A machine that reports nothing.
    pub(super) fn without_facts() -> Self {
        let identity = MachineIdentity {
            hypervisor: None,
            quota_milli_cpus: None,
            on_battery: false,
            usable_cpus: 2,
            ..MachineIdentity::of_this_machine()
        };
        let epoch = Epoch {
            kernel: Reading::default(),
            microcode: Reading::default(),
            clock_source: Reading::default(),
            address_randomisation: Reading::default(),
            transparent_huge_pages: Reading::default(),
            smt_is_active: Reading::default(),
            isolated_cpus: Reading::default(),
            nohz_full_cpus: Reading::default(),
            power_limit_uw: Reading::default(),
            power_limit_window_us: Reading::default(),
            power: perftest_core::model::PowerSettings::default(),
        };
        Self {
            environment: Environment::default(),
            identity,
            epoch,
            cpu_info: ProcessorInfo::default(),
            course: None,
            counters: None,
            own_cpu_ms: None,
            processes: Vec::new(),
        }
    }

    /// The machine after two looks.
    pub(super) fn between(before: MachineState, after: MachineState) -> Self {
        Self { environment: Environment::between(before, after), ..Self::without_facts() }
    }
}

/// The part of `/proc/cpuinfo` that the sensors do not read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ProcessorInfo {
    /// All processors, also those that this process may not use.
    pub(crate) cpus: Option<u32>,
    /// Clock that the kernel claims for the first of them; in virtual machines that of the time
    /// stamp counter.
    pub(crate) claimed_ghz: Option<f64>,
}

impl ProcessorInfo {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let cpus = text.lines().filter_map(|line| value(line, "processor")).count();
        let mhz = text.lines().find_map(|line| value(line, "cpu MHz")?.parse::<f64>().ok());
        Self {
            cpus: u32::try_from(cpus).ok().filter(|cpus| *cpus > 0),
            claimed_ghz: mhz.filter(|mhz| mhz.is_finite() && *mhz > 0.0).map(|mhz| mhz / 1e3),
        }
    }
}

/// The value of a line of the form `key : value`, if this is its key.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = line.split_once(':')?;
    (name.trim() == key).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_and_the_first_clock_is_reported() {
        let text = "processor\t: 0\ncpu MHz\t\t: 2596.128\n\nprocessor\t: 1\ncpu MHz\t\t: 3000\n";
        let info = ProcessorInfo::parse(text);
        assert_eq!((info.cpus, info.claimed_ghz), (Some(2), Some(2.596_128)));
        for text in ["", "processor", "cpu MHz : NaN", "cpu MHz : 0"] {
            assert_eq!(ProcessorInfo::parse(text), ProcessorInfo::default(), "{text}");
        }
    }
}
