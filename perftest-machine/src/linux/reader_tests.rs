//! What single readers say of whole machines, where the fixtures' own expectations end.

use super::fake_machine::FakeMachine;
use super::quota::Quota;
use perftest_core::model::{Environment, MachineState, Reading, Tag};

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
    let machine = machine(name, cpu);
    let sensors = machine.sensors();
    let before = sensors.look();
    machine.enter(state);
    Environment::between(before, sensors.look())
}

fn reason<T>(reading: &Reading<T>) -> &str {
    match reading {
        Reading::Value(_) => "a value",
        Reading::Absent(reason) => reason,
    }
}

#[test]
fn without_its_chip_the_processors_zone_has_temperature_and_limit() {
    let machine = machine("intel_laptop", 0);
    machine.remove("sys/class/hwmon/hwmon5");
    machine.write("sys/class/thermal/thermal_zone4/temp", "62000\n");
    machine.write("sys/class/thermal/thermal_zone4/trip_point_1_type", "critical\n");
    machine.write("sys/class/thermal/thermal_zone4/trip_point_1_temp", "105000\n");
    let state = machine.sensors().look();
    assert_eq!(state.temperature_milli_c.get(), Some(62_000));
    assert_eq!(state.critical_milli_c.get(), Some(105_000));
    machine.remove("sys/class/thermal/thermal_zone4");
    machine.write("sys/class/thermal/thermal_zone2/temp", "63000\n");
    let state = machine.sensors().look();
    assert_eq!(state.temperature_milli_c.get(), Some(63_000));
    // Its passive trip point.
    assert_eq!(state.critical_milli_c.get(), Some(95_000));
    machine.remove("sys/class/thermal/thermal_zone2");
    let state = machine.sensors().look();
    assert_eq!(reason(&state.temperature_milli_c), "no processor temperature sensor");
    assert_eq!(reason(&state.critical_milli_c), "no processor temperature sensor");
}

#[test]
fn the_limit_is_that_of_the_processors_own_sensor() {
    assert_eq!(before("intel_laptop", 0).critical_milli_c.get(), Some(100_000));
    assert_eq!(before("raspberry_pi4", 0).critical_milli_c.get(), Some(110_000));
    let absent = before("amd_desktop", 3).critical_milli_c;
    assert_eq!(reason(&absent), "the sensor does not tell its limit");
}

#[test]
fn zenpower_in_place_of_k10temp_is_the_processors_chip_too_and_its_maximum_is_no_limit() {
    let machine = machine("amd_desktop", 3);
    machine.enter("zenpower_instead_of_k10temp");
    machine.write("sys/class/hwmon/hwmon2/temp1_input", "60000\n");
    let state = machine.sensors().look();
    assert_eq!(state.temperature_milli_c.get(), Some(60_000));
    assert_eq!(state.critical_milli_c.get(), None);
}

#[test]
fn the_hotter_of_two_packages_counts_with_its_own_limit() {
    let machine = machine("intel_laptop", 0);
    machine.write("sys/class/hwmon/hwmon6/name", "coretemp\n");
    machine.write("sys/class/hwmon/hwmon6/temp1_label", "Package id 1\n");
    machine.write("sys/class/hwmon/hwmon6/temp1_input", "70000\n");
    machine.write("sys/class/hwmon/hwmon6/temp1_crit", "98000\n");
    let sensors = machine.sensors();
    let heat = || {
        let state = sensors.look();
        (state.temperature_milli_c.get(), state.critical_milli_c.get())
    };
    assert_eq!(heat(), (Some(70_000), Some(98_000)));
    machine.remove("sys/class/hwmon/hwmon6/temp1_input");
    assert_eq!(heat(), (Some(61_000), Some(100_000)));
}

