//! What no machine should say, and some do.

use super::epoch::read_epoch;
use super::fake_machine::FakeMachine;
use super::identity::read_identity;
use perftest_core::model::{Environment, MachineState, Reading, Tag};

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

/// What the laptop has not, from a board, a virtual machine and a container.
const MORE_FILES: [(&str, &str); 18] = [
    ("proc/self/cgroup", "0::/\n"),
    ("proc/self/stat", "7 (test) R 0 0 0 0 0 0 1 0 2 0\n"),
    ("proc/self/status", "Cpus_allowed_list:\t0-7\n"),
    ("proc/self/task/7/status", "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n"),
    ("proc/stat", "cpu  124522 0 20425 108931 331 0 135 582 0 0\n"),
    ("proc/loadavg", "0.08 0.11 0.09 1/104 24892\n"),
    ("proc/vmstat", "pswpin 1\npswpout 2\n"),
    ("proc/pressure/cpu", "some avg10=0.00 total=1\n"),
    ("proc/pressure/memory", "some avg10=0.00 total=2\n"),
    ("proc/pressure/io", "some avg10=0.00 total=3\n"),
    ("proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nmicrocode\t: 0x1\n\n"),
    ("proc/sys/kernel/osrelease", "6.18.4\n"),
    ("sys/fs/cgroup/cpu.max", "200000 100000\n"),
    ("sys/fs/cgroup/cpu.stat", "nr_periods 1\nnr_throttled 0\nthrottled_usec 0\n"),
    ("sys/devices/system/cpu/cpu0/cache/index2/size", "1280K\n"),
    ("sys/devices/cpu_core/cpus", "0-3\n"),
    ("sys/devices/cpu_atom/cpus", "4-7\n"),
    ("sys/devices/platform/soc/soc:firmware/get_throttled", "0\n"),
];

/// A machine that answers every question, and the names of its files.
fn machine_with_everything() -> (FakeMachine, Vec<String>) {
    let machine = laptop();
    let mut files = machine.files();
    // Nothing reads the energy, and not everybody may; the processors from the third on are read
    // like the first two.
    let is_further = |path: &String| {
        (2..8).any(|cpu| {
            path.contains(&format!("/cpu{cpu}/")) || path.contains(&format!("/policy{cpu}/"))
        })
    };
    files.retain(|path| !path.ends_with("/energy_uj") && !is_further(path));
    for (path, content) in MORE_FILES {
        machine.write(path, content);
        files.push(path.into());
    }
    files.push(THREAD.into());
    (machine, files)
}

const THREAD: &str = "proc/thread-self/stat";

/// How many questions of those that Linux can answer are not.
fn absences(state: &MachineState) -> usize {
    let MachineState { throttling, quota, pressure, power, .. } = state;
    let counters = [
        &state.frequency_khz,
        &throttling.package_events,
        &throttling.package_ms,
        &throttling.core_events,
        &throttling.core_ms,
        &throttling.firmware_bits,
        &state.load_milli,
        &state.steal_ms,
        &state.busy_ms,
        &quota.periods,
        &quota.throttled_periods,
        &quota.throttled_us,
        &pressure.cpu_us,
        &pressure.memory_us,
        &pressure.io_us,
        &state.swapped_pages,
        &state.context_switches,
        &state.major_faults,
        &state.minor_faults,
        &state.battery_percent,
        &power.cap_khz,
        &power.hardware_khz,
    ];
    let switches = [&state.frequency_is_counted, &state.on_battery, &power.boost];
    let words = [&power.governor, &power.preference, &power.profile];
    counters.iter().filter(|reading| is_absent(reading)).count()
        + switches.iter().filter(|reading| is_absent(reading)).count()
        + words.iter().filter(|reading| is_absent(reading)).count()
        + usize::from(is_absent(&state.temperature_milli_c))
        + usize::from(is_absent(&state.critical_milli_c))
        + usize::from(is_absent(&state.core_kind))
}

fn is_absent<T>(reading: &Reading<T>) -> bool {
    match reading {
        Reading::Value(_) => false,
        Reading::Absent(reason) => {
            assert!(!reason.is_empty(), "an absence without a reason");
            true
        }
    }
}

/// The most questions that a file answers.
fn answers_of(path: &str) -> usize {
    match path {
        // Which processor it is: its clock, its kind, and four of its settings.
        THREAD => 6,
        _ => 3,
    }
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
            assert!(known_before <= answers_of(&path), "{path}: {known_before}");
            assert!(found_after <= answers_of(&path), "{path}: {found_after}");
            assert!(read_identity(&machine.tree()).usable_cpus >= 1, "{path}");
            assert!(!format!("{:?}", read_epoch(&machine.tree())).is_empty(), "{path}");
        }
        machine.write(&path, &content);
    }
    assert_eq!(absences(&sensors.look()), 0);
}

#[test]
fn a_file_that_vanishes_after_it_was_found_costs_no_more_than_its_own_answers() {
    let (machine, files) = machine_with_everything();
    let sensors = machine.sensors();
    for path in files {
        let content = machine.tree().read(&path).unwrap();
        machine.remove(&path);
        let absences = absences(&sensors.look());
        assert!(absences <= answers_of(&path), "{path}: {absences}");
        machine.write(&path, &content);
    }
}

