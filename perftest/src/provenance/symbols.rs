//! The functions in this executable's symbol table.

use super::mangled::is_compiled_by_user;
use perftest_core::list::IntoList;
use perftest_core::model::Reading;
use perftest_core::order::sort_by;
use perftest_process::elf::{Elf, number, text_at};
use perftest_store::Cache;
use std::fs::File;

/// Fewest functions for a conclusion: some start at a multiple by chance.
const FEWEST_FUNCTIONS: usize = 8;
/// A few functions are placed by other means, such as assembly.
const ALIGNED_SHARE: f64 = 0.9;
/// `-align-all-functions=6` is a multiple of 2^6: one cache line of nearly all processors.
const ALIGNMENT: u64 = 64;

/// The functions of an executable with a size, each start once, in ascending order.
#[derive(Debug, Default)]
pub(super) struct FunctionSymbols {
    pub(super) functions: Vec<FunctionSymbol>,
    names: Vec<u8>,
}

/// One function.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionSymbol {
    pub(super) start: u64,
    name: usize,
}

impl FunctionSymbols {
    /// Returns the symbols of the running executable.
    ///
    /// # Errors
    /// Why there are none, in a few words.
    fn of_this_executable() -> Result<Self, &'static str> {
        let file = std::env::current_exe().and_then(File::open);
        Self::of_elf(&mut Elf::open(file.map_err(|_| "the executable's file cannot be read")?)?)
    }

    /// Returns the symbols of an executable.
    ///
    /// # Errors
    /// When it has none.
    pub(super) fn of_elf(elf: &mut Elf<'_>) -> Result<Self, &'static str> {
        let table = elf.section(".symtab").zip(elf.section(".strtab"));
        let (table, names) = table.ok_or("the executable is stripped of its symbols")?;
        Ok(Self::of_tables(&table.bytes, names.bytes))
    }

    /// Source: Tool Interface Standard, Executable and Linking Format; `Elf64_Sym`.
    fn of_tables(table: &[u8], names: Vec<u8>) -> Self {
        const FUNCTION: usize = 2;
        let entry = |entry: &[u8]| {
            let is_function = number(entry, 4, 1)? & 0xf == FUNCTION;
            let is_here = number(entry, 6, 2)? != 0;
            let has_size = number(entry, 16, 8)? > 0;
            let function =
                FunctionSymbol { name: number(entry, 0, 4)?, start: number(entry, 8, 8)? as u64 };
            (is_function && is_here && has_size).then_some(function)
        };
        let mut functions: Vec<FunctionSymbol> =
            table.chunks_exact(24).filter_map(entry).into_list();
        // Of several names for one function the first of the alphabet, whatever the order here.
        sort_by(&mut functions, &|a, b| {
            let name = |function: &FunctionSymbol| text_at(&names, function.name);
            a.start.cmp(&b.start).then_with(|| name(a).cmp(&name(b)))
        });
        functions.dedup_by_key(|function| function.start);
        Self { functions, names }
    }

    /// Returns whether functions start at multiples of 64, as with the compiler's flag
    /// `-C llvm-args=-align-all-functions=6`. Only functions compiled with the user's flags count.
    pub(super) fn functions_aligned(&self) -> Reading<bool> {
        let by_user = |function: &&FunctionSymbol| is_compiled_by_user(self.name(function));
        let functions: Vec<&FunctionSymbol> = self.functions.iter().filter(by_user).into_list();
        if functions.len() < FEWEST_FUNCTIONS {
            return Reading::absent("too few functions of the user's own compilation");
        }
        let aligned = functions.iter().count_where(|it| it.start.is_multiple_of(ALIGNMENT));
        Reading::Value(aligned as f64 >= ALIGNED_SHARE * functions.len() as f64)
    }

    /// Returns the mangled name; empty if it is not that of a Rust function.
    pub(super) fn name(&self, function: &FunctionSymbol) -> &str {
        let name = text_at(&self.names, function.name).unwrap_or_default();
        std::str::from_utf8(name).unwrap_or_default()
    }
}

