//! Reads the state of a machine: this one, or one with copied files.

use crate::doctor::{CounterFacts, MachineFacts, ProcessorInfo, SpeedSeries, ValueSpread};
use crate::exit::{CommandError, Result};
use crate::process_watch::ProcessWatch;
use perftest_core::model::{Environment, MachineState, Reading};
use perftest_machine::{Countable, Counter, Epoch, MachineIdentity, Sensors, Speed, SpeedProbe};
use perftest_process::valgrind_version;
use std::path::Path;
use std::time::{Duration, Instant};

/// An idle processor starts slowly.
const WAKING: Duration = Duration::from_millis(100);
/// The counters of processor time advance by 10 ms: this is fifty steps.
const WATCHING: Duration = Duration::from_millis(500);

/// Reads the state of this machine twice, and keeps a core busy with the probes in between.
pub(crate) fn at_this_machine() -> MachineFacts {
    let sensors = Sensors::of_this_machine();
    let probe = SpeedProbe::new();
    watch(&probe, WAKING);
    let mut processes = ProcessWatch::start();
    let (before, cpu_before_ms) = (sensors.look(), own_cpu_ms());
    let readings = watch(&probe, WATCHING);
    let (after, cpu_after_ms) = (sensors.look(), own_cpu_ms());
    let processes = processes.take();
    let (first, last) = readings.split_at(readings.len() / 2);
    MachineFacts {
        environment: Environment::between(with_speed(before, first), with_speed(after, last)),
        identity: MachineIdentity::of_this_machine(),
        epoch: Epoch::of_this_machine(),
        cpu_info: cpu_info(Path::new("/")),
        course: Some(SpeedSeries::of(&readings)),
        counters: Some(counters()),
        own_cpu_ms: cpu_before_ms.zip(cpu_after_ms).map(|(before, after)| after - before),
        processes,
    }
}

fn counters() -> CounterFacts {
    let counts = |event: &Countable| Counter::of_this_thread(*event).is_ok();
    let instructions = Counter::of_this_thread(Countable::Instructions);
    CounterFacts {
        processor: instructions.map(|_| Countable::ALL.into_iter().filter(counts).collect()),
        valgrind: valgrind_version(),
    }
}

/// Measures the speed of this machine for a moment.
pub(crate) fn at_speed() -> SpeedSeries {
    let probe = SpeedProbe::new();
    watch(&probe, WAKING);
    SpeedSeries::of(&watch(&probe, WAKING))
}

/// Reads the files of a machine, and those copied `apart` later, if there are any.
#[cfg(target_os = "linux")]
pub(crate) fn at_files(root: &Path, later: Option<&Path>, apart: Duration) -> Result<MachineFacts> {
    let apart_ms = u64::try_from(apart.as_millis()).unwrap_or(u64::MAX);
    check_directory(root)?;
    let sensors = Sensors::below(root);
    let before = look_at(&sensors, 0);
    let after = match later {
        Some(later) => {
            check_directory(later)?;
            Some(look_at(&sensors.copied_to(later), apart_ms))
        }
        None => None,
    };
    let newest = later.unwrap_or(root);
    Ok(MachineFacts {
        environment: Environment::between(before.clone(), after.unwrap_or(before)),
        identity: MachineIdentity::below(newest),
        epoch: Epoch::below(newest),
        cpu_info: cpu_info(newest),
        course: None,
        counters: None,
        own_cpu_ms: None,
        processes: Vec::new(),
    })
}

/// Only Linux has readers for copied files.
#[cfg(not(target_os = "linux"))]
pub(crate) fn at_files(
    _root: &Path,
    _later: Option<&Path>,
    _apart: Duration,
) -> Result<MachineFacts> {
    let why = "the files of a machine are read on Linux only; run this there, or without --root";
    Err(CommandError::Usage(why.into()))
}

#[cfg(target_os = "linux")]
fn check_directory(root: &Path) -> Result<()> {
    let read = std::fs::read_dir(root);
    read.map(drop).map_err(|error| {
        let root = root.display();
        CommandError::Usage(format!(
            "{root} is no directory with the files of a machine ({error}); give one that holds \
             its `proc` and `sys`"
        ))
    })
}

#[cfg(target_os = "linux")]
fn look_at(sensors: &Sensors, taken_ms: u64) -> MachineState {
    MachineState { taken_ms: Reading::Value(taken_ms), ..sensors.look() }
}

/// Repeats the probes.
fn watch(probe: &SpeedProbe, time: Duration) -> Vec<Speed> {
    let start = Instant::now();
    let mut readings = vec![probe.take()];
    while start.elapsed() < time {
        readings.push(probe.take());
    }
    readings
}

/// Adds the probes' readings to a state.
fn with_speed(state: MachineState, readings: &[Speed]) -> MachineState {
    let SpeedSeries { clock_ghz, reference_ns, .. } = SpeedSeries::of(readings);
    MachineState {
        effective_khz: middle(clock_ghz, 1e6),
        reference_ns: middle(reference_ns, 1.0),
        ..state
    }
}

fn middle(reading: Reading<ValueSpread>, scale: f64) -> Reading<u64> {
    match reading {
        Reading::Value(spread) => Reading::Value((spread.median * scale).round() as u64),
        Reading::Absent(why) => Reading::Absent(why),
    }
}

fn cpu_info(root: &Path) -> ProcessorInfo {
    let text = std::fs::read_to_string(root.join("proc/cpuinfo"));
    ProcessorInfo::parse(&text.unwrap_or_default())
}

/// Processor time of this process.
#[cfg(target_os = "linux")]
fn own_cpu_ms() -> Option<f64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(used.tv_sec as f64 * 1e3 + used.tv_nsec as f64 / 1e6)
}

/// Skipped where the machine's own processor time is unknown.
#[cfg(not(target_os = "linux"))]
fn own_cpu_ms() -> Option<f64> {
    None
}
