//! A digest of a perf test's own code that does not change when the code only moves.
//!
//! The machine code is searched for calls and jumps to an address, without a disassembler. An
//! accidental match gives a random address, which is hardly ever the start of a function.
//!
//! Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2 (CALL, JMP); Arm
//! Architecture Reference Manual (B, BL).

use super::mangled::without_hash;
use super::symbols::{Symbols, this_elf};
use crate::perf_test::PerfTest;
use perftest_core::list::IntoList;
use perftest_core::order::sort;
use perftest_process::elf::{Section, number};
use perftest_store::Digest;
use std::sync::OnceLock;

/// Returns a digest of the names and sizes of all functions that `test` calls, directly or through
/// others: 16 hex digits. `None` if they are unknown: the symbols are stripped, or the system or
/// processor is not supported.
///
/// Moving code changes neither names nor sizes. A changed constant, or a function that is called
/// through a pointer, does not change them either. So two equal digests mean that the code *may* be
/// the same, and two different ones that something was compiled differently.
pub(crate) fn own_code(test: &PerfTest) -> Option<String> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    let program = PROGRAM.get_or_init(Program::of_this_process).as_ref()?;
    program.own_code(Symbols::of_this_executable().ok()?, test.address())
}

/// A program's code, and its address in memory.
#[derive(Debug)]
struct Program {
    text: Section,
    /// The distance between its address in memory and its linked address.
    bias: u64,
    /// Finds the addresses that code calls or jumps to; the code begins at the given address.
    targets: fn(&[u8], u64) -> Vec<u64>,
}

impl Program {
    /// Returns `None` except on Linux: other systems do not report the program's address.
    fn of_this_process() -> Option<Self> {
        let elf = &mut this_elf().ok()?;
        // `e_machine` of the ELF format.
        let targets = match elf.machine()? {
            62 => x86_64_targets,
            183 => aarch64_targets,
            _ => return None,
        };
        let entry = entry_of(&std::fs::read("/proc/self/auxv").ok()?)?;
        Some(Self { text: elf.section(".text")?, bias: entry.wrapping_sub(elf.entry()?), targets })
    }

    /// Returns the digest of the function at this address and of all functions that it calls.
    fn own_code(&self, symbols: &Symbols, running_at: u64) -> Option<String> {
        let first = symbols.starting_at(running_at.wrapping_sub(self.bias))?;
        let mut digest = Digest::new();
        for (name, size) in self.called_from(symbols, first) {
            digest.update(name.as_bytes());
            digest.update(&size.to_le_bytes());
        }
        Some(digest.hex16())
    }

    /// Returns the names and sizes of the called functions, sorted, each once.
    fn called_from<'a>(&self, symbols: &'a Symbols, first: usize) -> Vec<(&'a str, u64)> {
        let mut is_called = vec![false; symbols.all().len()];
        is_called[first] = true;
        let (mut called, mut open) = (Vec::new(), vec![first]);
        while let Some(index) = open.pop() {
            let function = &symbols.all()[index];
            called.push((without_hash(symbols.name(function)), function.size));
            // This function prints backtraces: much code, and none of the test's own.
            if symbols.name(function).ends_with("rust_begin_unwind") {
                continue;
            }
            let code = self.text.at(function.addresses()).unwrap_or_default();
            let targets = (self.targets)(code, function.start);
            for target in targets.into_iter().filter_map(|target| symbols.starting_at(target)) {
                if !is_called[target] {
                    is_called[target] = true;
                    open.push(target);
                }
            }
        }
        sort(&mut called);
        called.dedup();
        called
    }
}

/// Finds CALL and JMP: an opcode, and the distance from its end.
fn x86_64_targets(code: &[u8], address: u64) -> Vec<u64> {
    let target = |(at, instruction): (u64, &[u8])| match *instruction {
        [0xe8 | 0xe9, a, b, c, d] => {
            let distance = i64::from(i32::from_le_bytes([a, b, c, d]));
            Some((address + at + 5).wrapping_add_signed(distance))
        }
        _ => None,
    };
    (0..).zip(code.windows(5)).filter_map(target).into_list()
}

/// Finds B and BL: a distance of 26 bits, in words.
fn aarch64_targets(code: &[u8], address: u64) -> Vec<u64> {
    let (words, _) = code.as_chunks::<4>();
    let target = |(word, at): (&[u8; 4], u64)| {
        let word = u32::from_le_bytes(*word);
        let distance = i64::from((word << 6).cast_signed() >> 6) * 4;
        (word & 0x7c00_0000 == 0x1400_0000).then(|| at.wrapping_add_signed(distance))
    };
    words.iter().zip((address..).step_by(4)).filter_map(target).into_list()
}

