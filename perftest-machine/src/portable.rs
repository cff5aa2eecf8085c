//! Readers that all systems but Linux share: values of `sysinfo`, and a state without other values.

use super::identity::{MachineIdentity, tidy, tidy_cpu_model};
#[cfg(not(windows))]
use crate::sensor_answer::SensorAnswer;
#[cfg(not(any(target_os = "macos", windows)))]
use crate::sensor_answer::reading;
use perftest_core::model::{
    MachineState, PowerSettings, PressureState, QuotaState, Reading, ThrottleState,
};
use perftest_core::text::Text;
use std::sync::LazyLock;
use std::time::Instant;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// The sensors of a machine whose system has no readers of its own. Each look reads them again,
/// because the handles of `sysinfo` cannot move between threads on all systems.
#[cfg(not(any(target_os = "macos", windows)))]
#[cfg_attr(target_os = "linux", allow(unreachable_pub))] // Only tests use it there.
#[derive(Debug, Clone, Copy)]
pub struct Sensors;

#[cfg(not(any(target_os = "macos", windows)))]
#[cfg_attr(target_os = "linux", allow(unreachable_pub))] // Only tests use it there.
impl Sensors {
    /// The sensors of the machine this runs on.
    pub fn of_this_machine() -> Self {
        Self
    }

    /// Reads all sensors now. Takes some milliseconds: call it before and after a measurement, never
    /// within one.
    pub fn look(&self) -> MachineState {
        MachineState {
            temperature_milli_c: reading(temperature_milli_c()),
            load_milli: reading(load_milli()),
            ..taken_now("not read on this system")
        }
    }

    /// Processor time all tasks of the machine used since boot: not read on this system.
    pub fn used_ms(&self) -> Option<u64> {
        None
    }

    /// Kind of the core that a processor belongs to: unknown on this system.
    pub fn core_kind(
        &self,
        _cpu: impl FnOnce() -> Option<u32>,
    ) -> Option<perftest_core::model::CoreKind> {
        None
    }
}

/// Creates a state of now without other readings, for this reason. The probes fill their fields
/// later.
pub(super) fn taken_now(reason: &'static str) -> MachineState {
    let count = || Reading::absent(reason);
    let text = || Reading::absent(reason);
    let switch = || Reading::absent(reason);
    MachineState {
        taken_ms: Reading::Value(monotonic_ms()),
        temperature_milli_c: Reading::absent(reason),
        critical_milli_c: Reading::absent(reason),
        frequency_khz: count(),
        frequency_is_counted: switch(),
        effective_khz: Reading::default(),
        reference_ns: Reading::default(),
        core_kind: Reading::absent(reason),
        throttling: ThrottleState {
            package_events: count(),
            package_ms: count(),
            core_events: count(),
            core_ms: count(),
            firmware_bits: Reading::absent("no firmware of a Raspberry Pi"),
            pressure_level: count(),
            limit_percent: count(),
        },
        load_milli: count(),
        busy_ms: count(),
        steal_ms: count(),
        quota: QuotaState { periods: count(), throttled_periods: count(), throttled_us: count() },
        pressure: PressureState { cpu_us: count(), memory_us: count(), io_us: count() },
        swapped_pages: count(),
        context_switches: count(),
        major_faults: count(),
        minor_faults: count(),
        on_battery: switch(),
        battery_percent: count(),
        power: PowerSettings {
            governor: text(),
            preference: text(),
            profile: text(),
            boost: switch(),
            cap_khz: count(),
            hardware_khz: count(),
        },
    }
}