#[test]
fn the_clock_is_that_of_the_processor_the_thread_runs_on() {
    assert_eq!(before("intel_laptop", 0).frequency_khz.get(), Some(4_389_214));
    assert_eq!(before("intel_laptop", 2).frequency_khz.get(), Some(799_962));
    assert_eq!(before("raspberry_pi4", 3).frequency_khz.get(), Some(1_800_000));
    let throttled = measured("amd_desktop", 3, "throttled");
    let clocks = [throttled.before, throttled.after].map(|state| state.frequency_khz.get());
    assert_eq!(clocks, [Some(5_412_118), Some(4_309_442)]);
    for (state, cpu, khz) in [("ran_on_e_core", 7, 3_390_000), ("ran_on_p_core", 1, 4_690_000)] {
        let after = measured("intel_hybrid", cpu, state).after;
        assert_eq!(after.frequency_khz.get(), Some(khz));
    }
}

#[test]
fn the_clock_of_a_board_is_only_asked_for() {
    assert_eq!(before("raspberry_pi4", 0).frequency_is_counted.get(), Some(false));
    assert_eq!(before("amd_desktop", 3).frequency_is_counted.get(), Some(true));
}

#[test]
fn the_settings_are_those_of_the_processor_the_thread_runs_on() {
    let machine = machine("intel_laptop", 2);
    let policy = "sys/devices/system/cpu/cpufreq/policy2";
    machine.write(&format!("{policy}/scaling_governor"), "performance\n");
    machine.write(&format!("{policy}/scaling_max_freq"), "2000000\n");
    let here = machine.sensors().look().power;
    assert_eq!(here.governor, Reading::Value("performance".into()));
    assert_eq!(here.cap_khz.get(), Some(2_000_000));
    machine.runs_on(1);
    let there = machine.sensors().look().power;
    assert_eq!(there.governor, Reading::Value("powersave".into()));
}

#[test]
fn a_setting_that_vanishes_is_named_and_is_no_change() {
    let environment = measured("amd_desktop", 3, "acpi_cpufreq_three_pstates");
    let absent = &environment.after.power.preference;
    let reason = reason(absent);
    assert!(reason.ends_with("/energy_performance_preference does not exist"), "{reason}");
    assert_eq!(environment.power_changes(), ["governor powersave -> schedutil"]);
}

#[test]
fn a_core_event_counts_once_however_many_threads_report_it() {
    let environment = measured("intel_laptop", 0, "throttled");
    assert_eq!(environment.before.throttling.core_events.get(), Some(12 + 9 + 14 + 11));
    assert_eq!(environment.before.throttling.package_events.get(), Some(431));
    assert_eq!(environment.rise(|state| &state.throttling.core_events), Some(7));
    assert_eq!(environment.rise(|state| &state.throttling.core_ms), Some(47));
}

#[test]
fn in_a_later_copy_of_the_files_the_counters_of_an_unplugged_processor_still_stand() {
    let before = FakeMachine::load("processor_unplugged");
    let after = FakeMachine::load("processor_unplugged");
    after.enter("unplugged_and_throttled");
    let sensors = before.sensors();
    let first = sensors.look();
    let environment = Environment::between(first, sensors.copied_to(after.root()).look());
    assert_eq!(environment.rise(|state| &state.throttling.package_events), Some(7));
    assert_eq!(environment.rise(|state| &state.throttling.core_events), Some(0));
    assert_eq!(environment.distrusted, [Tag::Throttled]);
}

#[test]
fn a_kernel_that_keeps_no_times_gives_the_reason() {
    let throttling = measured("intel_laptop", 0, "kernel_before_5_6_counts_only").after.throttling;
    assert_eq!(
        reason(&throttling.package_ms),
        "the kernel keeps no package_throttle_total_time_ms"
    );
    assert_eq!(reason(&throttling.core_ms), "the kernel keeps no core_throttle_total_time_ms");
}

#[test]
fn a_guest_in_which_nothing_happens_has_no_tag() {
    assert_eq!(measured("kvm_guest_nothing", 0, "fine").tags, []);
    assert_eq!(measured("kvm_guest_nothing", 0, "steal").tags, [Tag::Steal]);
}

