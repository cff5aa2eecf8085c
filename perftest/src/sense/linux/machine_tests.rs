//! What is read from whole machines, before and after, and what the core concludes from it.

use super::fake_machine::FakeMachine;
use perftest_core::model::{Environment, MachineState, Reading, Tag};
use serde_json::Value;

/// Every fixture with the processor its test runs on.
const MACHINES: [(&str, u32); 7] = [
    ("intel_laptop", 0),
    ("amd_desktop", 3),
    ("raspberry_pi4", 0),
    ("kvm_guest_nothing", 0),
    ("container_cgroup1_quota", 0),
    ("container_cgroup2_quota", 0),
    ("intel_hybrid", 7),
];

/// States in which only the effective clock, or a sensor that has no place in the core's state
/// yet, could show the throttling.
const NOT_SEEN_YET: [(&str, &str); 5] = [
    ("amd_desktop", "throttled"),
    // Events without times: a spike that the kernel ignored would look the same.
    ("intel_laptop", "kernel_before_5_6_counts_only"),
    ("raspberry_pi4", "frequency_capped_now"),
    ("raspberry_pi4", "soft_limit_hit"),
    ("raspberry_pi4", "under_voltage"),
];

fn machine(name: &str, cpu: u32) -> FakeMachine {
    let machine = FakeMachine::load(name);
    machine.runs_on(cpu);
    machine
}

fn before(name: &str, cpu: u32) -> MachineState {
    machine(name, cpu).sensors().look()
}

/// The environment of a measurement on a machine that enters `state` meanwhile.
fn measured(name: &str, cpu: u32, state: &str) -> Environment {
    measured_on(&machine(name, cpu), state)
}

fn measured_on(machine: &FakeMachine, state: &str) -> Environment {
    let sensors = machine.sensors();
    let before = sensors.look();
    machine.enter(state);
    let after = sensors.look();
    machine.leave(state);
    Environment::between(before, after)
}

fn reason<T>(reading: &Reading<T>) -> &str {
    match reading {
        Reading::Value(_) => "a value",
        Reading::Absent(reason) => reason,
    }
}

fn milli(value: &Value) -> Option<i64> {
    value.as_f64().map(|value| (value * 1000.0).round() as i64)
}

#[test]
fn throttling_is_seen_in_every_state_that_shows_it_and_in_no_other() {
    let mut unseen = Vec::new();
    for (name, cpu) in MACHINES {
        let tag = if name.starts_with("container") { Tag::Quota } else { Tag::Throttled };
        let machine = machine(name, cpu);
        for state in machine.states() {
            let environment = measured_on(&machine, &state);
            let expected = machine.expected(&[&state, "throttled"]).as_bool();
            match (expected.unwrap_or(false), environment.tags.contains(&tag)) {
                (true, false) => unseen.push((name.to_owned(), state)),
                (expected, seen) => assert_eq!(expected, seen, "{name}: {state}"),
            }
        }
    }
    unseen.sort();
    assert_eq!(unseen, NOT_SEEN_YET.map(|(name, state)| (name.to_owned(), state.to_owned())));
}

#[test]
fn the_temperature_is_the_processors_on_every_machine() {
    for (name, cpu) in MACHINES {
        let machine = machine(name, cpu);
        let expected = milli(machine.expected(&["before_c"]));
        assert_eq!(machine.sensors().look().temperature_milli_c.get(), expected, "{name}");
    }
    for (state, milli_c) in [("fine", 72_000), ("throttled", 98_000)] {
        let environment = measured("intel_laptop", 0, state);
        assert_eq!(environment.after.temperature_milli_c.get(), Some(milli_c), "{state}");
    }
}

#[test]
fn without_its_chip_the_processors_zone_tells_the_temperature() {
    let machine = machine("intel_laptop", 0);
    machine.remove("sys/class/hwmon/hwmon5");
    machine.write("sys/class/thermal/thermal_zone4/temp", "62000\n");
    assert_eq!(machine.sensors().look().temperature_milli_c.get(), Some(62_000));
    machine.remove("sys/class/thermal/thermal_zone4");
    machine.write("sys/class/thermal/thermal_zone2/temp", "63000\n");
    assert_eq!(machine.sensors().look().temperature_milli_c.get(), Some(63_000));
    machine.remove("sys/class/thermal/thermal_zone2");
    let state = machine.sensors().look();
    assert_eq!(reason(&state.temperature_milli_c), "no processor temperature sensor");
}

