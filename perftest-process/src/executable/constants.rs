//! The hash of an executable's constants with addresses, without the source lines among them.

use super::elf::{Elf, SectionBytes, number};
use perftest_core::list::IntoList;
use perftest_store::Digest;
use std::ops::Range;

/// The section of constants with addresses: tables of texts and functions, and the places that panics name.
const CONSTANTS: &str = ".data.rel.ro";
/// The bytes of an address, and of most that stands beside one.
const WORD: usize = 8;

/// Returns the digest of the constants with addresses, the addresses among them. Lines and columns of source files
/// are left out, so that a comment is no change. Returns `None` for an executable without such constants.
pub(super) fn digest_of_constants(elf: &mut Elf<'_>) -> Option<Digest> {
    let mut constants = elf.section(CONSTANTS)?;
    // A library may have none: the texts only show which of the others are names of source files.
    let texts = elf.section(".rodata").unwrap_or_default();
    let addresses =
        fill_in_addresses(&mut constants, &elf.section(".rela.dyn").unwrap_or_default());
    let words = 0..constants.bytes.len() / WORD;
    let names = words.filter(|word| is_source_file(&constants.bytes, *word, &texts)).into_list();
    for word in names.iter().flat_map(|name| words_with_lines(&constants.bytes, *name)).into_list()
    {
        let is_number = addresses.binary_search(&word).is_err();
        if let Some(lines) = constants.bytes.get_mut(word * WORD..(word + 1) * WORD)
            && is_number
        {
            lines.fill(0);
        }
    }
    Some(Digest::of_large_block(&constants.bytes))
}

/// Writes the addresses that the loader would write, and returns the words they are in, ascending. Linkers differ in
/// whether the file has them there.
///
/// Source: Tool Interface Standard, Executable and Linking Format; `Elf64_Rela`.
fn fill_in_addresses(constants: &mut SectionBytes, relocations: &SectionBytes) -> Vec<usize> {
    const ENTRY: usize = 24;
    let mut words = Vec::new();
    for entry in relocations.bytes.chunks_exact(ENTRY) {
        let place = number(entry, 0, 8).and_then(|it| it.checked_sub(constants.address as usize));
        let Some(place) = place.filter(|it| it.saturating_add(WORD) <= constants.bytes.len())
        else {
            continue;
        };
        constants.bytes[place..place + WORD].copy_from_slice(&entry[16..]);
        words.push(place / WORD);
    }
    words.sort_unstable();
    words
}

/// The words with lines and columns behind the name of a source file, whose address is in the word `name`.
///
/// A `core::panic::Location` has one, of two 32-bit numbers that begin with 1. The description of a test of the
/// standard harness has four 64-bit numbers, behind the text of `#[ignore]` or zeros in its place.
fn words_with_lines(constants: &[u8], name: usize) -> Range<usize> {
    let first = name + 2;
    let column = number(constants, first * WORD + 4, 4);
    let count = if column.is_some_and(|it| it > 0) { 1 } else { 6 };
    first..first + count
}

/// Whether this word and the next one are the address and the length of a text that ends as source files do.
fn is_source_file(constants: &[u8], word: usize, texts: &SectionBytes) -> bool {
    let text = || {
        let start = number(constants, word * WORD, WORD)? as u64;
        let length = number(constants, (word + 1) * WORD, WORD)? as u64;
        texts.at(start..start.checked_add(length)?)
    };
    text().is_some_and(|it| it.ends_with(b".rs"))
}
