//! Detection of a hypervisor by the `cpuid` instruction.
#![allow(unsafe_code)]

use crate::identity::tidy;
use std::arch::x86_64::{__cpuid, CpuidResult};

const FEATURES: u32 = 1;
/// Set by hypervisors for their guests, never by a processor.
const HYPERVISOR_BIT_ECX: u32 = 1 << 31;
const HYPERVISOR_VENDOR: u32 = 0x4000_0000;

/// Returns the hypervisor's vendor (`KVMKVMKVM`), `yes` when the vendor is empty, `none` outside a
/// virtual machine.
pub(crate) fn hypervisor() -> String {
    if leaf(FEATURES).ecx & HYPERVISOR_BIT_ECX == 0 {
        return "none".into();
    }
    let vendor = leaf(HYPERVISOR_VENDOR);
    let letters = [vendor.ebx, vendor.ecx, vendor.edx].map(u32::to_le_bytes).concat();
    tidy(&String::from_utf8_lossy(&letters)).unwrap_or_else(|| "yes".into())
}

// Newer compilers know that the call is safe and call the block unused.
#[allow(unused_unsafe)]
fn leaf(number: u32) -> CpuidResult {
    // SAFETY: every x86-64 processor has the instruction, and it touches no memory.
    unsafe { __cpuid(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_and_the_kernel_agree_on_being_a_guest() {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let is_guest = cpuinfo.split_whitespace().any(|word| word == "hypervisor");
        assert_eq!(hypervisor() != "none", is_guest);
    }
}
