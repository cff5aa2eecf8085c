//! What no machine should say, and some do.

use super::fake_machine::FakeMachine;
use super::identity::read_identity;
use perftest_core::model::{Environment, MachineState};

/// The damaged contents that every file is given in turn.
const DAMAGE: [&[u8]; 6] = [
    b"",
    b"\n\n\n",
    b"\xff\xfe\x00\x01\x80",
    b"99999999999999999999999999999999",
    b"-1",
    b"cpu  (0: |some total= nr_throttled -",
];

fn laptop() -> FakeMachine {
    let machine = FakeMachine::load("intel_laptop");
    machine.runs_on(0);
    machine
}

/// Adds the files that the fixture has not, from a virtual machine and a container.
fn machine_with_everything() -> (FakeMachine, Vec<String>) {
    let machine = laptop();
    machine.write("proc/self/cgroup", "0::/\n");
    machine.write("proc/self/stat", "7 (test) R 0 0 0 0 0 0 1 0 2 0\n");
    machine.write("proc/self/status", "Cpus_allowed_list:\t0-7\n");
    machine.write(
        "proc/self/task/7/status",
        "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n",
    );
    machine.write("proc/meminfo", "MemTotal:       16107508 kB\n");
    machine.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
    machine.write("sys/fs/cgroup/cpu.stat", "nr_throttled 0\n");
    machine.write("sys/devices/system/cpu/cpu0/cache/index2/size", "1280K\n");
    let guest = FakeMachine::load("kvm_guest_nothing");
    for path in ["proc/stat", "proc/loadavg", "proc/cpuinfo"] {
        machine.write(path, &guest.tree().read(path).unwrap());
    }
    let mut files = machine.files();
    files.extend(
        [
            "proc/self/cgroup",
            "proc/self/stat",
            "proc/self/status",
            "proc/self/task/7/status",
            "proc/thread-self/stat",
            "proc/meminfo",
            "proc/stat",
            "proc/loadavg",
            "proc/cpuinfo",
            "sys/fs/cgroup/cpu.max",
            "sys/fs/cgroup/cpu.stat",
            "sys/devices/system/cpu/cpu0/cache/index2/size",
        ]
        .map(String::from),
    );
    (machine, files)
}

fn absences(state: &MachineState) -> usize {
    let counters = [
        &state.frequency_khz,
        &state.load_milli,
        &state.throttle_events,
        &state.throttle_ms,
        &state.steal_ms,
        &state.busy_ms,
        &state.quota_throttled_periods,
        &state.context_switches,
        &state.major_faults,
        &state.minor_faults,
    ];
    counters.iter().filter(|counter| counter.get().is_none()).count()
        + usize::from(state.temperature_milli_c.get().is_none())
        + usize::from(state.on_battery.get().is_none())
}

#[test]
fn a_machine_with_every_sensor_answers_every_question() {
    let (machine, _) = machine_with_everything();
    let state = machine.sensors().look();
    assert_eq!(absences(&state), 0, "{state:?}");
}

#[test]
fn one_damaged_file_costs_no_more_than_its_own_answers() {
    let (machine, files) = machine_with_everything();
    let sensors = machine.sensors();
    for path in files {
        let content = machine.tree().read(&path).unwrap();
        for damage in DAMAGE {
            machine.write_bytes(&path, damage);
            let known_before = absences(&sensors.look());
            let found_after = absences(&machine.sensors().look());
            // One file answers at most two questions.
            assert!(known_before <= 2, "{path}: {known_before}");
            assert!(found_after <= 2, "{path}: {found_after}");
            assert!(read_identity(&machine.tree()).usable_cpus >= 1, "{path}");
        }
        machine.write(&path, &content);
    }
}

#[test]
fn files_that_vanish_take_their_answers_along_and_nothing_else() {
    let (machine, _) = machine_with_everything();
    let sensors = machine.sensors();
    machine.remove("sys");
    let state = sensors.look();
    assert_eq!(state.load_milli.get(), Some(80));
    assert_eq!(absences(&state), 6, "{state:?}");
    machine.remove("proc");
    assert_eq!(absences(&sensors.look()), 12);
    assert_eq!(absences(&machine.sensors().look()), 12);
}

