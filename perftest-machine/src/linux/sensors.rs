//! All sensors of the machine in one look.

use super::cooling::Cooling;
use super::core_kind::CoreKinds;
use super::firmware::Firmware;
use super::policy::Policies;
use super::pressure::Pressure;
use super::process::{self, Faults};
use super::quota::Quota;
use super::settings::SettingFiles;
use super::steal::ProcessorTime;
use super::supply::Supplies;
use super::temperature::Temperature;
use super::throttle::Throttle;
use super::{frequency, load, swap, tree::Tree};
use crate::sensor_answer::{SensorAnswer, part, reading};
use perftest_core::model::{CoreKind, MachineState, Reading, ThrottleState};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

/// The start of the time stamps of looks.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The sensors of a machine, found once so that each look is cheap.
#[derive(Debug, Clone)]
pub struct Sensors {
    tree: Tree,
    temperature: Temperature,
    policies: Policies,
    is_counted: SensorAnswer<bool>,
    core_kinds: CoreKinds,
    throttle: Throttle,
    firmware: Firmware,
    quota: Quota,
    pressure: Pressure,
    supplies: Supplies,
    settings: SettingFiles,
    cooling: Cooling,
}

impl Sensors {
    /// The sensors of the machine this runs on.
    pub fn of_this_machine() -> Self {
        Self::below("/")
    }

    /// Finds the sensors whose files are below `root`, such as copies from another machine. A missing
    /// or unreadable sensor is no error; each look contains the reason.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        let tree = Tree::new(root);
        let policies = Policies::discover(&tree);
        Self {
            temperature: Temperature::discover(&tree),
            is_counted: policies.first().and_then(|it| frequency::read_is_counted(&tree, it)),
            policies,
            core_kinds: CoreKinds::discover(&tree),
            throttle: Throttle::discover(&tree),
            firmware: Firmware::discover(&tree),
            quota: Quota::discover(&tree),
            pressure: Pressure::discover(&tree),
            supplies: Supplies::discover(&tree),
            settings: SettingFiles::discover(&tree),
            cooling: Cooling::discover(&tree),
            tree,
        }
    }

    /// Returns the sensors for later copies of the same machine's files at `root`. Counts of processors
    /// that were unplugged meanwhile are kept.
    pub fn copied_to(self, root: impl Into<PathBuf>) -> Self {
        let throttle = self.throttle;
        Self { throttle, ..Self::below(root) }
    }

    /// The directory that the sensors' files lie below: `/` for this machine's.
    pub fn root(&self) -> &Path {
        self.tree.root()
    }

    /// Reads all sensors now. Takes some tenths of a millisecond, and up to ten milliseconds on
    /// machines with hundreds of processors: call it before and after a measurement, never within
    /// one.
    ///
    /// `effective_khz` and `reference_ns` stay unread, because only a probe can measure them.
    pub fn look(&self) -> MachineState {
        let tree = &self.tree;
        let cpu = process::read_processor(tree).or_else(|unread| self.other_processor(unread));
        let policy = self.policies.of(tree, cpu.clone());
        let heat = self.temperature.read(tree);
        let time = ProcessorTime::read(tree);
        let faults = Faults::read(tree);
        let settings = self.settings.read(tree, &policy);
        let (power, limit_percent) = self.cooling.separate(tree, settings);
        MachineState {
            taken_ms: self.taken_ms(),
            temperature_milli_c: heat.milli_c,
            critical_milli_c: heat.critical_milli_c,
            frequency_khz: reading(
                policy.clone().and_then(|policy| frequency::read_khz(tree, &policy)),
            ),
            frequency_is_counted: reading(self.is_counted.clone()),
            core_kind: reading(self.core_kinds.of(cpu)),
            throttling: self.look_at_throttling(limit_percent),
            load_milli: reading(load::read_milli(tree)),
            steal_ms: part(&time, |time| time.steal_ms),
            busy_ms: part(&time, |time| time.busy_ms),
            quota: self.quota.read(tree),
            pressure: self.pressure.read(tree),
            swapped_pages: reading(swap::read_pages(tree)),
            context_switches: reading(process::read_context_switches(tree)),
            major_faults: part(&faults, |faults| faults.major),
            minor_faults: part(&faults, |faults| faults.minor),
            on_battery: reading(self.supplies.read_on_battery(tree)),
            battery_percent: reading(self.supplies.read_percent(tree)),
            power,
            effective_khz: Reading::default(),
            reference_ns: Reading::default(),
        }
    }

    /// Processor time that all tasks of the machine used since boot, without time stolen by the host.
    /// Takes some microseconds.
    pub fn used_ms(&self) -> Option<u64> {
        let time = ProcessorTime::read(&self.tree).ok()?;
        Some(time.busy_ms.saturating_sub(time.steal_ms))
    }

    /// Returns the kind of the processor `cpu`; `None` where all cores are of one kind, in which case
    /// `cpu` is not called.
    pub fn core_kind(&self, cpu: impl FnOnce() -> Option<u32>) -> Option<CoreKind> {
        if self.core_kinds.are_alike() { None } else { self.core_kinds.of(Ok(cpu()?)).ok() }
    }

    /// The processors of a kind of core, ascending; none where all are of one kind.
    pub fn cpus_of_kind(&self, kind: CoreKind) -> Vec<u32> {
        self.core_kinds.cpus(kind)
    }

    /// Selects a processor where the thread's own is `unread`: in copied files, the busiest one.
    fn other_processor(&self, unread: String) -> SensorAnswer<u32> {
        if self.is_this_machine() {
            return Err(unread);
        }
        self.policies.fastest(&self.tree).map_err(|_| unread)
    }

    fn is_this_machine(&self) -> bool {
        self.tree.root() == Path::new("/")
    }

    /// Milliseconds since the first look of this process.
    fn taken_ms(&self) -> Reading<u64> {
        if !self.is_this_machine() {
            return Reading::absent("files tell nothing of when they were read");
        }
        Reading::Value(u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn look_at_throttling(&self, limit_percent: SensorAnswer<u64>) -> ThrottleState {
        let tree = &self.tree;
        ThrottleState {
            firmware_bits: reading(self.firmware.read_bits(tree)),
            pressure_level: Reading::absent("not available on Linux"),
            limit_percent: reading(limit_percent),
            ..self.throttle.read(tree)
        }
    }
}
