//! A digest of a perf test's own code that does not change when the code only moves.

use super::mangled::without_hash;
use super::references::Architecture;
use super::symbols::{FunctionSymbol, Symbols};
use crate::perf_test::PerfTest;
use perftest_store::Digest;
use perftest_store::elf::{Elf, Section, number};
use std::io::{Read, Seek};
use std::sync::OnceLock;

/// A digest of the names and sizes of all functions that `test` can be seen to reach: 16 hex
/// digits. `None` where that is unknown: symbols are stripped, the system or the processor is
/// another one.
///
/// Moving code changes neither names nor sizes. Nor does a changed constant, so two equal digests
/// say that the code *may* be the same, and two different ones that something was compiled
/// differently.
pub(crate) fn own_code(test: &PerfTest) -> Option<String> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    let program = PROGRAM.get_or_init(Program::of_this_process).as_ref()?;
    let symbols = Symbols::of_this_executable().ok()?;
    program.own_code(symbols, test.address())
}

/// A position-independent program's code, and the pointers among its data.
#[derive(Debug)]
struct Program {
    architecture: Architecture,
    text: Section,
    /// The constants among which are the tables of methods.
    constants: Section,
    /// Where the loader writes which address, ascending, as if the program ran where it was
    /// linked.
    pointers: Vec<(u64, u64)>,
    /// How far from there it runs.
    bias: u64,
}

impl Program {
    #[cfg(target_os = "linux")]
    fn of_this_process() -> Option<Self> {
        let vector = std::fs::read("/proc/self/auxv").ok()?;
        Self::of_elf(&mut super::symbols::this_elf().ok()?, entry_of(&vector)?)
    }

    /// Elsewhere nothing tells where the program runs.
    #[cfg(not(target_os = "linux"))]
    fn of_this_process() -> Option<Self> {
        None
    }

    /// `entry` is where the running program began.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn of_elf(elf: &mut Elf<impl Read + Seek>, entry: u64) -> Option<Self> {
        const POSITION_INDEPENDENT: usize = 3;
        if elf.kind()? != POSITION_INDEPENDENT {
            return None;
        }
        let architecture = Architecture::of_elf(elf.machine()?)?;
        Some(Self {
            architecture,
            text: elf.section(".text")?,
            constants: elf.section(".data.rel.ro")?,
            pointers: pointers_in(&elf.section(".rela.dyn")?.bytes),
            bias: entry.wrapping_sub(elf.entry()?),
        })
    }

    /// The digest of the function that runs at this address and of all it can be seen to reach.
    fn own_code(&self, symbols: &Symbols, running_at: u64) -> Option<String> {
        let first = symbols.starting_at(running_at.wrapping_sub(self.bias))?;
        let named =
            |function: &'_ FunctionSymbol| (without_hash(symbols.name(function)), function.size);
        let mut functions: Vec<(&str, u64)> = self.reachable(symbols, first).map(named).collect();
        functions.sort_unstable();
        let mut digest = Digest::new();
        for (name, size) in functions {
            digest.update(name.as_bytes());
            digest.update(&size.to_le_bytes());
        }
        Some(digest.hex16())
    }

    fn reachable<'a>(
        &self,
        symbols: &'a Symbols,
        first: usize,
    ) -> impl Iterator<Item = &'a FunctionSymbol> {
        let all = symbols.all();
        let mut is_reached = vec![false; all.len()];
        is_reached[first] = true;
        let mut open = vec![first];
        while let Some(index) = open.pop() {
            let function = &all[index];
            if is_failure(symbols.name(function)) {
                continue;
            }
            let code = self.text.at(function.addresses()).unwrap_or_default();
            for address in self.architecture.references(code, function.start) {
                self.visit_functions_at(address, symbols, |reached| {
                    if !std::mem::replace(&mut is_reached[reached], true) {
                        open.push(reached);
                    }
                });
            }
        }
        let functions = all.iter().zip(is_reached);
        functions.filter_map(|(function, is_reached)| is_reached.then_some(function))
    }

    /// The functions behind an address: itself, or the one a slot there leads to, or those of a
    /// table of methods there.
    fn visit_functions_at(&self, address: u64, symbols: &Symbols, mut visit: impl FnMut(usize)) {
        if self.text.at(address..address.saturating_add(1)).is_some() {
            symbols.starting_at(address).into_iter().for_each(visit);
            return;
        }
        let function_in = |slot: u64| symbols.starting_at(self.pointer_at(slot)?);
        function_in(address).into_iter().for_each(&mut visit);
        if self.is_table_of_methods(address) {
            // Where it ends is not written; what follows at once may be the way to drop another
            // type.
            (address + 24..).step_by(8).map_while(function_in).for_each(visit);
        }
    }

    /// Whether here may be how to drop a value, its size, its alignment, and then methods.
    fn is_table_of_methods(&self, address: u64) -> bool {
        let number_at = |address: u64| {
            let bytes = self.constants.at(address..address.checked_add(8)?)?;
            number(bytes, 0, 8).filter(|_| self.pointer_at(address).is_none())
        };
        let size = address.checked_add(8).and_then(number_at);
        let alignment = address.checked_add(16).and_then(number_at);
        size.is_some() && alignment.is_some_and(usize::is_power_of_two)
    }

    /// The address that the loader writes here.
    fn pointer_at(&self, slot: u64) -> Option<u64> {
        let index = self.pointers.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(self.pointers[index].1)
    }
}

/// Whether a function only reports that all is lost. What it reaches is the standard library's
/// printing of backtraces: much code, and none of the test's own.
fn is_failure(symbol: &str) -> bool {
    symbol.ends_with("rust_begin_unwind") || symbol.ends_with("rust_alloc_error_handler")
}

