//! The parts of an ELF file with code and symbols.

use perftest_core::list::IntoList;
use perftest_store::Digest;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// The error for files without sections.
const NOT_ELF: &str = "not a 64-bit little-endian ELF file";

/// A 64-bit little-endian ELF file. Reads only the requested parts, and skips debug information,
/// most of an executable.
///
/// Source: Tool Interface Standard, Executable and Linking Format; offsets of `Elf64_Ehdr` and
/// `Elf64_Shdr`.
pub struct Elf<'a> {
    file: Box<dyn ReadSeek + 'a>,
    sections: Vec<ElfHeader>,
    names: Vec<u8>,
}

/// A file, or its bytes in memory.
pub(super) trait ReadSeek: Read + Seek {}

impl<S: Read + Seek> ReadSeek for S {}

/// The place of a section.
#[derive(Debug, Clone, Copy)]
struct ElfHeader {
    name: usize,
    kind: usize,
    address: u64,
    offset: u64,
    size: u64,
}

impl ElfHeader {
    /// Whether the file has its bytes.
    fn has_contents(&self) -> bool {
        const WITHOUT_CONTENTS: usize = 8;
        self.kind != WITHOUT_CONTENTS
    }
}

/// The bytes of a section, and their addresses in the running program.
#[derive(Debug, Default)]
pub struct SectionBytes {
    /// The address of the first byte.
    pub address: u64,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl SectionBytes {
    /// Returns the bytes at these addresses; `None` if the section does not have them all.
    pub fn at(&self, addresses: Range<u64>) -> Option<&[u8]> {
        let index = |address: u64| usize::try_from(address.checked_sub(self.address)?).ok();
        self.bytes.get(index(addresses.start)?..index(addresses.end)?)
    }
}

impl<'a> Elf<'a> {
    /// Reads the file's headers.
    ///
    /// # Errors
    /// A few words, when the file is no such ELF file or is cut off.
    pub fn open(file: impl Read + Seek + 'a) -> Result<Self, &'static str> {
        Self::read(Box::new(file))
    }

    fn read(mut file: Box<dyn ReadSeek + 'a>) -> Result<Self, &'static str> {
        let header = part(&mut file, 0, 64).filter(|it| it.starts_with(b"\x7fELF\x02\x01"));
        let header = header.ok_or(NOT_ELF)?;
        let (sections, names) = tables(&mut file, &header).ok_or("a damaged ELF file")?;
        Ok(Self { file, sections, names })
    }

    /// Returns the section of this name; `None` if there is none with contents.
    pub fn section(&mut self, name: &str) -> Option<SectionBytes> {
        let header = self.header_of(name)?;
        let bytes = part(&mut self.file, header.offset, header.size)?;
        Some(SectionBytes { address: header.address, bytes })
    }

    /// Returns the place of a section in the file; `None` if there is none with contents.
    pub fn offset_of_section(&self, name: &str) -> Option<u64> {
        Some(self.header_of(name)?.offset)
    }

    /// Returns the digest of this section's bytes, [`Digest::of_large_block`], read piece by piece;
    /// `None` if there is no such section with contents.
    pub fn digest_of_section(&mut self, name: &str) -> Option<Digest> {
        let header = self.header_of(name)?;
        self.digest_of(header)
    }

    /// Returns the digests of the sections of this name and of those below it, such as `.rodata.cst16` below `.rodata`, in
    /// the order of the file. `None` if the file ends within one.
    pub fn digests_of_sections(&mut self, name: &str) -> Option<Vec<Digest>> {
        let is_such = |it: &&ElfHeader| {
            let below = text_at(&self.names, it.name)?.strip_prefix(name.as_bytes())?;
            Some(it.has_contents() && (below.is_empty() || below.starts_with(b".")))
        };
        let is_such = |it: &&ElfHeader| is_such(it) == Some(true);
        let headers = self.sections.iter().filter(is_such).copied().into_list();
        headers.into_iter().map(|it| self.digest_of(it)).into_list_of_some()
    }

    fn digest_of(&mut self, header: ElfHeader) -> Option<Digest> {
        go_to_part(&mut self.file, header.offset, header.size)?;
        let mut source = self.file.by_ref().take(header.size);
        let digest = Digest::of_large_source(&mut source).ok()?;
        (source.limit() == 0).then_some(digest)
    }

    /// Returns the linker's unique mark of this executable; `None` if the linker wrote none.
    ///
    /// Source: Linux Standard Base, Core, "Note Section"; `NT_GNU_BUILD_ID` of the GNU C library's `elf.h`.
    pub fn build_id(&mut self) -> Option<Vec<u8>> {
        const BUILD_ID: usize = 3;
        let note = self.section(".note.gnu.build-id")?.bytes;
        let field = |offset| number(&note, offset, 4);
        let (name_size, id_size) = (field(0)?, field(4)?);
        let is_ours = field(8)? == BUILD_ID && name_size == 4 && note.get(12..16)? == b"GNU\0";
        let id = note.get(16..id_size.checked_add(16)?)?;
        (is_ours && !id.is_empty()).then(|| id.to_vec())
    }

    /// Returns the names of the shared libraries that the loader looks for.
    ///
    /// Source: Tool Interface Standard, Executable and Linking Format; `Elf64_Dyn`, `DT_NEEDED`.
    pub fn needed_libraries(&mut self) -> Vec<String> {
        const NEEDED: usize = 1;
        let sections = (self.section(".dynamic"), self.section(".dynstr"));
        let (Some(dynamic), Some(strings)) = sections else {
            return Vec::new();
        };
        let name = |entry: &[u8]| {
            let is_needed = number(entry, 0, 8)? == NEEDED;
            let name = text_at(&strings.bytes, number(entry, 8, 8)?).filter(|_| is_needed)?;
            Some(String::from_utf8_lossy(name).into_owned())
        };
        dynamic.bytes.chunks_exact(16).filter_map(name).into_list()
    }

    /// Returns the place of the section of this name, if it has contents.
    fn header_of(&self, name: &str) -> Option<ElfHeader> {
        let is_named = |it: &&ElfHeader| text_at(&self.names, it.name) == Some(name.as_bytes());
        let header = *self.sections.iter().find(is_named)?;
        header.has_contents().then_some(header)
    }
}

/// The section headers and their names.
fn tables(file: &mut dyn ReadSeek, header: &[u8]) -> Option<(Vec<ElfHeader>, Vec<u8>)> {
    let (entry, count) = (number(header, 58, 2)?, number(header, 60, 2)?);
    let table = part(file, number(header, 40, 8)? as u64, (entry * count) as u64)?;
    let headers = table.chunks_exact(entry.max(1)).map(|header| {
        let field = |offset, size| number(header, offset, size);
        Some(ElfHeader {
            name: field(0, 4)?,
            kind: field(4, 4)?,
            address: field(16, 8)? as u64,
            offset: field(24, 8)? as u64,
            size: field(32, 8)? as u64,
        })
    });
    let headers = headers.into_list_of_some()?;
    let names = headers.get(number(header, 62, 2)?)?;
    let names = part(file, names.offset, names.size)?;
    Some((headers, names))
}

/// Returns `size` bytes of a file; `None` if it ends before. A wrong size costs no memory.
fn part(file: &mut dyn ReadSeek, offset: u64, size: u64) -> Option<Vec<u8>> {
    go_to_part(file, offset, size)?;
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// Goes to the start of `size` bytes of a file; `None` if it ends before theirs.
fn go_to_part(file: &mut dyn ReadSeek, offset: u64, size: u64) -> Option<()> {
    let length = file.seek(SeekFrom::End(0)).ok()?;
    let is_inside = offset.checked_add(size)? <= length;
    file.seek(SeekFrom::Start(offset)).ok().filter(|_| is_inside).map(drop)
}

/// An unsigned little-endian number of `size` bytes at `offset`.
pub fn number(bytes: &[u8], offset: usize, size: usize) -> Option<usize> {
    let field = bytes.get(offset..offset.checked_add(size)?)?;
    let value = field.iter().rev().fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
    usize::try_from(value).ok()
}

/// The text in a string table that begins at `offset` and ends with a zero.
pub fn text_at(strings: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = strings.get(offset..)?;
    rest.split(|byte| *byte == 0).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn another_file_is_no_elf_file() {
        for bytes in [&b""[..], b"MZ", b"\xcf\xfa\xed\xfe", &[0x7f; 64]] {
            assert_eq!(Elf::open(Cursor::new(bytes)).err(), Some(NOT_ELF));
        }
    }

    #[test]
    fn sizes_that_are_lies_are_damage_and_no_allocation() {
        let mut bytes = b"\x7fELF\x02\x01".to_vec();
        bytes.resize(64, 0xff);
        assert_eq!(Elf::open(Cursor::new(bytes)).err(), Some("a damaged ELF file"));
    }

    #[test]
    fn a_section_answers_for_its_own_addresses_only() {
        let section = SectionBytes { address: 100, bytes: vec![1, 2, 3] };
        assert_eq!(section.at(101..103), Some(&[2, 3][..]));
        for (start, end) in [(99, 101), (101, 104), (0, 1), (103, 101)] {
            assert_eq!(section.at(start..end), None);
        }
    }
}
