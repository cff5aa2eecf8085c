//! State and identity of machines that are not Linux, as far as `sysinfo` knows them.

use super::identity::{MachineIdentity, memory_class_gib, tidy_cpu_model};
use perftest_core::model::{MachineState, Reading};
use sysinfo::{Components, CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The sensors of a machine. They are asked anew at each look: `sysinfo` has no handle that all
/// systems let another thread use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sensors;

impl Sensors {
    /// The sensors of the machine this runs on.
    pub(crate) fn of_this_machine() -> Self {
        Self
    }

    /// What the sensors say now. Takes some milliseconds: before and after a measurement, never
    /// within one.
    pub(crate) fn look(&self) -> MachineState {
        let unread = || Reading::absent("not read on this system");
        MachineState {
            temperature_milli_c: temperature_milli_c(),
            frequency_khz: frequency_khz(),
            load_milli: load_milli(),
            throttle_events: unread(),
            throttle_ms: unread(),
            steal_ms: unread(),
            busy_ms: unread(),
            quota_throttled_periods: Reading::absent("no processor quota"),
            context_switches: unread(),
            major_faults: unread(),
            minor_faults: unread(),
            on_battery: Reading::absent("not read on this system"),
        }
    }
}

/// The identity of the machine this runs on.
pub(super) fn identity() -> MachineIdentity {
    let system = System::new_with_specifics(
        RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let cpu_model = system.cpus().first().and_then(|cpu| tidy_cpu_model(cpu.brand()));
    let usable_cpus = std::thread::available_parallelism().map_or(1, usize::from);
    MachineIdentity {
        architecture: std::env::consts::ARCH,
        os: std::env::consts::OS,
        cpu_model: cpu_model.unwrap_or_else(|| "unknown".into()),
        cpu_family: None,
        cpu_model_number: None,
        cpu_stepping: None,
        usable_cpus: u32::try_from(usable_cpus).unwrap_or(u32::MAX),
        quota_milli_cpus: None,
        l2_kib: None,
        l3_kib: None,
        memory_class_gib: memory_class_gib(system.total_memory() >> 10),
        hypervisor: None,
    }
}

/// The hottest sensor of the processor.
fn temperature_milli_c() -> Reading<i64> {
    if cfg!(windows) {
        // And what they are told is often a constant of the board.
        return Reading::absent("Windows tells temperatures to administrators only");
    }
    let components = Components::new_with_refreshed_list();
    let processors = components.iter().filter(|component| is_processor(component.label()));
    let hottest_c = processors
        .filter_map(|component| component.temperature())
        .filter(|celsius| celsius.is_finite())
        .reduce(f32::max);
    match hottest_c {
        Some(celsius) => Reading::Value((f64::from(celsius) * 1000.0).round() as i64),
        None => Reading::absent("no processor temperature sensor"),
    }
}

/// Whether a sensor with this label measures the processor: `PMU tdie` and `PECI CPU` on Apple
/// machines, `CPU 1` on BSD.
fn is_processor(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    label.contains("cpu") || label.starts_with("pmu tdie")
}

/// Clock of the first processor; on several systems this is its maximum, whatever it runs at.
fn frequency_khz() -> Reading<u64> {
    let clocks = CpuRefreshKind::nothing().with_frequency();
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(clocks));
    match system.cpus().first().map(|cpu| cpu.frequency()) {
        Some(mhz) if mhz > 0 => Reading::Value(mhz.saturating_mul(1000)),
        _ => Reading::absent("the system reports no processor clock"),
    }
}

/// The load average, which Windows does not keep.
fn load_milli() -> Reading<u64> {
    let load = System::load_average().one;
    match (0.0..1e9).contains(&load) && !cfg!(windows) {
        true => Reading::Value((load * 1000.0).round() as u64),
        false => Reading::absent("the system keeps no load average"),
    }
}

#[cfg(test)]
mod tests {
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
    fn every_absent_answer_has_its_reason() {
        let state = Sensors::of_this_machine().look();
        let Reading::Absent(reason) = &state.throttle_events else { panic!("{state:?}") };
        assert!(!reason.is_empty());
    }

    #[test]
    fn the_identity_knows_memory_and_processors() {
        let identity = identity();
        assert!(identity.usable_cpus >= 1);
        assert!(identity.memory_class_gib.is_some());
        assert_eq!(identity.fingerprint_text(), super::identity().fingerprint_text());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn both_readers_agree_on_what_both_read() {
        let ours = MachineIdentity::of_this_machine();
        let theirs = identity();
        assert_eq!(ours.memory_class_gib, theirs.memory_class_gib);
        assert_eq!((ours.architecture, ours.os), (theirs.architecture, theirs.os));
    }
}
