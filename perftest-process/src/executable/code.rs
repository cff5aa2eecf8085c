//! Hashes of an executable's machine code.

use super::built_libraries::built_libraries;
use super::constants::digest_of_constants;
use super::elf::{Elf, ReadSeek};
use perftest_core::list::IntoList;
use perftest_core::model::CodeState;
use perftest_core::text::Text;
use perftest_store::{Cache, Digest, file_state};
use std::fs::File;
use std::io::{self, Cursor, SeekFrom};
use std::path::{Path, PathBuf};

/// The section of the code. Two executables with equal ones have the same code, if their [`CONSTANTS`], their
/// [`VARIABLES`] and their constants with addresses are equal too.
const CODE: &str = ".text";
/// The section of the constants. Some linkers leave parts of it apart, such as `.rodata.cst16`.
const CONSTANTS: &str = ".rodata";
/// The sections with the first values of variables, which some executables lack.
const VARIABLES: [&str; 2] = [".data", ".tdata"];

/// Returns the hashes of an executable with these bytes.
///
/// ```
/// let code = perftest_process::code_of(b"no format that is known");
/// assert_eq!(code.text, code.executable);
/// ```
pub fn code_of(bytes: &[u8]) -> CodeState {
    // Reading from memory cannot fail.
    code_of_source(&mut Cursor::new(bytes)).unwrap_or_default()
}

/// Returns the hashes of the executable in this file. The shared libraries that cargo built for it are part of its
/// code: see [`built_libraries`], also for `library_path`. `cache` keeps the hashes of a file until it changes.
///
/// # Errors
/// When a file cannot be read.
pub fn code_of_file(
    path: &Path,
    library_path: &[PathBuf],
    cache: Option<&Cache>,
) -> io::Result<CodeState> {
    let own = code_of_single_file(path, cache)?;
    let libraries = built_libraries(path, path, library_path);
    if libraries.is_empty() {
        return Ok(own);
    }
    let codes = libraries.iter().map(|library| code_of_single_file(library, cache));
    let codes = codes.into_list_of_ok()?;
    let with_libraries = |own: &str| {
        Digest::of_fields([own].into_iter().chain(codes.iter().map(|it| it.text.as_str()))).hex16()
    };
    let (executable, text) = (with_libraries(&own.executable), with_libraries(&own.text));
    Ok(CodeState { executable, text, ..own })
}

fn code_of_single_file(path: &Path, cache: Option<&Cache>) -> io::Result<CodeState> {
    let mut file = File::open(path)?;
    let state = file_state(&file.metadata()?);
    let Some((cache, state)) = cache.zip(state) else {
        return code_of_source(&mut file);
    };
    let key = ["code_and_constants", &state];
    if let Some(code) = cache.get(&key).and_then(|text| decode(&text)) {
        return Ok(code);
    }
    let code = code_of_source(&mut file)?;
    let is_unchanged = file_state(&file.metadata()?).is_some_and(|now| now == state);
    if is_unchanged {
        cache.put(&key, &format!("{} {}", code.executable, code.text));
    }
    Ok(code)
}

fn decode(text: &str) -> Option<CodeState> {
    let (executable, text) = text.cut(' ')?;
    let is_code = Digest::is_hex16(executable) && Digest::is_hex16(text);
    is_code.then(|| CodeState {
        executable: executable.to_owned(),
        text: text.to_owned(),
        programs: Vec::new(),
    })
}

/// Skips debug information, most of an executable, if the linker wrote a build id. Of another format the whole file counts
/// as code, so a rebuild counts as new code.
fn code_of_source(source: &mut dyn ReadSeek) -> io::Result<CodeState> {
    let elf = Elf::open(&mut *source).ok();
    let parts = elf.and_then(|mut elf| Some((elf.build_id(), text_of(&mut elf)?)));
    let executable = match &parts {
        // Tools that change an executable later keep its build id, but its size nearly always
        // changes.
        Some((Some(id), text)) => {
            let mut digest = Digest::of(id);
            digest.update(&source.seek(SeekFrom::End(0))?.to_le_bytes());
            digest.update(text.as_bytes());
            digest.hex16()
        }
        _ => digest_of_all(source)?,
    };
    let text = parts.map_or_else(|| executable.clone(), |(_, text)| text);
    Ok(CodeState { executable, text, programs: Vec::new() })
}

