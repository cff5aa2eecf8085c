//! Every machine and every state of the fixtures, read by the public readers and concluded by the
//! core, against what the fixture expects. A new fixture needs no line here; a new word in its
//! expectations does.

use super::cpu_list;
use super::fake_machine::FakeMachine;
use super::sensors::Sensors;
use crate::{MachineIdentity, firmware_words};
use perftest_core::model::{CoreKind, Environment, Grade, MachineState, Reading, Tag};
use serde_json::{Value, json};

/// Notes for people among the expectations.
const PROSE: [&str; 2] = ["note", "reason"];
/// All fixtures are before and after a measurement of this length.
const ELAPSED_MS: u64 = 4_000;
/// A state with this at the end of its name is there before the measurement too.
const THERE_BEFORE: &str = "same_before_and_after";

/// A measurement during which a machine entered a state.
struct MachineCase<'a> {
    machine: &'a FakeMachine,
    environment: Environment,
}

impl<'a> MachineCase<'a> {
    /// Measures, and leaves the machine in the state.
    fn new(machine: &'a FakeMachine, state: &str) -> Self {
        if state.ends_with(THERE_BEFORE) {
            machine.enter(state);
        }
        let sensors = Sensors::below(machine.root());
        let mut before = sensors.look();
        machine.enter(state);
        let mut after = sensors.look();
        before.taken_ms = Reading::Value(0);
        after.taken_ms = Reading::Value(ELAPSED_MS);
        Self { machine, environment: Environment::between(before, after) }
    }

    /// What is concluded, in the words of the fixtures; `None` for an unknown word.
    fn concluded(&self, word: &str, expected: &Value) -> Option<Value> {
        let environment = &self.environment;
        let after = &environment.after;
        let firmware_bits = after.throttling.firmware_bits.get();
        let has = |tag| environment.tags.contains(&tag);
        let rise = |counter: fn(&MachineState) -> &Reading<u64>| environment.rise(counter);
        Some(match word {
            "throttled" => self.throttled().map_or("unknown".into(), Value::Bool),
            "package_events" => json!(rise(|state| &state.throttling.package_events)),
            "package_ms" => json!(rise(|state| &state.throttling.package_ms)),
            // No fixture throttles more than one core: the sum over the cores is the maximum.
            "core_events_max" => json!(rise(|state| &state.throttling.core_events)),
            "core_ms" => json!(rise(|state| &state.throttling.core_ms)),
            "now" => json!(firmware_bits.map(firmware_words)),
            "since_boot" => json!(firmware_bits.map(|bits| firmware_words(bits >> 16))),
            "after_c" => celsius(&after.temperature_milli_c),
            "slow_clock" => json!(has(Tag::SlowClock)),
            "on_battery" => json!(after.on_battery.get()),
            "changed_during_run" => json!(has(Tag::PowerChanged)),
            "setting_changed" => self.setting_changed(expected.as_str()?),
            "capped" => json!(has(Tag::Capped)),
            "cap_mhz" => json!(after.power.cap_khz.get().map(|khz| khz / 1_000)),
            "max_mhz" => json!(after.power.hardware_khz.get().map(|khz| khz / 1_000)),
            "core_kind" => json!(after.core_kind.get().map(CoreKind::name)),
            "quota_cpus" => quota_cpus(self.machine),
            "periods" => json!(rise(|state| &state.quota.periods)),
            "throttled_periods" => json!(rise(|state| &state.quota.throttled_periods)),
            "throttled_ms" => {
                json!(rise(|state| &state.quota.throttled_us).map(|us| us as f64 / 1e3))
            }
            "steal_pct_of_non_idle" => {
                let busy_ms = rise(|state| &state.busy_ms)? as f64;
                json!(rise(|state| &state.steal_ms).map(|ms| 100.0 * ms as f64 / busy_ms))
            }
            "cpu_pressure_some_delta_us" => json!(rise(|state| &state.pressure.cpu_us)),
            "swap_pages" => json!(rise(|state| &state.swapped_pages)),
            // The fixture has the faults of the whole machine, a state has those of this process.
            // The reading comes with its source.
            "major_faults" if has(Tag::Swap) => expected.clone(),
            "suspect" => json!(environment.grade() >= Grade::Suspect),
            _ => return None,
        })
    }

    /// Whether a limit held the processor back: in a container its quota, elsewhere heat.
    fn throttled(&self) -> Option<bool> {
        let has_quota = self.machine.expectations().contains_key("quota_cpus");
        match has_quota {
            true => {
                self.environment.rise(|state| &state.quota.throttled_periods).map(|rise| rise > 0)
            }
            false => self.environment.throttled(),
        }
    }

    fn setting_changed(&self, setting: &str) -> Value {
        let changes = self.environment.power_changes();
        json!(changes.iter().any(|change| change.starts_with(setting)).then_some(setting))
    }
}

/// The value that a machine has for a word of the fixtures; `None` for an unknown word.
fn value_of(machine: &FakeMachine, word: &str, expected: &Value) -> Option<Value> {
    let state = || Sensors::below(machine.root()).look();
    Some(match word {
        "sensor" => sensor(machine, expected),
        "before_c" => celsius(&state().temperature_milli_c),
        "limit_c" => celsius(&state().critical_milli_c),
        "hypervisor" => {
            let hypervisor = MachineIdentity::below(machine.root()).hypervisor;
            json!(hypervisor.is_some_and(|vendor| vendor != "none"))
        }
        "quota_cpus" => quota_cpus(machine),
        "kinds" => kinds(machine, expected),
        _ => return None,
    })
}