#[test]
fn a_thread_that_ends_while_it_is_listed_costs_only_its_own_count() {
    let (machine, _) = machine_with_everything();
    machine.write("proc/self/task/8/other", "");
    assert_eq!(machine.sensors().look().context_switches.get(), Some(3));
}

#[test]
fn a_file_without_end_is_read_no_further_than_needed() {
    let machine = laptop();
    machine.link("proc/stat", "/dev/zero");
    machine.write("proc/loadavg", &"1.00 ".repeat(1 << 20));
    let state = machine.sensors().look();
    assert!(state.steal_ms.get().is_none());
    assert_eq!(state.load_milli.get(), Some(1_000));
}

#[test]
fn counters_that_run_backwards_raise_no_tag() {
    let (machine, _) = machine_with_everything();
    let sensors = machine.sensors();
    let before = sensors.look();
    for cpu in 0..8 {
        let directory = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
        for counter in ["core", "package"] {
            machine.write(&format!("{directory}/{counter}_throttle_count"), "0\n");
            machine.write(&format!("{directory}/{counter}_throttle_total_time_ms"), "0\n");
        }
    }
    machine.write("proc/stat", "cpu  1 0 1 1 0 0 0 0 0 0\n");
    let environment = Environment::between(before, sensors.look());
    assert_eq!(environment.tags, []);
    assert_eq!(environment.rise(|state| &state.throttle_events), None);
    assert_eq!(environment.rise(|state| &state.busy_ms), None);
}

#[test]
fn processors_that_are_offline_leave_gaps() {
    let machine = laptop();
    for cpu in [1, 5, 6] {
        machine.remove(&format!("sys/devices/system/cpu/cpu{cpu}"));
    }
    machine.write("sys/devices/system/cpu/online", "0,2-4,7\n");
    let state = machine.sensors().look();
    // Cores 0, 2 and 3, and the package.
    assert_eq!(state.throttle_events.get(), Some(12 + 14 + 11 + 431));
    assert_eq!(read_identity(&machine.tree()).usable_cpus, 5);
}

/// A machine with two packages, 256 cores of two threads each, and every 64th processor offline.
fn machine_with_512_processors() -> FakeMachine {
    let machine = FakeMachine::empty();
    for cpu in (0..512).filter(|cpu| cpu % 64 != 63) {
        let directory = format!("sys/devices/system/cpu/cpu{cpu}");
        let (core, package) = (cpu % 256, cpu % 256 / 128);
        let write = |path: &str, value: u64| {
            machine.write(&format!("{directory}/{path}"), &format!("{value}\n"));
        };
        write("topology/physical_package_id", package);
        machine.write(
            &format!("{directory}/topology/thread_siblings_list"),
            &format!("{core},{}\n", core + 256),
        );
        write("thermal_throttle/core_throttle_count", 1);
        write("thermal_throttle/core_throttle_total_time_ms", 2);
        write("thermal_throttle/package_throttle_count", 100 + package);
        write("thermal_throttle/package_throttle_total_time_ms", 1_000);
    }
    machine
}

#[test]
fn five_hundred_processors_are_grouped_by_core_and_package() {
    let machine = machine_with_512_processors();
    let state = machine.sensors().look();
    // Both threads of four of the 256 cores are offline.
    assert_eq!(state.throttle_events.get(), Some(252 + 100 + 101));
    assert_eq!(state.throttle_ms.get(), Some(2 * 252 + 2 * 1_000));
}

#[test]
#[ignore = "prints how long a look takes; run it alone, in a release build"]
fn how_long_a_look_takes() {
    let laptop = laptop();
    let large = machine_with_512_processors();
    let here = super::Sensors::of_this_machine();
    for (name, sensors) in
        [("this machine", here), ("laptop", laptop.sensors()), ("512 CPUs", large.sensors())]
    {
        let mut times_us: Vec<f64> = (0..200)
            .map(|_| {
                let start = std::time::Instant::now();
                std::hint::black_box(sensors.look());
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times_us.sort_by(f64::total_cmp);
        println!("{name}: median {:.0} us, 95 % {:.0} us", times_us[100], times_us[190]);
    }
}