fn digest_of_all(source: &mut dyn ReadSeek) -> io::Result<String> {
    source.seek(SeekFrom::Start(0))?;
    Ok(Digest::of_large_source(source)?.hex16())
}

/// Returns `None` if there is no code, or a section is cut off.
fn text_of(elf: &mut Elf<'_>) -> Option<String> {
    let mut hashes = vec![elf.digest_of_section(CODE)?.hex16()];
    hashes.extend(elf.digests_of_sections(CONSTANTS)?.into_iter().map(Digest::hex16));
    let mut hash = |name: &&str| elf.digest_of_section(name).map(Digest::hex16).unwrap_or_default();
    hashes.extend(VARIABLES.iter().map(&mut hash));
    hashes.push(digest_of_constants(elf).map(Digest::hex16).unwrap_or_default());
    Some(Digest::of_fields(hashes.iter().map(String::as_str)).hex16())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::Project;
    use perftest_store::conformance::scratch;
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn this_executable_has_code_of_its_own() {
        let bytes = this_executable();
        let mut elf = Elf::open(Cursor::new(&bytes)).unwrap();
        assert!(
            [CODE, CONSTANTS].iter().all(|name| elf.section(name).unwrap().bytes.len() > 1_000)
        );
        let code = code_of(&bytes);
        assert_ne!(code.text, code.executable);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn a_change_of_the_code_is_another_text_and_another_executable() {
        let mut bytes = this_executable();
        let before = code_of(&bytes);
        let some_code = Elf::open(Cursor::new(&bytes)).unwrap().section(".text").unwrap().bytes;
        let at = bytes.windows(64).position(|window| window == &some_code[..64]).unwrap();
        bytes[at] ^= 1;
        let after = code_of(&bytes);
        assert_ne!((&before.text, &before.executable), (&after.text, &after.executable));
        assert_ne!(before.executable, after.executable);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn another_first_value_of_a_variable_is_another_text() {
        static CHUNK: AtomicU64 = AtomicU64::new(0x5eed_0fda_7a1e_55ed);
        let mut bytes = this_executable();
        let before = code_of(&bytes).text;
        let first = CHUNK.load(Ordering::Relaxed).to_le_bytes();
        let variables = Elf::open(Cursor::new(&bytes)).unwrap().offset_of_section(".data").unwrap();
        let place = bytes[variables as usize..].windows(8).position(|it| it == first).unwrap();
        bytes[variables as usize + place] ^= 1;
        assert_ne!(code_of(&bytes).text, before);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn another_build_id_or_size_is_another_executable_with_the_same_text() {
        let mut bytes = this_executable();
        let before = code_of(&bytes);
        let id = Elf::open(Cursor::new(&bytes)).unwrap().build_id();
        let id = id.expect("the linker of the tests writes a build id");
        bytes.push(0);
        let longer = code_of(&bytes);
        bytes.pop();
        let at = bytes.windows(id.len()).position(|window| window == id).unwrap();
        bytes[at] ^= 1;
        let relinked = code_of(&bytes);
        assert_eq!([&longer.text, &relinked.text], [&before.text; 2]);
        let mut executables = [before, longer, relinked].map(|it| it.executable).to_vec();
        executables.sort_unstable();
        executables.dedup();
        assert_eq!(executables.len(), 3);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn without_a_build_id_a_change_outside_the_code_is_another_executable() {
        let mut bytes = this_executable();
        let name = b".note.gnu.build-id";
        // The table of names is near the end.
        let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap();
        bytes[at + 1] = b'N';
        let before = code_of(&bytes);
        // The padding of the ELF identification is outside every section.
        bytes[9] ^= 1;
        let after = code_of(&bytes);
        assert_eq!(before.text, after.text);
        assert_ne!(before.executable, after.executable);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn constants_that_the_linker_has_left_apart_are_code() {
        let mut bytes = this_executable();
        let (other, apart) = (b".gcc_except_table\0", b".rodata.cst16\0");
        let contents =
            Elf::open(Cursor::new(&bytes)).unwrap().offset_of_section(".gcc_except_table");
        let at = bytes.windows(other.len()).rposition(|window| window == other).unwrap();
        bytes[at..at + apart.len()].copy_from_slice(apart);
        let before = code_of(&bytes).text;
        bytes[contents.unwrap() as usize] ^= 1;
        assert_ne!(code_of(&bytes).text, before);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn tables_of_addresses_are_code_also_without_other_constants() {
        let mut bytes = this_executable();
        let contents = Elf::open(Cursor::new(&bytes)).unwrap().offset_of_section(".data.rel.ro");
        let name = b"\0.rodata\0";
        let at = bytes.windows(name.len()).rposition(|window| window == name).unwrap();
        bytes[at + 2] = b'x';
        let before = code_of(&bytes).text;
        bytes[contents.unwrap() as usize..][..4096].fill(1);
        assert_ne!(code_of(&bytes).text, before);
    }

    #[test]
    fn a_truncated_executable_is_hashed_as_a_whole_and_panics_nowhere() {
        let bytes = this_executable();
        for cut in [0, 5, 40, 63, 64, 1_000, bytes.len() / 2] {
            let code = code_of(&bytes[..cut]);
            assert_eq!(code.text, code.executable);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_is_hashed_once_until_it_is_written_or_replaced() {
        let root = scratch("code-kept");
        let cache = Cache::open(&root, &Project { name: "codec".into(), slug: "codec.0".into() });
        let path = root.join("program");
        let code = || code_of_file(&path, &[], Some(&cache)).unwrap();
        let later = |seconds| {
            let file = File::options().append(true).open(&path).unwrap();
            let then = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            file.set_modified(then).unwrap();
        };
        fs::write(&path, "first").unwrap();
        let state = file_state(&fs::metadata(&path).unwrap()).unwrap();
        assert_eq!(code(), code_of(b"first"));
        let key = ["code_and_constants", &state];
        let planted =
            CodeState { executable: "0".repeat(16), text: "1".repeat(16), programs: Vec::new() };
        cache.put(&key, &format!("{} {}", planted.executable, planted.text));
        assert_eq!(code(), planted, "from the cache");
        cache.put(&key, "no hashes");
        assert_eq!(code(), code_of(b"first"), "a text that is no answer is none");
        fs::write(&path, "other").unwrap();
        later(1_000);
        assert_eq!(code(), code_of(b"other"), "written");
        let new = root.join("new");
        fs::write(&new, "third").unwrap();
        fs::rename(&new, &path).unwrap();
        later(1_000);
        assert_eq!(code(), code_of(b"third"), "replaced, as large and as old");
    }

    /// A copy of this executable in the place of a test, which needs some library of another place. Returns its path and
    /// the name of the library.
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn with_library(root: &Path, place: &str) -> (PathBuf, String) {
        let path = root.join(place).join("program");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
        let mut elf = Elf::open(fs::File::open(&path).unwrap()).unwrap();
        let needed = elf.needed_libraries();
        (path, needed.into_iter().find(|name| name.starts_with("libc.")).unwrap())
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn another_library_that_cargo_built_is_another_build_with_other_code() {
        for place in ["deps", "build/codec/0804/out"] {
            let root = scratch("code-library");
            let (path, library) = with_library(&root, place);
            let code = || code_of_file(&path, &[], None).unwrap();
            let alone = code();
            let codes = ["first", "other"].map(|content| {
                fs::write(root.join(&library), content).unwrap();
                code()
            });
            for [one, other] in [[&codes[0], &codes[1]], [&codes[0], &alone], [&codes[1], &alone]] {
                assert!(one.executable != other.executable && one.text != other.text);
            }
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
    fn so_is_another_library_of_a_build_script_and_one_that_this_library_needs() {
        let root = scratch("code-library-of-library");
        let (path, library) = with_library(&root, "deps");
        let directory = root.join("build/zlib-1f/out");
        fs::create_dir_all(&directory).unwrap();
        let code = || code_of_file(&path, std::slice::from_ref(&directory), None).unwrap().text;
        // Needs the same libraries, and only it has the second one under its name.
        let (first, second) = (directory.join(&library), "libgcc_s.so.1");
        fs::copy(&path, &first).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let name = bytes.windows(second.len()).position(|it| it == second.as_bytes()).unwrap();
        bytes[name + 3] = b'x';
        fs::write(&path, bytes).unwrap();
        let with_first = code();
        fs::write(directory.join(second), "second").unwrap();
        let with_second = code();
        fs::remove_file(first).unwrap();
        assert!(with_first != code() && with_second != code() && with_first != with_second);
    }

    fn this_executable() -> Vec<u8> {
        fs::read(std::env::current_exe().unwrap()).unwrap()
    }
}