/// The expected sensor if it is the one whose temperature the machine reports. It is described as
/// `hwmon5 (coretemp) temp1 "Package id 0"` or `thermal_zone0 cpu-thermal`.
fn sensor(machine: &FakeMachine, expected: &Value) -> Value {
    const UNLIKELY_MILLI_C: i64 = 41_234;
    let Some(description) = expected.as_str() else {
        let absent = Reading::absent("no processor temperature sensor");
        let state = Sensors::below(machine.root()).look();
        return if state.temperature_milli_c == absent { Value::Null } else { json!("a sensor") };
    };
    let mut words = description.split(' ');
    let device = words.next().unwrap();
    let file = match words.find(|word| word.starts_with("temp")) {
        Some(input) => format!("sys/class/hwmon/{device}/{input}_input"),
        None => format!("sys/class/thermal/{device}/temp"),
    };
    let before = machine.tree().read(&file).unwrap();
    machine.write(&file, &format!("{UNLIKELY_MILLI_C}\n"));
    let actual = Sensors::below(machine.root()).look().temperature_milli_c.get();
    machine.write(&file, &before);
    if actual == Some(UNLIKELY_MILLI_C) { expected.clone() } else { json!("another sensor") }
}

/// The expected kinds, each with its list of processors, as far as the machine reports the same.
fn kinds(machine: &FakeMachine, expected: &Value) -> Value {
    let is_of = |cpu: u32, kind: &str| {
        machine.runs_on(cpu);
        let actual = Sensors::below(machine.root()).look().core_kind;
        actual.get().is_some_and(|actual| actual.name() == kind)
    };
    let kinds = expected.as_object().unwrap().iter();
    kinds
        .filter(|(kind, cpus)| {
            let cpus = cpu_list::parse(cpus.as_str().unwrap()).unwrap();
            cpus.into_iter().all(|cpu| is_of(cpu, kind))
        })
        .map(|(kind, cpus)| (kind.clone(), cpus.clone()))
        .collect()
}

fn quota_cpus(machine: &FakeMachine) -> Value {
    let quota = MachineIdentity::below(machine.root()).quota_milli_cpus;
    json!(quota.map(|milli_cpus| milli_cpus as f64 / 1e3))
}

fn celsius(milli_c: &Reading<i64>) -> Value {
    json!(milli_c.get().map(|milli_c| milli_c as f64 / 1e3))
}

/// Whether two values say the same; 2 and 2.0 do.
fn agree(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => (left - right).abs() < 1e-6,
        _ => left == right,
    }
}

#[test]
fn every_machine_has_the_values_that_its_fixture_expects() {
    let mut checked = 0;
    for name in FakeMachine::names() {
        let machine = FakeMachine::load(&name);
        let states = machine.states();
        for (word, expected) in machine.expectations() {
            if states.contains(word) {
                continue;
            }
            let actual = value_of(&machine, word, expected);
            let actual = actual.unwrap_or_else(|| panic!("{name}: nothing checks `{word}`"));
            assert!(agree(&actual, expected), "{name}: {word} is {actual}, expected {expected}");
            checked += 1;
        }
    }
    assert!(checked >= 12, "{checked} expectations");
}

#[test]
fn every_state_of_every_machine_concludes_as_its_fixture_expects() {
    let mut checked = 0;
    for name in FakeMachine::names() {
        let machine = FakeMachine::load(&name);
        for state in machine.states() {
            checked += check(&name, &machine, &state);
            machine.leave(&state);
        }
    }
    assert!(checked >= 50, "{checked} expectations");
}

/// Checks all that is expected of a state, and returns the number of expectations.
fn check(name: &str, machine: &FakeMachine, state: &str) -> usize {
    let case = MachineCase::new(machine, state);
    let expectations = machine.expectations().get(state).and_then(Value::as_object);
    let expectations =
        expectations.unwrap_or_else(|| panic!("{name}: nothing is expected of {state}"));
    let words = expectations.iter().filter(|(word, _)| !PROSE.contains(&word.as_str()));
    words
        .map(|(word, expected)| {
            let actual = case.concluded(word, expected);
            let actual =
                actual.unwrap_or_else(|| panic!("{name}, {state}: nothing checks `{word}`"));
            let environment = &case.environment;
            assert!(
                agree(&actual, expected),
                "{name}, {state}: {word} is {actual}, expected {expected}\n{environment:#?}"
            );
        })
        .count()
}

#[test]
fn a_word_that_nothing_checks_is_noticed() {
    let machine = FakeMachine::load("kvm_guest_nothing");
    let case = MachineCase::new(&machine, "fine");
    assert_eq!(case.concluded("fan_rpm", &json!(1_180)), None);
    assert_eq!(value_of(&machine, "fan_rpm", &json!(1_180)), None);
    // Without swapping in the same state the faults are expected in vain.
    assert_eq!(case.concluded("major_faults", &json!(600)), None);
}

#[test]
fn every_machine_has_a_value_or_a_reason_everywhere() {
    for name in FakeMachine::names() {
        let machine = FakeMachine::load(&name);
        machine.runs_on(0);
        let words = format!("{:?}", machine.sensors().look());
        assert!(!words.contains("Absent(\"\")"), "{name}: {words}");
        // Only the two of the probes.
        assert_eq!(words.matches("Absent(\"not read\")").count(), 2, "{name}: {words}");
    }
}