/// Reads `AT_ENTRY` from an auxiliary vector: pairs of a key and a value, 8 bytes each.
fn entry_of(vector: &[u8]) -> Option<u64> {
    const ENTRY: usize = 9;
    let pair = vector.chunks_exact(16).find(|pair| number(pair, 0, 8) == Some(ENTRY))?;
    number(pair, 8, 8).map(|entry| entry as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::symbols::of_functions;

    const BIAS: u64 = 0x5000_0000;

    /// Returns the digest of `test`, which calls `called`, which jumps to `last`; `stranger` has no
    /// caller. The functions have these addresses, and 16 bytes each except the last.
    fn digest(names: [&str; 4], places: [u64; 4], size_of_last: u64) -> Option<String> {
        let mut text = Section { address: 0x1000, bytes: vec![0xcc; 0x1000] };
        for (caller, opcode, callee) in [(0, 0xe8, 1), (1, 0xe9, 2)] {
            let distance = (places[callee] as i32 - places[caller] as i32 - 5).to_le_bytes();
            let at = (places[caller] - 0x1000) as usize;
            text.bytes[at] = opcode;
            text.bytes[at + 1..at + 5].copy_from_slice(&distance);
        }
        let sizes = [16, 16, size_of_last, 16];
        let functions: Vec<_> = (0..4).map(|it| (names[it], places[it], sizes[it])).collect();
        let program = Program { text, bias: BIAS, targets: x86_64_targets };
        program.own_code(&of_functions(&functions), 0x1000 + BIAS)
    }

    const NAMES: [&str; 4] = ["test", "called", "last", "stranger"];
    const PLACES: [u64; 4] = [0x1000, 0x1010, 0x1020, 0x1030];

    #[test]
    fn code_that_only_moves_keeps_its_digest_and_code_that_grows_does_not() {
        let before = digest(NAMES, PLACES, 16);
        assert_eq!(digest(NAMES, [0x1000, 0x1800, 0x1400, 0x1010], 16), before);
        assert_ne!(digest(NAMES, PLACES, 17), before);
        assert_ne!(digest(["test", "called", "other", "stranger"], PLACES, 16), before);
        assert_eq!(digest(["test", "called", "last", "other"], PLACES, 16), before);
    }

    #[test]
    fn what_the_report_of_a_panic_calls_is_not_the_tests_own() {
        let names = ["test", "rust_begin_unwind", "last", "stranger"];
        assert_eq!(digest(names, PLACES, 16), digest(names, PLACES, 17));
    }

    #[test]
    fn a_function_that_is_not_in_the_symbol_table_has_no_digest() {
        assert_eq!(digest(NAMES, [0x1001, 0x1010, 0x1020, 0x1030], 16), None);
    }

    #[test]
    fn calls_and_jumps_are_found_on_both_processors_and_nothing_beyond_the_end() {
        let x86_64 = [0xe8, 0x0b, 0, 0, 0, 0x90, 0xe9, 0xf5, 0xff, 0xff, 0xff, 0xe8, 0, 0];
        assert_eq!(x86_64_targets(&x86_64, 0x1000), [0x1010, 0x1000]);
        // BL four words ahead, B one word back, NOP, and half an instruction.
        let words = [0x9400_0004_u32, 0x17ff_ffff, 0xd503_201f];
        let mut aarch64: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        aarch64.extend([0, 0]);
        assert_eq!(aarch64_targets(&aarch64, 0x1_0008), [0x1_0018, 0x1_0008]);
    }

    #[test]
    fn the_entry_is_found_among_the_other_values() {
        let words = [6_u64, 4096, 9, 0x5555_1000, 0, 0];
        let vector: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(entry_of(&vector), Some(0x5555_1000));
        assert_eq!(entry_of(&vector[..24]), None);
    }

    #[test]
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn each_function_of_this_program_has_a_digest_of_its_own() {
        let program = Program::of_this_process().unwrap();
        let symbols = Symbols::of_this_executable().unwrap();
        let digest = |function: fn(&str) -> usize| {
            program.own_code(symbols, function as usize as u64).unwrap()
        };
        let (first, second) = (digest(count_lines), digest(count_words));
        assert_eq!((first.len(), &first), (16, &digest(count_lines)));
        assert_ne!(first, second);
    }

    fn count_lines(text: &str) -> usize {
        text.lines().count()
    }

    fn count_words(text: &str) -> usize {
        text.split_whitespace().map(str::len).sum()
    }
}