#[test]
fn directories_that_vanish_take_their_answers_along_and_nothing_else() {
    let (machine, _) = machine_with_everything();
    let sensors = machine.sensors();
    machine.remove("sys");
    let state = sensors.look();
    assert_eq!(state.load_milli.get(), Some(80));
    // The driver and the kinds of core are known, and the limit falls with its sensor.
    assert_eq!(absences(&state), 19, "{state:?}");
    machine.remove("proc");
    // Left is whether the clock is counted.
    assert_eq!(absences(&sensors.look()), 30);
    assert_eq!(absences(&machine.sensors().look()), 31);
}

#[test]
fn a_file_that_may_not_be_read_is_named_with_that_reason() {
    let (machine, _) = machine_with_everything();
    let files = ["sys/class/hwmon/hwmon5/temp1_input", "proc/pressure/cpu", "proc/loadavg"];
    for path in files {
        machine.remove(path);
        // Not even the administrator may read this one.
        machine.link(path, "/proc/sys/vm/compact_memory");
    }
    let state = machine.sensors().look();
    let absent = |path| format!("/{path} may not be read");
    // Another sensor answers.
    assert_eq!(state.temperature_milli_c.get(), Some(61_000));
    assert_eq!(state.pressure.cpu_us, Reading::absent(absent(files[1])));
    assert_eq!(state.load_milli, Reading::absent(absent(files[2])));
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
    machine.write("proc/vmstat", "pswpin 0\npswpout 0\n");
    machine.write("proc/pressure/cpu", "some avg10=0.00 total=0\n");
    machine.write("sys/fs/cgroup/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
    let environment = Environment::between(before, sensors.look());
    assert_eq!(environment.tags, []);
    assert_eq!(environment.rise(|state| &state.throttling.core_ms), Some(0));
    let counters: [fn(&MachineState) -> &Reading<u64>; 6] = [
        |state| &state.throttling.package_events,
        |state| &state.throttling.core_events,
        |state| &state.busy_ms,
        |state| &state.swapped_pages,
        |state| &state.pressure.cpu_us,
        |state| &state.quota.periods,
    ];
    assert_eq!(counters.map(|counter| environment.rise(counter)), [None; 6]);
}

#[test]
fn counters_that_stand_still_claim_nothing() {
    let (machine, _) = machine_with_everything();
    let sensors = machine.sensors();
    let environment = Environment::between(sensors.look(), sensors.look());
    assert_eq!((environment.tags.as_slice(), environment.throttled()), (&[][..], Some(false)));
    assert_eq!(environment.rise(|state| &state.busy_ms), Some(0));
}

#[test]
fn processors_that_go_offline_between_two_looks_throttle_nothing() {
    let machine = laptop();
    let sensors = machine.sensors();
    let before = sensors.look();
    for cpu in [4, 5, 6, 7] {
        machine.remove(&format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle"));
    }
    let environment = Environment::between(before, sensors.look());
    assert_eq!(environment.throttle_events(), Some(0));
    assert_eq!(environment.throttle_ms(), Some(0));
}

#[test]
fn processors_that_are_offline_leave_gaps() {
    let machine = laptop();
    for cpu in [1, 5, 6] {
        machine.remove(&format!("sys/devices/system/cpu/cpu{cpu}"));
    }
    machine.write("sys/devices/system/cpu/online", "0,2-4,7\n");
    let state = machine.sensors().look();
    // Cores 0, 2 and 3.
    assert_eq!(state.throttling.core_events.get(), Some(12 + 14 + 11));
    assert_eq!(state.throttling.package_events.get(), Some(431));
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
    assert_eq!(state.throttling.core_events.get(), Some(252));
    assert_eq!(state.throttling.package_events.get(), Some(100 + 101));
}

#[test]
fn cores_that_are_throttled_at_once_lose_the_time_of_one() {
    let machine = machine_with_512_processors();
    let sensors = machine.sensors();
    let before = sensors.look();
    let add = |cpus: std::ops::Range<u32>, ms: u64| {
        for cpu in cpus {
            let directory = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
            machine.write(&format!("{directory}/core_throttle_total_time_ms"), &format!("{ms}\n"));
        }
    };
    // One tick of the kernel on each.
    add(0..32, 2 + 4);
    let spikes = Environment::between(before.clone(), sensors.look());
    assert_eq!((spikes.throttle_ms(), spikes.tags.as_slice()), (Some(4), &[][..]));
    add(32..33, 2 + 6);
    let throttled = Environment::between(before, sensors.look());
    assert_eq!(throttled.throttle_ms(), Some(4 + 6), "no two at once");
    assert_eq!(throttled.distrusted, [Tag::Throttled]);
}

#[test]
fn a_package_that_this_process_may_not_use_throttles_nothing_of_it() {
    let machine = machine_with_512_processors();
    machine.write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-7\n");
    let sensors = machine.sensors();
    let before = sensors.look();
    assert_eq!(before.throttling.package_events.get(), Some(100));
    let throttle = |cpu: u32| {
        let directory = format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle");
        machine.write(&format!("{directory}/package_throttle_count"), "150\n");
        machine.write(&format!("{directory}/package_throttle_total_time_ms"), "1500\n");
    };
    throttle(128);
    let elsewhere = Environment::between(before.clone(), sensors.look());
    assert_eq!((elsewhere.throttle_events(), elsewhere.tags.as_slice()), (Some(0), &[][..]));
    // The hardware counts an event of a package on each of its processors, also on those of others.
    throttle(100);
    let here = Environment::between(before, sensors.look());
    assert_eq!((here.throttle_events(), here.throttle_ms()), (Some(50), Some(500)));
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
        println!("{name}: median {:.0} us, 95% {:.0} us", times_us[100], times_us[190]);
    }
}
