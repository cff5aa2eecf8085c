//! Executables: their code and symbols, and those that are kept.

use crate::provenance::functions;
use crate::scratch::in_empty_directory;
use perftest_process::elf::{Elf, text_at};
use perftest_process::{Executables, Launch, code_of, sha256_hex};
use perftest_store::{Digest, Project};
use std::fs;
use std::io::Cursor;
use std::path::Path;

/// The sections that are read, and some that programs have as well.
const SECTIONS: [&str; 7] =
    [".text", ".rodata", ".symtab", ".strtab", ".note.gnu.build-id", ".bss", ""];
/// The program that is kept: no format that is known.
const PROGRAM: &[u8] = b"#!/bin/sh\nexit 0\n";

/// Sections and symbols are inside of the file, whatever its headers claim; only bytes that were kept come out of a
/// kept executable.
pub(super) fn run(data: &[u8]) {
    let code = code_of(data);
    assert!(Digest::is_hex16(&code.text) && Digest::is_hex16(&code.executable));
    if let Ok(mut elf) = Elf::open(Cursor::new(data)) {
        let has_constants = elf.digests_of_sections(".rodata").is_some();
        let is_code = elf.digest_of_section(".text").is_some() && has_constants;
        assert_eq!(is_code, code.text != code.executable);
        SECTIONS.iter().for_each(|name| is_inside(&mut elf, name, data));
        assert!(elf.build_id().is_none_or(|id| !id.is_empty()));
        of_symbols(&mut elf);
    }
    in_empty_directory(|root| of_kept(root, data));
}

fn is_inside(elf: &mut Elf<'_>, name: &str, data: &[u8]) {
    let digest = elf.digest_of_section(name).map(Digest::hex16);
    let Some(section) = elf.section(name) else {
        assert_eq!(digest, None, "{name}");
        return;
    };
    assert_eq!(digest, Some(Digest::of_large_block(&section.bytes).hex16()), "{name}");
    let offset = elf.offset_of_section(name).unwrap() as usize;
    assert!(data[offset..].starts_with(&section.bytes), "{name}");
    let begin = section.address;
    if let Some(end) = begin.checked_add(section.bytes.len() as u64).filter(|it| *it < u64::MAX) {
        assert_eq!(section.at(begin..end), Some(&*section.bytes));
        assert_eq!(section.at(begin..end + 1), None);
    }
    for offset in 0..section.bytes.len().min(64) {
        assert!(text_at(&section.bytes, offset).is_some_and(|text| !text.contains(&0)));
    }
}

fn of_symbols(elf: &mut Elf<'_>) {
    let functions = functions(elf);
    assert!(functions.is_sorted_by(|(one, _), (next, _)| one < next));
    assert!(functions.iter().all(|(_, name)| !name.contains('\0')), "{functions:?}");
}

/// Puts the data in the place of the compressed bytes, and then of their description.
fn of_kept(root: &Path, data: &[u8]) {
    let project = Project { name: "codec".into(), slug: "codec.0b1c2d3e".into() };
    let executables = Executables::open(root, &project);
    let (program, hash) = (root.join("program"), code_of(PROGRAM).executable);
    fs::write(&program, PROGRAM).unwrap();
    assert!(executables.keep(&program, &[], &hash, &Launch::default()).unwrap());
    let directory = project.directory(root).join("executables");
    let [packed, description] = ["lz4", "json"].map(|it| directory.join(format!("{hash}.{it}")));
    let kept = executables.find(&hash).unwrap().unwrap();
    let bytes = fs::read(&packed).unwrap();
    fs::write(&packed, data).unwrap();
    if let Ok(unpacked) = kept.unpack_beside(&root.join("perf")) {
        assert_eq!(fs::read(unpacked.path()).unwrap(), PROGRAM);
    }
    fs::write(&packed, bytes).unwrap();
    fs::write(&description, data).unwrap();
    if let Ok(Some(other)) = executables.find(&hash) {
        assert_eq!(other.hash, hash);
        // A description that nobody damaged may have another digest: then these bytes are not the right ones.
        let unpacked =
            other.unpack_beside(&root.join("perf")).map(|it| fs::read(it.path()).unwrap());
        assert!(unpacked.is_err() || contains(data, sha256_hex(PROGRAM).as_bytes()));
    }
}

fn contains(data: &[u8], part: &[u8]) -> bool {
    data.windows(part.len()).any(|it| it == part)
}
