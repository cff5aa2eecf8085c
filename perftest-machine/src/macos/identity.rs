//! The part of a machine's identity that comes from the kernel of macOS.

use crate::identity::MachineIdentity;
use std::ffi::CStr;

/// Adds the kernel's numbers to the identity. The caches are those of the performance cores, because
/// the caches of an Apple processor differ by the kind of core.
pub(super) fn with_numbers(
    identity: MachineIdentity,
    number: impl Fn(&CStr) -> Option<u64>,
) -> MachineIdentity {
    let small = |name| number(name).and_then(|number| u32::try_from(number).ok());
    let kib = |performance, all| number(performance).or_else(|| number(all)).map(|size| size >> 10);
    let is_guest = number(c"kern.hv_vmm_present").map(|present| present != 0);
    MachineIdentity {
        cpu_family: small(c"machdep.cpu.family"),
        cpu_model_number: small(c"machdep.cpu.model"),
        cpu_stepping: small(c"machdep.cpu.stepping"),
        core_kinds: core_kinds(&number),
        l2_kib: kib(c"hw.perflevel0.l2cachesize", c"hw.l2cachesize"),
        l3_kib: kib(c"hw.perflevel0.l3cachesize", c"hw.l3cachesize"),
        hypervisor: is_guest.map(|is_guest| if is_guest { "yes" } else { "none" }.into()),
        ..identity
    }
}

/// `P4+E8` on a processor with two kinds of core.
fn core_kinds(number: impl Fn(&CStr) -> Option<u64>) -> Option<String> {
    number(c"hw.nperflevels").filter(|levels| *levels == 2)?;
    let performance = number(c"hw.perflevel0.logicalcpu")?;
    let efficiency = number(c"hw.perflevel1.logicalcpu")?;
    Some(format!("P{performance}+E{efficiency}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::identity_by_sysinfo;

    fn identity(numbers: &[(&CStr, u64)]) -> MachineIdentity {
        let number = |name: &CStr| numbers.iter().find(|(known, _)| *known == name).map(|it| it.1);
        with_numbers(identity_by_sysinfo(), number)
    }

    #[test]
    fn an_apple_processor_has_its_kinds_of_core_and_the_cache_of_the_large_ones() {
        let identity = identity(&[
            (c"hw.nperflevels", 2),
            (c"hw.perflevel0.logicalcpu", 8),
            (c"hw.perflevel1.logicalcpu", 2),
            (c"hw.perflevel0.l2cachesize", 12 << 20),
            (c"hw.l2cachesize", 4 << 20),
            (c"kern.hv_vmm_present", 0),
        ]);
        assert_eq!(identity.core_kinds.as_deref(), Some("P8+E2"));
        assert_eq!((identity.l2_kib, identity.l3_kib), (Some(12 << 10), None));
        assert_eq!(identity.hypervisor.as_deref(), Some("none"));
        assert_eq!(identity.cpu_family, None);
    }

    #[test]
    fn an_intel_processor_has_its_numbers_and_one_kind_of_core() {
        let identity = identity(&[
            (c"machdep.cpu.family", 6),
            (c"machdep.cpu.model", 158),
            (c"machdep.cpu.stepping", 13),
            (c"hw.l2cachesize", 256 << 10),
            (c"hw.l3cachesize", 16 << 20),
            (c"hw.nperflevels", 1),
            (c"hw.perflevel0.logicalcpu", 16),
            (c"kern.hv_vmm_present", 1),
        ]);
        let numbers = [identity.cpu_family, identity.cpu_model_number, identity.cpu_stepping];
        assert_eq!(numbers, [Some(6), Some(158), Some(13)]);
        assert_eq!((identity.l2_kib, identity.l3_kib), (Some(256), Some(16 << 10)));
        assert_eq!(identity.core_kinds, None);
        assert_eq!(identity.hypervisor.as_deref(), Some("yes"));
    }

    #[test]
    fn a_kernel_without_a_number_leaves_the_identity_as_it_is() {
        assert_eq!(identity(&[]), identity_by_sysinfo());
    }
}