/// Returns whether the functions of the running executable, which has this hash, are aligned.
/// `cache` keeps the answer, because there may be a hundred thousand symbols.
pub(crate) fn functions_aligned(executable: &str, cache: Option<&Cache>) -> Reading<bool> {
    let key = ["functions aligned", executable];
    let cache = cache.filter(|_| !executable.is_empty());
    let kept = cache.and_then(|cache| cache.get(&key)?.parse().ok());
    if let Some(aligned) = kept {
        return Reading::Value(aligned);
    }
    let aligned = match FunctionSymbols::of_this_executable() {
        Ok(symbols) => symbols.functions_aligned(),
        Err(why) => Reading::absent(why),
    };
    if let Some((cache, aligned)) = cache.zip(aligned.get()) {
        cache.put(&key, if aligned { "true" } else { "false" });
    }
    aligned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symbols with these names, starts and sizes.
    fn of_functions(functions: &[(&str, u64, u64)]) -> FunctionSymbols {
        let (mut table, mut names) = (Vec::new(), vec![0]);
        for (name, start, size) in functions {
            table.extend((names.len() as u32).to_le_bytes());
            table.extend([0x02, 0, 1, 0]);
            table.extend(start.to_le_bytes());
            table.extend(size.to_le_bytes());
            names.extend(name.as_bytes());
            names.push(0);
        }
        FunctionSymbols::of_tables(&table, names)
    }

    fn at(starts: impl Iterator<Item = u64>, krate: &str) -> Vec<(String, u64, u64)> {
        let name = format!("_RNvCs7_{}{krate}4work", krate.len());
        starts.map(|start| (name.clone(), start, 8)).collect()
    }

    fn aligned(functions: &[(String, u64, u64)]) -> Option<bool> {
        let functions: Vec<_> =
            functions.iter().map(|(name, start, size)| (name.as_str(), *start, *size)).collect();
        of_functions(&functions).functions_aligned().get()
    }

    #[test]
    fn functions_at_multiples_of_64_are_aligned_and_others_are_not() {
        assert_eq!(aligned(&at((1..=20).map(|n| 64 * n), "codec")), Some(true));
        assert_eq!(aligned(&at((1..=20).map(|n| 16 * n), "codec")), Some(false));
    }

    #[test]
    fn one_function_in_ten_may_lie_elsewhere() {
        let mut functions = at((1..=18).map(|n| 64 * n), "codec");
        functions.extend(at([4096 + 16, 4096 + 32].into_iter(), "codec"));
        assert_eq!(aligned(&functions), Some(true));
        functions.extend(at([4096 + 48].into_iter(), "codec"));
        assert_eq!(aligned(&functions), Some(false));
    }

    #[test]
    fn the_standard_librarys_functions_do_not_count() {
        let mut functions = at((1..=20).map(|n| 64 * n), "codec");
        functions.extend(at((1..=200).map(|n| 4096 + 16 * n), "std"));
        assert_eq!(aligned(&functions), Some(true));
        assert_eq!(aligned(&at((1..=200).map(|n| 16 * n), "core")), None);
    }

    #[test]
    fn a_few_functions_decide_nothing() {
        assert_eq!(aligned(&at((1..8).map(|n| 64 * n), "codec")), None);
        assert_eq!(aligned(&[]), None);
    }

    #[test]
    fn a_function_with_two_names_counts_once_and_one_without_a_size_not_at_all() {
        let symbols =
            of_functions(&[("b", 0x40, 8), ("z", 0x20, 8), ("a", 0x20, 8), ("empty", 0x60, 0)]);
        let names: Vec<&str> = symbols.functions.iter().map(|it| symbols.name(it)).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn this_executable_has_functions() {
        assert!(FunctionSymbols::of_this_executable().unwrap().functions.len() > 100);
        assert!(functions_aligned("", None).get().is_some());
    }
}