/// Milliseconds since the first call in this process.
fn monotonic_ms() -> u64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(FIRST.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Reads the features that `sysinfo` provides on every system.
pub(super) fn identity_by_sysinfo() -> MachineIdentity {
    let cpus = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let system = System::new_with_specifics(cpus);
    let cpu = system.cpus().first();
    // Only on x86 does `sysinfo` return the processor's name.
    let is_x86 = cfg!(any(target_arch = "x86", target_arch = "x86_64"));
    let cpu_vendor = cpu.filter(|_| is_x86).and_then(|cpu| tidy(cpu.vendor_id()));
    let cpu_model = cpu.and_then(|cpu| tidy_cpu_model(cpu.brand()));
    let parallelism = std::thread::available_parallelism().map_or(1, usize::from);
    let usable_cpus = u32::try_from(parallelism).unwrap_or(u32::MAX);
    MachineIdentity {
        architecture: std::env::consts::ARCH,
        os: std::env::consts::OS,
        cpu_vendor,
        cpu_family: None,
        cpu_model_number: None,
        cpu_stepping: None,
        cpu_model: cpu_model.unwrap_or_else(|| "unknown".into()),
        usable_cpus,
        // Only Linux has quotas, and sees them with another reader.
        allowed_cpus: usable_cpus,
        quota_milli_cpus: None,
        core_kinds: None,
        l2_kib: None,
        l3_kib: None,
        numa_nodes: None,
        hypervisor: None,
        on_battery: false,
    }
}

/// Reads the hottest sensor of the processor. Not for Windows, where `sysinfo` needs administrator
/// rights for it.
#[cfg(not(windows))]
pub(super) fn temperature_milli_c() -> SensorAnswer<i64> {
    let components = sysinfo::Components::new_with_refreshed_list();
    let processors = components.iter().filter(|component| is_processor(component.label()));
    let hottest_c = processors
        .filter_map(|component| component.temperature())
        .filter(|celsius| celsius.is_finite())
        .reduce(f32::max)
        .ok_or("no processor temperature sensor")?;
    Ok((f64::from(hottest_c) * 1000.0).round() as i64)
}

/// Whether a sensor with this label measures the processor: `PMU tdie` and `PECI CPU` on Apple
/// machines, `CPU 1` on BSD.
#[cfg(not(windows))]
fn is_processor(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    label.has("cpu") || label.starts_with("pmu tdie")
}

/// Reads the load average. Not for Windows, which has none.
#[cfg(not(windows))]
pub(super) fn load_milli() -> SensorAnswer<u64> {
    thousandths(System::load_average().one)
}

#[cfg(not(windows))]
fn thousandths(load: f64) -> SensorAnswer<u64> {
    match (0.0..1e9).contains(&load) {
        true => Ok((load * 1000.0).round() as u64),
        false => Err("the system keeps no load average".into()),
    }
}

/// The samples of one system in `tests/fixtures/commands`, for the tests of its readers.
#[cfg(test)]
pub(super) fn command_outputs(system: &str) -> serde_json::Value {
    let text = include_str!("../tests/fixtures/commands/command_outputs.json");
    let samples: serde_json::Value = serde_json::from_str(text).unwrap();
    samples[system].clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the readings without a reason.
    fn unexplained(state: &MachineState) -> usize {
        let text = format!("{state:?}");
        text.matches(r#"Absent("not read")"#).count() + text.matches(r#"Absent("")"#).count()
    }

    #[test]
    fn all_but_the_places_of_the_two_probes_have_a_reason() {
        let state = taken_now("not available on this system");
        assert_eq!([&state.effective_khz, &state.reference_ns], [&Reading::default(); 2]);
        assert_eq!(unexplained(&state), 2, "{state:?}");
        assert!(state.taken_ms.get().is_some());
    }

    #[test]
    fn time_between_two_looks_passes() {
        let earlier = monotonic_ms();
        std::thread::sleep(std::time::Duration::from_millis(3));
        assert!(monotonic_ms() > earlier);
    }

    #[test]
    fn the_identity_has_a_processor_and_is_the_same_twice() {
        assert!(identity_by_sysinfo().usable_cpus >= 1);
        assert_eq!(identity_by_sysinfo(), identity_by_sysinfo());
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn both_readers_agree_on_what_both_read() {
        let (ours, theirs) = (MachineIdentity::of_this_machine(), identity_by_sysinfo());
        assert_eq!((ours.architecture, ours.os), (theirs.architecture, theirs.os));
        assert_eq!((ours.cpu_vendor, ours.cpu_model), (theirs.cpu_vendor, theirs.cpu_model));
    }
}

#[cfg(all(test, not(windows)))]
mod sysinfo_tests {
    use super::*;

    #[test]
    fn the_processor_is_known_among_the_sensors() {
        for label in ["PMU tdie4", "PECI CPU", "CPU 1"] {
            assert!(is_processor(label), "{label}");
        }
        for label in ["PMU tdev1", "NAND CH0 temp", "gas gauge battery", "GPU"] {
            assert!(!is_processor(label), "{label}");
        }
    }

    #[test]
    fn a_load_is_reported_in_thousandths() {
        assert_eq!(thousandths(1.25), Ok(1_250));
        for damaged in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(thousandths(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_system_without_readers_reports_its_load_and_why_the_rest_is_missing() {
        let sensors = Sensors::of_this_machine();
        assert_eq!((sensors.used_ms(), sensors.core_kind(|| Some(0))), (None, None));
        let state = sensors.look();
        assert!(state.load_milli.get().is_some());
        assert_eq!(state.on_battery, Reading::absent("not read on this system"));
    }
}
