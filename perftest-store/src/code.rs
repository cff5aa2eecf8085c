//! Which machine code an executable is: its hashes.

use crate::Digest;
use crate::elf::{Elf, Section};
use perftest_core::model::CodeState;
use std::io::Cursor;

/// The code sections whose equality means "the same code": instructions and constants.
const SECTIONS: [&str; 2] = [".text", ".rodata"];

/// Hashes of an executable with these bytes.
///
/// ```
/// let code = perftest_store::code_of(b"no format that is known");
/// assert_eq!(code.text, code.executable);
/// ```
pub fn code_of(bytes: &[u8]) -> CodeState {
    let executable = Digest::of_large_block(bytes).hex16();
    let text = code_sections(bytes).map_or_else(
        // Another format: the whole file stands for its code, so a rebuild counts as new code.
        || executable.clone(),
        |sections| {
            let hash = |section: &Section| Digest::of_large_block(&section.bytes).hex16();
            let hashes: Vec<String> = sections.iter().map(hash).collect();
            Digest::of_fields(hashes.iter().map(String::as_str)).hex16()
        },
    );
    CodeState { executable, text }
}

/// `None` when it is no ELF file or has not all of them.
fn code_sections(bytes: &[u8]) -> Option<Vec<Section>> {
    let mut elf = Elf::open(Cursor::new(bytes)).ok()?;
    SECTIONS.iter().map(|name| elf.section(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn this_executable_has_code_of_its_own() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let sections = code_sections(&bytes).unwrap();
        assert!(sections.iter().all(|section| section.bytes.len() > 1_000));
        let code = code_of(&bytes);
        assert_ne!(code.text, code.executable);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn a_change_outside_the_code_leaves_the_code_the_same() {
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let before = code_of(&bytes);
        // The padding of the ELF identification is outside every section.
        bytes[9] ^= 1;
        let after = code_of(&bytes);
        assert_eq!(before.text, after.text);
        assert_ne!(before.executable, after.executable);
    }

    #[test]
    fn a_truncated_executable_is_hashed_as_a_whole_and_panics_nowhere() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for cut in [0, 5, 40, 63, 64, 1_000, bytes.len() / 2] {
            let code = code_of(&bytes[..cut]);
            assert_eq!(code.text, code.executable);
        }
    }
}
