//! Follows the copy of a stack from the sampled instruction to its outermost caller.

use super::loaded_files::LoadedFile;
use framehop::{
    CacheNative, ExplicitModuleSectionInfo, Module, UnwindRegsNative, Unwinder, UnwinderNative,
};
use perftest_process::elf::SectionBytes;
use perftest_process::samples::SampledRegisters;

/// Most frames of a stack.
const MOST_FRAMES: usize = 1_024;

/// The return addresses of a stack.
#[derive(Debug, Default)]
pub(super) struct WalkedStack {
    /// An address in the instruction of each frame, the sampled one first.
    pub(super) addresses: Vec<u64>,
    /// Whether the last one has no caller.
    pub(super) is_complete: bool,
}

/// Follows stacks by the unwind tables of the loaded files.
pub(super) struct StackWalker {
    unwinder: UnwinderNative<Vec<u8>, framehop::MayAllocateDuringUnwind>,
    cache: CacheNative<framehop::MayAllocateDuringUnwind>,
}

impl StackWalker {
    /// Takes the unwind tables of these files.
    pub(super) fn new(files: &[LoadedFile]) -> Self {
        let mut unwinder = UnwinderNative::new();
        for file in files {
            let place = |it: &SectionBytes| it.address..it.address + it.bytes.len() as u64;
            let bytes = |it: &SectionBytes| it.bytes.clone();
            let (tables, index) = (file.eh_frame.as_ref(), file.eh_frame_hdr.as_ref());
            let sections = ExplicitModuleSectionInfo {
                base_svma: 0,
                text_svma: Some(place(&file.text)),
                text: Some(bytes(&file.text)),
                eh_frame_svma: tables.map(place),
                eh_frame: tables.map(bytes),
                eh_frame_hdr_svma: index.map(place),
                eh_frame_hdr: index.map(bytes),
                ..Default::default()
            };
            let addresses = file.addresses.clone();
            unwinder.add_module(Module::new(file.name.clone(), addresses, file.bias, sections));
        }
        Self { unwinder, cache: CacheNative::new() }
    }

    /// Follows the stack of these registers. `stack` is a copy of the memory from the stack pointer upwards.
    pub(super) fn walk(&mut self, registers: &SampledRegisters, stack: &[u8]) -> WalkedStack {
        let mut read = |address: u64| {
            let place = usize::try_from(address.wrapping_sub(registers.stack)).map_err(|_| ())?;
            let bytes = stack.get(place..place.checked_add(8).ok_or(())?).ok_or(())?;
            Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| ())?))
        };
        let native = native(registers);
        let mut frames =
            self.unwinder.iter_frames(registers.instruction, native, &mut self.cache, &mut read);
        let mut walked = WalkedStack::default();
        while walked.addresses.len() < MOST_FRAMES {
            match frames.next() {
                Ok(Some(frame)) => walked.addresses.push(frame.address_for_lookup()),
                Ok(None) => {
                    walked.is_complete = true;
                    break;
                }
                Err(_) => break,
            }
        }
        walked
    }
}

#[cfg(target_arch = "x86_64")]
fn native(registers: &SampledRegisters) -> UnwindRegsNative {
    UnwindRegsNative::new(registers.instruction, registers.stack, registers.frame)
}

#[cfg(target_arch = "aarch64")]
fn native(registers: &SampledRegisters) -> UnwindRegsNative {
    aarch64(registers)
}

/// The registers of AArch64. A return address may be signed, with a code in the bits above those of an address: functions
/// of the C library of many distributions do so. Addresses of a program have 48 bits, unless it asks the kernel for more.
#[cfg(any(test, target_arch = "aarch64"))]
fn aarch64(registers: &SampledRegisters) -> framehop::aarch64::UnwindRegsAarch64 {
    use framehop::aarch64::{PtrAuthMask, UnwindRegsAarch64};
    let mask = PtrAuthMask::from_max_known_address(0xffff_ffff_ffff);
    UnwindRegsAarch64::new_with_ptr_auth_mask(
        mask,
        registers.link,
        registers.stack,
        registers.frame,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use framehop::MayAllocateDuringUnwind;
    use framehop::aarch64::{CacheAarch64, UnwinderAarch64};

    #[test]
    fn a_signed_return_address_is_followed_without_its_code() {
        let signed = |address: u64| address | (0x5f << 48);
        // Frame pointers and return addresses, from the stack pointer upwards.
        let stack = [0x7010, signed(0xaaaa_0000_2000), 0x7020, signed(0xaaaa_0000_3000), 0, 0];
        let registers = SampledRegisters {
            instruction: 0xaaaa_0000_1000,
            stack: 0x7000,
            frame: 0x7000,
            link: signed(0xaaaa_0000_2000),
            result: 0,
        };
        let unwinder: UnwinderAarch64<Vec<u8>, MayAllocateDuringUnwind> = UnwinderAarch64::new();
        let mut cache = CacheAarch64::<MayAllocateDuringUnwind>::new();
        let mut read = |address: u64| stack.get((address - 0x7000) as usize / 8).copied().ok_or(());
        let native = aarch64(&registers);
        assert_eq!(native.lr(), 0xaaaa_0000_2000);
        let mut frames = unwinder.iter_frames(registers.instruction, native, &mut cache, &mut read);
        let mut addresses = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            addresses.push(frame.address());
        }
        assert_eq!(addresses, [0xaaaa_0000_1000, 0xaaaa_0000_2000, 0xaaaa_0000_3000]);
    }
}
