//! The identity of a machine, read from its files.

use super::allowed_cpus;
use super::core_kind::CoreKinds;
use super::cpuinfo::{self, CpuInfo};
use super::hypervisor;
use super::quota::Quota;
use super::supply::Supplies;
use super::tree::{Tree, number};
use crate::identity::{MachineIdentity, tidy, tidy_cpu_model};

/// Reads the identity of the machine whose files are in the tree. Unreadable features are left out.
pub(crate) fn read_identity(tree: &Tree) -> MachineIdentity {
    let cpuinfo = tree.read("proc/cpuinfo").unwrap_or_default();
    let cpu = CpuInfo::parse(&cpuinfo);
    let board = || tree.read("proc/device-tree/model").ok();
    let cpu_model = cpu.name.clone().or_else(board).and_then(|name| tidy_cpu_model(&name));
    let quota_milli_cpus = Quota::discover(tree).milli_cpus();
    let allowed_cpus = count_allowed_cpus(tree);
    MachineIdentity {
        architecture: std::env::consts::ARCH,
        os: std::env::consts::OS,
        cpu_vendor: cpu.vendor.as_deref().and_then(tidy),
        cpu_family: cpu.family,
        cpu_model_number: cpu.model,
        cpu_stepping: cpu.stepping,
        cpu_model: cpu_model.unwrap_or_else(|| "unknown".into()),
        usable_cpus: within_quota(allowed_cpus, quota_milli_cpus),
        allowed_cpus,
        quota_milli_cpus,
        core_kinds: CoreKinds::discover(tree).describe(&cpuinfo::parse_parts(&cpuinfo)),
        l2_kib: cache_kib(tree, 2),
        l3_kib: cache_kib(tree, 3),
        numa_nodes: numa_nodes(tree),
        hypervisor: hypervisor::read(tree, &cpu),
        on_battery: Supplies::discover(tree).read_on_battery(tree).unwrap_or(false),
    }
}

