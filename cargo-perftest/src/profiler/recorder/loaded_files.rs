//! The files that a sampled process had in its memory, and the code in them.

use perftest_process::elf::{Elf, SectionBytes};
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The kernel's library, which is in the memory of every process and in no file.
const KERNEL_LIBRARY: &str = "[vdso]";
/// Longest library of the kernel that is read.
const LONGEST_KERNEL_LIBRARY: u64 = 1 << 20;

/// A file in memory.
#[derive(Debug)]
pub(super) struct LoadedFile {
    /// The last part of its path.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The addresses of its code and of its mappings beside that.
    pub(super) addresses: Range<u64>,
    /// What to add to an address in the file.
    pub(super) bias: u64,
    pub(super) text: SectionBytes,
    pub(super) eh_frame: Option<SectionBytes>,
    pub(super) eh_frame_hdr: Option<SectionBytes>,
    pub(super) has_symbols: bool,
}

/// One line of a memory map.
#[derive(Debug, PartialEq)]
struct Mapping<'a> {
    addresses: Range<u64>,
    is_code: bool,
    offset: u64,
    path: &'a str,
}

/// All files with code in a memory map, by their addresses.
pub(super) fn loaded_files(map: &str) -> Vec<LoadedFile> {
    let mappings: Vec<Option<Mapping<'_>>> = map.lines().map(mapping).collect();
    // A program may read the same file elsewhere, such as its own for a backtrace. What is between is of others.
    let runs =
        mappings.chunk_by(|a, b| a.as_ref().map(|it| it.path) == b.as_ref().map(|it| it.path));
    let mut files: Vec<LoadedFile> = runs.filter_map(loaded_file).collect();
    files.sort_by_key(|file| file.addresses.start);
    files
}

/// The file of an unbroken run of its mappings, if code is among them.
fn loaded_file(run: &[Option<Mapping<'_>>]) -> Option<LoadedFile> {
    let code = run.iter().flatten().find(|mapping| mapping.is_code)?;
    let (first, last) = (run.first()?.as_ref()?, run.last()?.as_ref()?);
    let addresses = first.addresses.start..last.addresses.end;
    if code.path == KERNEL_LIBRARY {
        load(Cursor::new(kernel_library()?), code, addresses)
    } else {
        load(File::open(code.path).ok()?, code, addresses)
    }
}

fn load(file: impl Read + Seek, code: &Mapping<'_>, addresses: Range<u64>) -> Option<LoadedFile> {
    let mut elf = Elf::open(file).ok()?;
    let text_offset = elf.offset_of_section(".text")?;
    let text = elf.section(".text")?;
    // The code is at this offset in the file, and at this address in memory.
    let in_memory = code.addresses.start.wrapping_add(text_offset).wrapping_sub(code.offset);
    let path = PathBuf::from(code.path);
    let name = path.file_name().map_or_else(|| code.path.into(), |it| it.to_string_lossy());
    Some(LoadedFile {
        name: name.into_owned(),
        addresses,
        bias: in_memory.wrapping_sub(text.address),
        text,
        eh_frame: elf.section(".eh_frame"),
        eh_frame_hdr: elf.section(".eh_frame_hdr"),
        has_symbols: elf.section(".symtab").is_some(),
        path,
    })
}

impl LoadedFile {
    /// The address in the file.
    pub(super) fn in_file(&self, address: u64) -> u64 {
        address.wrapping_sub(self.bias)
    }

    /// The code at these addresses of the process.
    pub(super) fn code(&self, addresses: Range<u64>) -> Option<&[u8]> {
        self.text.at(self.in_file(addresses.start)..self.in_file(addresses.end))
    }

    /// Whether this is the file at `path`.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        let same = |path: &Path| fs::canonicalize(path).ok();
        self.path == path || same(&self.path).is_some_and(|it| Some(it) == same(path))
    }
}

/// Source: `proc_pid_maps(5)`: `start-end rwxp offset device inode path` a line.
fn mapping(line: &str) -> Option<Mapping<'_>> {
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let mut rest = line;
    let mut word = || {
        let (word, behind) = rest.trim_start().split_once(' ')?;
        rest = behind;
        Some(word)
    };
    let (addresses, permissions, offset) = (word()?, word()?, word()?);
    let (_device, _inode) = (word()?, word()?);
    let (start, end) = addresses.split_once('-')?;
    let path = rest.trim();
    (!path.is_empty()).then_some(Mapping {
        addresses: number(start)?..number(end)?,
        is_code: permissions.contains('x'),
        offset: number(offset)?,
        path,
    })
}

/// The kernel's library in this process: it is the same in all of them.
fn kernel_library() -> Option<Vec<u8>> {
    let map = fs::read_to_string("/proc/self/maps").ok()?;
    let own = map.lines().filter_map(mapping).find(|it| it.path == KERNEL_LIBRARY)?.addresses;
    let length = own.end - own.start;
    if length > LONGEST_KERNEL_LIBRARY {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    File::open("/proc/self/mem").ok()?.read_exact_at(&mut bytes, own.start).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_map_has_a_path_with_spaces_or_none() {
        let code = "7f1c000-7f2c000 r-xp 00026000 fe:01 1049  /opt/a b/libc.so.6";
        let expected = Mapping {
            addresses: 0x7f1_c000..0x7f2_c000,
            is_code: true,
            offset: 0x26000,
            path: "/opt/a b/libc.so.6",
        };
        assert_eq!(mapping(code), Some(expected));
        assert_eq!(mapping("7f1c000-7f2c000 rw-p 00000000 00:00 0 "), None);
        assert_eq!(mapping("nonsense"), None);
    }

    #[test]
    fn what_is_between_a_file_and_another_mapping_of_it_is_not_of_the_file() {
        let map = fs::read_to_string("/proc/self/maps").unwrap();
        let own = std::env::current_exe().unwrap();
        let addresses = |map: &str| {
            loaded_files(map).into_iter().find(|file| file.is_at(&own)).unwrap().addresses
        };
        let read = |start: &str| {
            format!("{start}000-{start}fff r--p 00000000 fe:01 1 {}\n", own.display())
        };
        let other = "ffff1000-ffff2000 rw-p 00000000 00:00 0 \n";
        let between =
            [read("ffff0"), other.to_owned(), map.clone(), read("7fffffffffff0")].concat();
        assert_eq!(addresses(&between), addresses(&map));
    }

    #[test]
    fn the_code_of_this_process_is_found_at_its_addresses() {
        let files = loaded_files(&fs::read_to_string("/proc/self/maps").unwrap());
        let own = std::env::current_exe().unwrap();
        let own = files.iter().find(|file| file.is_at(&own)).unwrap();
        let function = loaded_files as fn(&str) -> Vec<LoadedFile> as usize as u64;
        assert!(own.addresses.contains(&function));
        assert!(own.code(function..function + 4).is_some());
        assert!(own.eh_frame.is_some() && own.eh_frame_hdr.is_some() && own.has_symbols);
    }
}
