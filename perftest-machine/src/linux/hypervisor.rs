//! The hypervisor round a virtual machine.

use super::cpuinfo::CpuInfo;
use super::tree::Tree;
use crate::identity::tidy;

/// Makers of nothing but virtual machines. Others sell computers too under the same name.
const VIRTUAL_VENDORS: [&str; 4] = ["QEMU", "VMware, Inc.", "innotek GmbH", "Xen"];

/// Its vendor, `yes` when it does not say which, `none` outside a virtual machine; `None` when
/// nothing tells. The processor is asked only on the machine this runs on.
pub(super) fn read(tree: &Tree, cpu: &CpuInfo) -> Option<String> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    if tree.root() == std::path::Path::new("/") {
        return Some(crate::cpuid::hypervisor());
    }
    by_files(tree, cpu)
}

fn by_files(tree: &Tree, cpu: &CpuInfo) -> Option<String> {
    let text = |path: &str| tree.read(path).ok().and_then(|text| tidy(&text));
    let kind = || text("sys/hypervisor/type");
    let vendor = || {
        let vendor = text("sys/class/dmi/id/sys_vendor")?;
        VIRTUAL_VENDORS.contains(&vendor.as_str()).then_some(vendor)
    };
    let node = || tree.has("proc/device-tree/hypervisor").then(|| "yes".to_owned());
    match cpu.hypervisor {
        Some(true) => Some("yes".into()),
        flag => kind().or_else(vendor).or_else(node).or(flag.map(|_| "none".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::fake_machine::FakeMachine;

    fn hypervisor(flag: Option<bool>, files: &[(&str, &str)]) -> Option<String> {
        let machine = FakeMachine::empty();
        files.iter().for_each(|(path, content)| machine.write(path, content));
        read(&machine.tree(), &CpuInfo { hypervisor: flag, ..CpuInfo::default() })
    }

    #[test]
    fn the_flag_of_the_processor_tells_both_ways() {
        assert_eq!(hypervisor(Some(true), &[]).as_deref(), Some("yes"));
        assert_eq!(hypervisor(Some(false), &[]).as_deref(), Some("none"));
        assert_eq!(hypervisor(None, &[]), None);
    }

    #[test]
    fn files_tell_where_there_is_no_flag() {
        let told = |path, content| hypervisor(None, &[(path, content)]);
        assert_eq!(told("sys/hypervisor/type", "xen\n").as_deref(), Some("xen"));
        assert_eq!(told("sys/class/dmi/id/sys_vendor", "QEMU\n").as_deref(), Some("QEMU"));
        assert_eq!(told("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"), None);
        assert_eq!(told("proc/device-tree/hypervisor/name", "x").as_deref(), Some("yes"));
        assert_eq!(told("sys/hypervisor/type", "\n"), None);
    }
}