#[test]
fn the_load_is_read() {
    assert_eq!(before("kvm_guest_nothing", 0).load_milli.get(), Some(80));
    let busy = measured("kvm_guest_nothing", 0, "busy_guest");
    assert_eq!(busy.after.load_milli.get(), Some(6_550));
}

#[test]
fn looks_at_this_machine_follow_each_other_in_time_and_files_have_none() {
    let files = machine("kvm_guest_nothing", 0);
    assert_eq!(files.sensors().look().taken_ms.get(), None);
    let sensors = crate::Sensors::of_this_machine();
    let first = sensors.look().taken_ms.get().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2));
    assert!(sensors.look().taken_ms.get().unwrap() > first);
}

#[test]
fn a_virtual_machine_without_sensors_gives_a_reason_for_each_sensor() {
    let state = before("kvm_guest_nothing", 0);
    assert_eq!(reason(&state.temperature_milli_c), "no processor temperature sensor");
    assert_eq!(reason(&state.critical_milli_c), "no processor temperature sensor");
    assert_eq!(reason(&state.frequency_khz), "the system reports no processor clock");
    assert_eq!(reason(&state.frequency_is_counted), "the system reports no processor clock");
    assert_eq!(reason(&state.core_kind), "all cores are of one kind");
    assert_eq!(reason(&state.throttling.package_events), "no thermal throttle counters");
    assert_eq!(reason(&state.throttling.core_ms), "no thermal throttle counters");
    assert_eq!(reason(&state.throttling.firmware_bits), "no throttle word of a Raspberry Pi");
    assert_eq!(reason(&state.throttling.pressure_level), "not available on Linux");
    assert_eq!(reason(&state.quota.throttled_periods), "no processor quota");
    assert_eq!(reason(&state.on_battery), "no battery");
    assert_eq!(reason(&state.battery_percent), "no battery");
    assert_eq!(reason(&state.power.governor), "the system reports no processor clock");
}

#[test]
fn a_quota_that_is_lifted_counts_nothing() {
    for name in ["container_cgroup1_quota", "container_cgroup2_quota"] {
        let machine = FakeMachine::load(name);
        machine.enter("no_quota");
        let state = machine.sensors().look();
        assert_eq!(reason(&state.quota.throttled_periods), "no processor quota", "{name}");
    }
}

#[test]
fn a_quota_further_up_holds_too() {
    let machine = FakeMachine::load("container_cgroup2_quota");
    machine.write("proc/self/cgroup", "0::/build/job\n");
    machine.write("sys/fs/cgroup/build/job/cpu.max", "50000 100000\n");
    machine.write(
        "sys/fs/cgroup/build/job/cpu.stat",
        "nr_periods 40\nnr_throttled 4\nthrottled_usec 900\n",
    );
    machine.enter("throttled");
    let quota = machine.sensors().look().quota;
    assert_eq!((quota.periods.get(), quota.throttled_periods.get()), (Some(107), Some(4 + 9)));
    assert_eq!(quota.throttled_us.get(), Some(900 + 1_284_010));
    assert_eq!(Quota::discover(&machine.tree()).milli_cpus(), Some(500));
}

#[test]
fn a_controller_that_is_switched_off_has_no_reading() {
    let environment = measured("container_cgroup2_quota", 0, "cpu_controller_off");
    assert!(environment.before.quota.throttled_periods.get().is_some());
    let absent = &environment.after.quota.throttled_periods;
    assert_eq!(reason(absent), "/sys/fs/cgroup/cpu.stat is not understood");
    assert_eq!(environment.tags, []);
}

#[test]
fn a_laptop_that_is_unplugged_reports_the_change_and_its_charge() {
    let environment = measured("intel_laptop", 0, "unplugged_during_run");
    assert_eq!(environment.tags, [Tag::Battery, Tag::PowerChanged]);
    assert_eq!(environment.after.battery_percent.get(), Some(97));
    assert_eq!(
        environment.power_changes(),
        [
            "mains -> battery",
            "energy preference balance_performance -> balance_power",
            "profile balanced -> low-power",
        ]
    );
}
