//! Detection of the hypervisor around a virtual machine.

use super::cpuinfo::CpuInfo;
use super::tree::Tree;
use crate::identity::tidy;
use perftest_core::text::Text;

/// Prefixes of vendors that make only virtual machines. Other vendors also sell computers:
/// [`VIRTUAL_PRODUCTS`] distinguishes their products.
const VIRTUAL_VENDORS: [&str; 14] = [
    "QEMU",
    "VMware",
    "innotek GmbH",
    "Xen",
    "KubeVirt",
    "OpenStack",
    "Parallels",
    "BHYVE",
    "Bochs",
    "Amazon EC2",
    "Alibaba Cloud",
    "Tencent Cloud",
    "DigitalOcean",
    "Hetzner",
];
/// Prefixes of product names of virtual machines.
const VIRTUAL_PRODUCTS: [&str; 9] = [
    "KVM",
    "Virtual Machine",
    "VirtualBox",
    "VMware",
    "Google Compute Engine",
    "Apple Virtualization",
    "Standard PC (",
    "OpenStack",
    "vServer",
];

/// Returns the vendor, `yes` when the vendor is unknown, `none` outside a virtual machine; `None` when
/// no source reports it. Only the machine this runs on executes `cpuid`.
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
    let vendor = || by_dmi(text("sys/class/dmi/id/sys_vendor")?, text(PRODUCT));
    let node = || tree.has("proc/device-tree/hypervisor").then(|| "yes".to_owned());
    match cpu.hypervisor {
        Some(true) => Some("yes".into()),
        flag => kind().or_else(vendor).or_else(node).or(flag.map(|_| "none".into())),
    }
}

const PRODUCT: &str = "sys/class/dmi/id/product_name";

/// Returns the vendor if the product is a virtual machine. Clouds also rent bare metal: Amazon's
/// products are named like `m7g.metal`, Alibaba's like `ecs.ebmg7`.
fn by_dmi(vendor: String, product: Option<String>) -> Option<String> {
    let product = product.unwrap_or_default();
    let is_whole_computer = product.has("metal") || product.has(".ebm");
    let begins = |name: &str, beginnings: &[&str]| beginnings.iter().any(|it| name.starts_with(it));
    let is_virtual = begins(&vendor, &VIRTUAL_VENDORS) || begins(&product, &VIRTUAL_PRODUCTS);
    (is_virtual && !is_whole_computer).then_some(vendor)
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
    fn the_flag_of_the_processor_decides_both_ways() {
        assert_eq!(hypervisor(Some(true), &[]).as_deref(), Some("yes"));
        assert_eq!(hypervisor(Some(false), &[]).as_deref(), Some("none"));
        assert_eq!(hypervisor(None, &[]), None);
    }

    #[test]
    fn files_tell_where_there_is_no_flag() {
        let detected = |path, content| hypervisor(None, &[(path, content)]);
        assert_eq!(detected("sys/hypervisor/type", "xen\n").as_deref(), Some("xen"));
        assert_eq!(detected("sys/class/dmi/id/sys_vendor", "QEMU\n").as_deref(), Some("QEMU"));
        assert_eq!(detected("sys/class/dmi/id/sys_vendor", "Dell Inc.\n"), None);
        assert_eq!(detected("proc/device-tree/hypervisor/name", "x").as_deref(), Some("yes"));
        assert_eq!(detected("sys/hypervisor/type", "\n"), None);
    }

    #[test]
    fn the_virtual_machines_of_a_cloud_are_distinguished_from_the_computers_it_rents() {
        let of = |vendor, product| {
            let files = [("sys/class/dmi/id/sys_vendor", vendor), (PRODUCT, product)];
            hypervisor(None, &files)
        };
        for (vendor, product) in [
            ("Amazon EC2", "m7g.large"),
            ("Microsoft Corporation", "Virtual Machine"),
            ("Google", "Google Compute Engine"),
            ("Apple Inc.", "Apple Virtualization Generic Platform"),
            ("Red Hat", "KVM"),
        ] {
            assert_eq!(of(vendor, product).as_deref(), Some(vendor), "{product}");
        }
        for (vendor, product) in [
            ("Amazon EC2", "m7g.metal"),
            ("Amazon EC2", "m7g.metal-48xl"),
            ("Alibaba Cloud", "ecs.ebmg7"),
            ("Microsoft Corporation", "Surface Laptop"),
            ("Apple Inc.", "MacBookPro11,1"),
        ] {
            assert_eq!(of(vendor, product), None, "{product}");
        }
    }
}
