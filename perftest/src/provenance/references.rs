//! Which addresses a function's machine code names.
//!
//! No disassembly: the bytes are searched for the few instructions that name code, tables of
//! functions and the slots through which other crates are called. A pattern that is met by
//! accident names a random address, which is hardly ever the start of a function.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (CALL, JMP,
//! MOV, LEA, ModR/M); Arm Architecture Reference Manual (B, BL, ADRP, ADD, LDR).

/// An architecture whose code can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Architecture {
    X86_64,
    Aarch64,
}

impl Architecture {
    /// Of an ELF file's `e_machine`.
    pub(super) fn of_elf(machine: usize) -> Option<Self> {
        match machine {
            62 => Some(Self::X86_64),
            183 => Some(Self::Aarch64),
            _ => None,
        }
    }

    /// The addresses that `code`, which begins at `address`, refers to relative to itself.
    pub(super) fn references(self, code: &[u8], address: u64) -> Vec<u64> {
        match self {
            Self::X86_64 => x86_64(code, address),
            Self::Aarch64 => aarch64(code, address),
        }
    }
}

fn x86_64(code: &[u8], address: u64) -> Vec<u64> {
    let mut references = Vec::new();
    for (index, opcode) in code.windows(6).enumerate() {
        let displacement_at = match (opcode[0], opcode[1]) {
            // CALL and JMP to an address.
            (0xe8 | 0xe9, _) => 1,
            // CALL and JMP through a slot.
            (0xff, 0x15 | 0x25) => 2,
            // MOV from a slot and LEA of an address relative to the next instruction, into
            // whatever register.
            (0x8b | 0x8d, modrm) if modrm & 0xc7 == 0x05 => 2,
            _ => continue,
        };
        references.extend(relative(opcode, displacement_at, address + index as u64));
    }
    // A last CALL or JMP is one byte shorter than the rest.
    if let Some(last @ [0xe8 | 0xe9, ..]) = code.last_chunk::<5>() {
        references.extend(relative(last, 1, address + code.len() as u64 - 5));
    }
    references
}

/// The address that 32 bits at `index` of an instruction name, counted from behind them.
fn relative(instruction: &[u8], index: usize, address: u64) -> Option<u64> {
    let displacement = i32::from_le_bytes(*instruction.get(index..)?.first_chunk()?);
    let behind = address.wrapping_add(index as u64 + 4);
    Some(behind.wrapping_add_signed(i64::from(displacement)))
}

fn aarch64(code: &[u8], address: u64) -> Vec<u64> {
    let mut references = Vec::new();
    // Pages that ADRP put into registers; what follows adds the rest of the address.
    let mut pages = [None::<u64>; 32];
    let (words, _) = code.as_chunks::<4>();
    for (word, at) in words.iter().zip((address..).step_by(4)) {
        let word = u32::from_le_bytes(*word);
        let bits = |low: u32, count: u32| u64::from((word >> low) & ((1 << count) - 1));
        let page = pages[bits(5, 5) as usize];
        if word & 0x7c00_0000 == 0x1400_0000 {
            // B and BL: 26 bits, in words.
            references.push(at.wrapping_add_signed(signed(bits(0, 26), 26) << 2));
        } else if word & 0x9f00_0000 == 0x9000_0000 {
            // ADRP: 21 bits, in pages of 4 KiB.
            let distance = signed(bits(5, 19) << 2 | bits(29, 2), 21) << 12;
            pages[bits(0, 5) as usize] = Some((at & !0xfff).wrapping_add_signed(distance));
        } else if word & 0xffc0_0000 == 0x9100_0000 {
            // ADD of an immediate.
            references.extend(page.map(|page| page.wrapping_add(bits(10, 12))));
        } else if word & 0xffc0_0000 == 0xf940_0000 {
            // LDR of 64 bits: the immediate counts in units of 8.
            references.extend(page.map(|page| page.wrapping_add(bits(10, 12) << 3)));
        }
    }
    references
}

/// The lowest `bits` bits as a number with a sign.
fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_x86_64_function_names_what_it_calls_loads_and_points_to() {
        let code = [
            &[0xe8, 0x0b, 0x00, 0x00, 0x00][..],         // call 0x1010
            &[0xe9, 0xf6, 0xff, 0xff, 0xff],             // jmp 0x1000
            &[0xff, 0x15, 0x00, 0x01, 0x00, 0x00],       // call [rip + 0x100]
            &[0x48, 0x8d, 0x0d, 0x00, 0x02, 0x00, 0x00], // lea rcx, [rip + 0x200]
            &[0x4c, 0x8b, 0x3d, 0x00, 0x03, 0x00, 0x00], // mov r15, [rip + 0x300]
            &[0xff, 0x25, 0xf0, 0xff, 0xff, 0xff],       // jmp [rip - 16]
        ]
        .concat();
        let expected = [0x1010, 0x1000, 0x1110, 0x1217, 0x131e, 0x1014];
        assert_eq!(Architecture::X86_64.references(&code, 0x1000), expected);
    }

    #[test]
    fn an_aarch64_function_names_what_it_calls_loads_and_points_to() {
        let words: [u32; 6] = [
            0x9400_0004, // bl +0x10
            0x17ff_ffff, // b -4
            0xb000_0021, // adrp x1, +0x5000
            0x9104_8c22, // add x2, x1, #0x123
            0xf940_0823, // ldr x3, [x1, #0x10]
            0x9100_4063, // add x3, x3, #0x10: no page is known
        ];
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected = [0x1_0018, 0x1_0008, 0x1_5123, 0x1_5010];
        assert_eq!(Architecture::Aarch64.references(&code, 0x1_0008), expected);
    }

    #[test]
    fn code_that_is_cut_off_names_nothing_beyond_its_end() {
        for code in [&[0xe8][..], &[0xe8, 0, 0, 0], &[0xff, 0x15, 0, 0, 0], &[0x8d, 0x0d, 0]] {
            assert!(Architecture::X86_64.references(code, 0).is_empty());
            assert!(Architecture::Aarch64.references(code, 0).is_empty());
        }
    }
}