#[test]
fn zenpower_in_place_of_k10temp_is_the_processors_chip_too() {
    let machine = machine("amd_desktop", 3);
    machine.enter("zenpower_instead_of_k10temp");
    machine.write("sys/class/hwmon/hwmon2/temp1_input", "60000\n");
    assert_eq!(machine.sensors().look().temperature_milli_c.get(), Some(60_000));
}

#[test]
fn the_hotter_of_two_packages_counts() {
    let machine = machine("intel_laptop", 0);
    machine.write("sys/class/hwmon/hwmon6/name", "coretemp\n");
    machine.write("sys/class/hwmon/hwmon6/temp1_label", "Package id 1\n");
    machine.write("sys/class/hwmon/hwmon6/temp1_input", "70000\n");
    let sensors = machine.sensors();
    assert_eq!(sensors.look().temperature_milli_c.get(), Some(70_000));
    machine.remove("sys/class/hwmon/hwmon6/temp1_input");
    assert_eq!(sensors.look().temperature_milli_c.get(), Some(61_000));
}

#[test]
fn the_clock_is_that_of_the_processor_the_thread_runs_on() {
    assert_eq!(before("intel_laptop", 0).frequency_khz.get(), Some(4_389_214));
    assert_eq!(before("intel_laptop", 2).frequency_khz.get(), Some(799_962));
    assert_eq!(before("raspberry_pi4", 3).frequency_khz.get(), Some(1_800_000));
    let throttled = measured("amd_desktop", 3, "throttled");
    let clocks = [throttled.before, throttled.after].map(|state| state.frequency_khz.get());
    assert_eq!(clocks, [Some(5_412_118), Some(4_309_442)]);
}

#[test]
fn the_two_kinds_of_cores_have_clocks_of_their_own() {
    for (state, cpu, khz) in [("ran_on_e_core", 7, 3_390_000), ("ran_on_p_core", 1, 4_690_000)] {
        let machine = machine("intel_hybrid", cpu);
        // The fixture leaves out the kernel's link.
        let link = format!("sys/devices/system/cpu/cpu{cpu}/cpufreq");
        machine.link(&link, &format!("../cpufreq/policy{cpu}"));
        machine.enter(state);
        assert_eq!(machine.sensors().look().frequency_khz.get(), Some(khz));
    }
}

#[test]
fn a_package_event_counts_once_however_many_processors_report_it() {
    let environment = measured("intel_laptop", 0, "throttled");
    // 66 of the package and 7 of the core that both threads of it report.
    assert_eq!(environment.rise(|state| &state.throttle_events), Some(66 + 7));
    assert_eq!(environment.rise(|state| &state.throttle_ms), Some(1_264 + 47));
}

#[test]
fn an_event_that_still_goes_on_has_no_time_yet() {
    let environment = measured("intel_laptop", 0, "throttling_still_going_on");
    assert_eq!(environment.rise(|state| &state.throttle_events), Some(1));
    assert_eq!(environment.rise(|state| &state.throttle_ms), Some(0));
    assert!(environment.is_untrusted());
}

#[test]
fn a_spike_on_the_core_with_fewer_events_is_counted_too() {
    let environment = measured("intel_laptop", 0, "short_spike_kernel_ignored");
    assert_eq!(environment.rise(|state| &state.throttle_events), Some(1));
    assert!(!environment.is_untrusted());
}

#[test]
fn a_kernel_that_keeps_no_times_still_counts() {
    let environment = measured("intel_laptop", 0, "kernel_before_5_6_counts_only");
    assert_eq!(environment.rise(|state| &state.throttle_events), Some(66));
    assert_eq!(reason(&environment.after.throttle_ms), "the kernel counts no throttle times");
}