/// Processors that are online and allowed to this process, at least one.
fn count_allowed_cpus(tree: &Tree) -> u32 {
    let count = match allowed_cpus::read(tree) {
        Some(cpus) => cpus.len(),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

/// As many processors as the quota has room for, rounded up, at least one.
fn within_quota(cpus: u32, quota_milli_cpus: Option<u64>) -> u32 {
    let quota = quota_milli_cpus.map_or(u64::MAX, |milli_cpus| milli_cpus.div_ceil(1000));
    u32::try_from(quota).unwrap_or(u32::MAX).clamp(1, cpus)
}

/// Size of a cache of the first processor, KiB. The levels above the first hold instructions and
/// data alike.
fn cache_kib(tree: &Tree, level: u32) -> Option<u64> {
    let (_, cpu) = tree.numbered("sys/devices/system/cpu", "cpu", "").into_iter().next()?;
    let caches = tree.numbered(cpu.join("cache"), "index", "");
    caches.into_iter().find_map(|(index, cache)| {
        // Some virtual machines hide the level. From the second level on, the entry's number is
        // the level.
        let its_level = tree.parse(cache.join("level"), number).unwrap_or(index);
        tree.parse(cache.join("size"), parse_kib).ok().filter(|_| its_level == level)
    })
}

/// A cache size: `32768K`, or `32M`.
fn parse_kib(text: &str) -> Option<u64> {
    let text = text.trim();
    let mebibytes = |text: &str| number::<u64>(text)?.checked_mul(1024);
    text.strip_suffix('K').and_then(number).or_else(|| mebibytes(text.strip_suffix('M')?))
}

/// Memory nodes; `None` on a kernel without NUMA support.
fn numa_nodes(tree: &Tree) -> Option<u32> {
    let nodes = tree.numbered("sys/devices/system/node", "node", "").len();
    u32::try_from(nodes).ok().filter(|nodes| *nodes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    #[test]
    fn a_virtual_machine_is_known_by_its_processor_and_caches() {
        let machine = FakeMachine::load("kvm_guest_nothing");
        machine.write("proc/device-tree/model", "a board with a name of its own\0");
        machine.write("sys/devices/system/node/node0/cpulist", "0-1\n");
        machine.write("sys/devices/system/node/online", "0\n");
        machine.write("sys/devices/system/cpu/cpu0/cache/index2/size", "1024K\n");
        machine.write("sys/devices/system/cpu/cpu0/cache/index2/level", "2\n");
        let identity = read_identity(&machine.tree());
        let cpu = (identity.cpu_family, identity.cpu_model_number, identity.cpu_stepping);
        assert_eq!((identity.cpu_model.as_str(), cpu), ("AMD EPYC", (Some(26), Some(2), Some(1))));
        assert_eq!((identity.l2_kib, identity.l3_kib), (Some(1_024), Some(32_768)));
        assert_eq!((identity.usable_cpus, identity.quota_milli_cpus), (2, None));
        assert_eq!(identity.cpu_vendor.as_deref(), Some("AuthenticAMD"));
        assert_eq!((identity.numa_nodes, identity.core_kinds), (Some(1), None));
        assert_eq!((identity.hypervisor.as_deref(), identity.on_battery), (Some("yes"), false));
    }

    #[test]
    fn clock_kernel_and_host_name_leave_the_fingerprint_alone() {
        let machine = FakeMachine::load("kvm_guest_nothing");
        let fingerprint = || read_identity(&machine.tree()).fingerprint_text();
        let before = fingerprint();
        let cpuinfo = machine.tree().read("proc/cpuinfo").unwrap();
        let later = cpuinfo.replace("2596.120", "3100.000").replace("5192.24", "6200.00");
        assert_ne!(cpuinfo, later);
        machine.write("proc/cpuinfo", &later.replace("0x1000065", "0x1000066"));
        machine.write("proc/sys/kernel/osrelease", "9.9.9\n");
        machine.write("proc/sys/kernel/hostname", "elsewhere\n");
        assert_eq!(fingerprint(), before);
    }

    #[test]
    fn the_kinds_of_cores_and_the_power_source_are_reported() {
        let hybrid = read_identity(&FakeMachine::load("intel_hybrid").tree());
        assert_eq!(hybrid.core_kinds.as_deref(), Some("P4+E8"));
        let laptop = FakeMachine::load("intel_laptop");
        let fingerprint = || read_identity(&laptop.tree()).fingerprint_text();
        assert!(fingerprint().ends_with("|power=mains"));
        laptop.enter("unplugged_during_run");
        assert!(fingerprint().ends_with("|power=battery"));
    }

    #[test]
    fn a_board_has_implementer_and_part_of_each_kind() {
        let machine = FakeMachine::load("raspberry_pi4");
        let mut cpuinfo = String::new();
        for (cpu, part, capacity) in [(0, "0xd05", 446), (1, "0xd05", 446), (2, "0xd0b", 1024)] {
            cpuinfo += &format!(
                "processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU variant\t: 0x1\n\
                 CPU part\t: {part}\nCPU revision\t: 0\n\n"
            );
            let file = format!("sys/devices/system/cpu/cpu{cpu}/cpu_capacity");
            machine.write(&file, &format!("{capacity}\n"));
        }
        machine.write("proc/cpuinfo", &cpuinfo);
        let kinds = read_identity(&machine.tree()).core_kinds;
        assert_eq!(kinds.as_deref(), Some("P1(0x41/0xd0b)+E2(0x41/0xd05)"));
    }

    #[test]
    fn a_quota_bounds_the_usable_processors_and_not_how_many_work_at_a_time() {
        let usable = |name| {
            let identity = read_identity(&FakeMachine::load(name).tree());
            (identity.usable_cpus, identity.allowed_cpus, identity.quota_milli_cpus)
        };
        assert_eq!(usable("container_cgroup2_quota"), (2, 32, Some(2_000)));
        assert_eq!(usable("container_cgroup1_quota"), (1, 2, Some(300)));
    }

    #[test]
    fn only_processors_that_are_online_and_allowed_are_usable() {
        let machine = FakeMachine::load("intel_laptop");
        machine.write("sys/devices/system/cpu/online", "0-3,6-7\n");
        machine.write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t2-127\n");
        assert_eq!(read_identity(&machine.tree()).usable_cpus, 4);
    }

    #[test]
    fn a_board_without_a_processor_name_lends_its_own() {
        let identity = read_identity(&FakeMachine::load("raspberry_pi4").tree());
        assert_eq!(identity.cpu_model, "Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!((identity.usable_cpus, identity.hypervisor), (4, None));
    }

    #[test]
    fn an_empty_machine_still_has_an_identity() {
        let identity = read_identity(&FakeMachine::empty().tree());
        assert_eq!((identity.cpu_model.as_str(), identity.l3_kib), ("unknown", None));
        assert!(identity.usable_cpus >= 1);
    }

    #[test]
    fn cache_sizes_have_a_unit() {
        assert_eq!(parse_kib("1280K\n"), Some(1_280));
        assert_eq!(parse_kib("12M\n"), Some(12_288));
        assert_eq!(parse_kib("12\n"), None);
    }
}
