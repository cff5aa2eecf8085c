//! Which machine code runs: hashes of this test executable.

use perftest_core::model::CodeState;
use perftest_store::Digest;

/// The code sections whose equality means "the same code": instructions and constants.
const SECTIONS: [&str; 2] = [".text", ".rodata"];

/// Hashes of the running executable; empty where it cannot be read.
pub(crate) fn of_this_executable() -> CodeState {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map_or_else(|_| CodeState::default(), |bytes| of_bytes(&bytes))
}

fn of_bytes(bytes: &[u8]) -> CodeState {
    let executable = Digest::of_large_block(bytes).hex16();
    let text = elf_sections(bytes, &SECTIONS).map_or_else(
        // Another format: the whole file stands for its code, so a rebuild counts as new code.
        || executable.clone(),
        |sections| {
            let hashes: Vec<String> = sections
                .into_iter()
                .map(|section| Digest::of_large_block(section).hex16())
                .collect();
            Digest::of_fields(hashes.iter().map(String::as_str)).hex16()
        },
    );
    CodeState { executable, text }
}

/// The bytes of the named sections of a 64-bit little-endian ELF file, in the order of `names`;
/// `None` when it is no such file or has not all of them.
///
/// Source: Tool Interface Standard, Executable and Linking Format; offsets of `Elf64_Ehdr` and
/// `Elf64_Shdr`.
fn elf_sections<'a>(bytes: &'a [u8], names: &[&str]) -> Option<Vec<&'a [u8]>> {
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = number(bytes, 40, 8)?;
    let entry = number(bytes, 58, 2)?;
    let count = number(bytes, 60, 2)?;
    let header = |index: usize| bytes.get(table + index * entry..table + (index + 1) * entry);
    let body = |header: &[u8]| {
        let (offset, size) = (number(header, 24, 8)?, number(header, 32, 8)?);
        bytes.get(offset..offset.checked_add(size)?)
    };
    let strings = body(header(number(bytes, 62, 2)?)?)?;
    names
        .iter()
        .map(|name| {
            let is_named = |header: &&[u8]| {
                let start = number(header, 0, 4).and_then(|start| strings.get(start..));
                start.is_some_and(|start| {
                    start.starts_with(name.as_bytes()) && start.get(name.len()) == Some(&0)
                })
            };
            (0..count).filter_map(header).find(is_named).and_then(body)
        })
        .collect()
}

/// An unsigned little-endian number of `size` bytes at `offset`.
fn number(bytes: &[u8], offset: usize, size: usize) -> Option<usize> {
    let field = bytes.get(offset..offset + size)?;
    let value = field.iter().rev().fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
    usize::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn this_executable_has_code_of_its_own() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let sections = elf_sections(&bytes, &SECTIONS).unwrap();
        assert!(sections.iter().all(|section| section.len() > 1_000));
        let code = of_bytes(&bytes);
        assert_ne!(code.text, code.executable);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn a_change_outside_the_code_leaves_the_code_the_same() {
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let before = of_bytes(&bytes);
        // The padding of the ELF identification is outside every section.
        bytes[9] ^= 1;
        let after = of_bytes(&bytes);
        assert_eq!(before.text, after.text);
        assert_ne!(before.executable, after.executable);
    }

    #[test]
    fn a_truncated_executable_is_hashed_as_a_whole_and_panics_nowhere() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for cut in [0, 5, 40, 63, 64, 1_000, bytes.len() / 2] {
            let code = of_bytes(&bytes[..cut]);
            assert_eq!(code.text, code.executable);
        }
    }
}