/// What the loader writes into data: where, and which address.
///
/// Source: Tool Interface Standard, Executable and Linking Format; `Elf64_Rela`. The address is
/// the addend where no symbol of another library is meant; those have addend 0.
fn pointers_in(relocations: &[u8]) -> Vec<(u64, u64)> {
    let pointer = |relocation: &[u8]| {
        let field = |offset| number(relocation, offset, 8).map(|value| value as u64);
        Some((field(0)?, field(16)?))
    };
    let mut pointers: Vec<(u64, u64)> = relocations.chunks_exact(24).filter_map(pointer).collect();
    pointers.sort_unstable();
    pointers
}

/// `AT_ENTRY` of an auxiliary vector: pairs of a key and a value, 8 bytes each.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn entry_of(vector: &[u8]) -> Option<u64> {
    const ENTRY: usize = 9;
    let pair = vector.chunks_exact(16).find(|pair| number(pair, 0, 8) == Some(ENTRY))?;
    number(pair, 8, 8).map(|entry| entry as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::symbols::of_functions;

    /// Where the example runs, beyond where it was linked.
    const BIAS: u64 = 0x5000_0000;
    const SIZE: u64 = 16;
    const CONSTANTS: u64 = 0x8000;
    const SLOT: u64 = 0x9000;

    /// A test that calls `called`, calls `other_crate` through a slot and names a table with
    /// `method`. The functions are at these places; nobody reaches `stranger`.
    struct Example {
        places: [(&'static str, u64); 5],
        size_of_method: u64,
    }

    const EXAMPLE: Example = Example {
        places: [
            ("test", 0x1000),
            ("called", 0x1010),
            ("other_crate", 0x1020),
            ("method", 0x1030),
            ("stranger", 0x1040),
        ],
        size_of_method: SIZE,
    };

    impl Example {
        fn place(&self, name: &str) -> u64 {
            self.places.iter().find(|(it, _)| *it == name).unwrap().1
        }

        fn program(&self) -> Program {
            let mut text = Section { address: 0x1000, bytes: vec![0xcc; 0x1000] };
            let mut write = |at: u64, instruction: &[u8], target: u64| {
                let end = at + instruction.len() as u64 + 4;
                let displacement = (target.wrapping_sub(end) as i32).to_le_bytes();
                let at = (at - 0x1000) as usize;
                let bytes = [instruction, &displacement].concat();
                text.bytes[at..at + bytes.len()].copy_from_slice(&bytes);
            };
            write(self.place("test"), &[0xe8], self.place("called"));
            write(self.place("test") + 5, &[0x48, 0x8d, 0x0d], CONSTANTS);
            write(self.place("called"), &[0xff, 0x15], SLOT);
            let constants = [0_u64, 24, 8, 0].iter().flat_map(|it| it.to_le_bytes()).collect();
            Program {
                architecture: Architecture::X86_64,
                text,
                constants: Section { address: CONSTANTS, bytes: constants },
                pointers: vec![
                    (CONSTANTS + 24, self.place("method")),
                    (SLOT, self.place("other_crate")),
                ],
                bias: BIAS,
            }
        }

        fn symbols(&self) -> Symbols {
            let functions = self.places.map(|(name, start)| match name {
                "method" => (name, start, self.size_of_method),
                _ => (name, start, SIZE),
            });
            of_functions(&functions)
        }

        fn reached(&self) -> Vec<String> {
            let symbols = self.symbols();
            let first = symbols.starting_at(self.place("test")).unwrap();
            let program = self.program();
            program.reachable(&symbols, first).map(|it| symbols.name(it).to_owned()).collect()
        }

        fn digest(&self) -> String {
            self.program().own_code(&self.symbols(), self.place("test") + BIAS).unwrap()
        }
    }

    #[test]
    fn calls_slots_and_tables_of_methods_are_followed_and_nothing_else() {
        assert_eq!(EXAMPLE.reached(), ["test", "called", "other_crate", "method"]);
    }

    #[test]
    fn code_that_only_moves_keeps_its_digest() {
        let places = [
            ("test", 0x1400),
            ("called", 0x1230),
            ("other_crate", 0x1800),
            ("method", 0x1010),
            ("stranger", 0x1700),
        ];
        assert_eq!(Example { places, ..EXAMPLE }.digest(), EXAMPLE.digest());
    }

    #[test]
    fn a_function_that_grows_changes_the_digest_of_whoever_reaches_it() {
        assert_ne!(Example { size_of_method: SIZE + 1, ..EXAMPLE }.digest(), EXAMPLE.digest());
    }

    #[test]
    fn a_function_that_is_not_in_the_symbol_table_has_no_digest() {
        let program = EXAMPLE.program();
        assert_eq!(program.own_code(&EXAMPLE.symbols(), BIAS + 0x1001), None);
        assert_eq!(program.own_code(&Symbols::default(), BIAS + 0x1000), None);
    }

    #[test]
    fn what_follows_the_report_of_a_panic_is_not_the_tests_own() {
        let mut places = EXAMPLE.places;
        places[1].0 = "rust_begin_unwind";
        let (program, symbols) = (EXAMPLE.program(), Example { places, ..EXAMPLE }.symbols());
        let names: Vec<&str> =
            program.reachable(&symbols, 0).map(|function| symbols.name(function)).collect();
        assert_eq!(names, ["test", "rust_begin_unwind", "method"]);
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
        let digest = |function: fn(&str) -> bool| {
            program.own_code(symbols, function as usize as u64).unwrap()
        };
        let (first, second) = (digest(is_failure), digest(other_function));
        assert_eq!((first.len(), &first), (16, &digest(is_failure)));
        assert_ne!(first, second);
    }

    fn other_function(text: &str) -> bool {
        text.lines().count() > 7
    }
}