#[test]
fn steal_is_the_share_the_fixture_says() {
    let environment = measured("kvm_guest_nothing", 0, "steal");
    let steal_ms = environment.rise(|state| &state.steal_ms).unwrap() as f64;
    let busy_ms = environment.rise(|state| &state.busy_ms).unwrap() as f64;
    let machine = FakeMachine::load("kvm_guest_nothing");
    let expected = machine.expected(&["steal", "steal_pct_of_non_idle"]).as_f64();
    assert_eq!(Some(100.0 * steal_ms / busy_ms), expected);
    assert_eq!(environment.tags, [Tag::Steal]);
    for state in ["fine", "busy_guest", "swapping"] {
        assert_eq!(measured("kvm_guest_nothing", 0, state).tags, [], "{state}");
    }
}

#[test]
fn the_load_is_read() {
    assert_eq!(before("kvm_guest_nothing", 0).load_milli.get(), Some(80));
    let busy = measured("kvm_guest_nothing", 0, "busy_guest");
    assert_eq!(busy.after.load_milli.get(), Some(6_550));
}

#[test]
fn a_virtual_machine_without_sensors_says_so_sensor_by_sensor() {
    let state = before("kvm_guest_nothing", 0);
    assert_eq!(reason(&state.temperature_milli_c), "no processor temperature sensor");
    assert_eq!(reason(&state.frequency_khz), "the system reports no processor clock");
    assert_eq!(reason(&state.throttle_events), "no thermal throttle counters");
    assert_eq!(reason(&state.quota_throttled_periods), "no processor quota");
    assert_eq!(reason(&state.on_battery), "no battery");
}

#[test]
fn throttled_periods_are_counted_under_both_versions_of_control_groups() {
    for name in ["container_cgroup1_quota", "container_cgroup2_quota"] {
        let environment = measured(name, 0, "throttled");
        let periods = environment.rise(|state| &state.quota_throttled_periods);
        let machine = FakeMachine::load(name);
        let expected = machine.expected(&["throttled", "throttled_periods"]).as_u64();
        assert_eq!((periods, expected.is_some()), (expected, true), "{name}");
    }
}

#[test]
fn the_quota_is_that_of_the_fixture_and_none_where_it_is_lifted() {
    for name in ["container_cgroup1_quota", "container_cgroup2_quota"] {
        let machine = FakeMachine::load(name);
        let quota = |machine: &FakeMachine| {
            super::quota::Quota::discover(&machine.tree()).milli_cpus().map(|cpus| cpus as i64)
        };
        assert_eq!(quota(&machine), milli(machine.expected(&["quota_cpus"])), "{name}");
        machine.enter("no_quota");
        assert_eq!(quota(&machine), None, "{name}");
        let state = machine.sensors().look();
        assert_eq!(reason(&state.quota_throttled_periods), "no processor quota");
    }
}

#[test]
fn a_quota_further_up_holds_too() {
    let machine = FakeMachine::load("container_cgroup2_quota");
    machine.write("proc/self/cgroup", "0::/build/job\n");
    machine.write("sys/fs/cgroup/build/job/cpu.max", "50000 100000\n");
    machine.write("sys/fs/cgroup/build/job/cpu.stat", "nr_throttled 4\n");
    machine.enter("throttled");
    let state = machine.sensors().look();
    assert_eq!(state.quota_throttled_periods.get(), Some(4 + 9));
    assert_eq!(super::quota::Quota::discover(&machine.tree()).milli_cpus(), Some(500));
}

#[test]
fn a_controller_that_is_switched_off_says_nothing() {
    let environment = measured("container_cgroup2_quota", 0, "cpu_controller_off");
    assert!(environment.before.quota_throttled_periods.get().is_some());
    assert!(environment.after.quota_throttled_periods.get().is_none());
    assert_eq!(environment.tags, []);
}

#[test]
fn a_laptop_that_is_unplugged_runs_on_battery() {
    let environment = measured("intel_laptop", 0, "unplugged_during_run");
    assert_eq!(environment.before.on_battery, Reading::Value(false));
    assert_eq!(environment.after.on_battery, Reading::Value(true));
    assert_eq!(environment.tags, [Tag::Battery]);
}
