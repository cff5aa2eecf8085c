//! A kept test executable: its description, and how it is unpacked.

use crate::owner::Owner;
use perftest_core::list::IntoList;
use perftest_store::directory::{remove_left_behind, remove_such};
use perftest_store::line::{Fields, JsonLine, LineError, NotFinite, check_sum, check_version};
use perftest_store::{SCHEMA, StoreError, read_at_most};
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Hex digits of a SHA-256.
const DIGEST_DIGITS: usize = 64;

/// The conditions to run an executable again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    /// The build target, in the form of its tests' names: `codec::perf`.
    pub target: String,
    /// The working directory.
    pub directory: PathBuf,
    /// The arguments.
    pub arguments: Vec<String>,
    /// Names of the environment variables that were set, sorted.
    pub variables: Vec<String>,
}

/// A kept executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptExecutable {
    /// As in [`CodeState::executable`](perftest_core::model::CodeState::executable).
    pub hash: String,
    /// How it ran.
    pub launch: Launch,
    /// SHA-256 of all bytes: only these bytes ever run.
    digest: String,
    /// Its size.
    bytes: u64,
    /// The directory of the kept files.
    directory: PathBuf,
}

impl KeptExecutable {
    pub(crate) fn new(directory: &Path, hash: &str, bytes: &[u8], launch: Launch) -> Self {
        Self {
            hash: hash.to_owned(),
            launch,
            digest: sha256_hex(bytes),
            bytes: bytes.len() as u64,
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn encode(&self) -> Result<String, NotFinite> {
        let mut line = JsonLine::new();
        line.put("v", SCHEMA);
        line.put("kind", "executable");
        line.put("executable", self.hash.as_str());
        line.put("digest", self.digest.as_str());
        line.put("bytes", self.bytes);
        line.put_text("target", &self.launch.target);
        line.put_text("directory", &self.launch.directory.to_string_lossy());
        line.put_list("arguments", &self.launch.arguments);
        line.put_list("variables", &self.launch.variables);
        line.finish_sealed()
    }

    /// Decodes the text of [`encode`](Self::encode), stored beside the compressed bytes in
    /// `directory`.
    pub(crate) fn decode(directory: &Path, text: &str) -> Result<Self, LineError> {
        let line = text.trim_end().as_bytes();
        check_sum(line)?;
        let fields = Fields::parse(line)?;
        check_version(&fields)?;
        let launch = Launch {
            target: fields.get_or_default("target")?,
            directory: fields.get_or_default::<String>("directory")?.into(),
            arguments: fields.get_or_default("arguments")?,
            variables: fields.get_or_default("variables")?,
        };
        let hash: String = fields.need("executable")?;
        let digest: String = fields.need("digest")?;
        if digest.len() != DIGEST_DIGITS {
            return Err(LineError::Damaged("its digest is no SHA-256".to_owned()));
        }
        let bytes = fields.need("bytes")?;
        Ok(Self { hash, launch, digest, bytes, directory: directory.to_owned() })
    }

    /// Size of the compressed bytes.
    pub(crate) fn packed_bytes(&self) -> u64 {
        fs::metadata(packed_file(&self.directory, &self.hash)).map_or(0, |it| it.len())
    }

    /// Unpacks the executable to a file of its own beside `executable`, where programs may run. Removes what killed
    /// processes left there.
    ///
    /// The file's name is as long as that of `executable`. A process has its own path in memory, so a longer name moves
    /// what else is there. A test that allocates was 1.02x to 1.1x faster under a longer name in each of 12 comparisons
    /// on a busy machine, and up to 1.01x on a quiet one.
    ///
    /// # Errors
    /// [`StoreError::Untrusted`] when another user could have written the kept files;
    /// [`StoreError::Unreadable`] when they were damaged or removed meanwhile; otherwise when
    /// that directory cannot be written.
    pub fn unpack_beside(&self, executable: &Path) -> Result<UnpackedExecutable, StoreError> {
        let directory = executable.parent().unwrap_or(Path::new("."));
        remove_left_behind(directory, &|path| process_of(path).is_some());
        remove_such(directory, &is_of_dead_process);
        let length = executable.file_name().map_or(0, OsStr::len);
        let (path, file) = loop {
            let path = directory.join(name_of_length(length));
            match create_executable(&path) {
                Ok(file) => break (path, file),
                // Left by a process of the same number, as in a container before.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::writing(&path, error)),
            }
        };
        let unpacked = UnpackedExecutable { path };
        self.write_to(file, &unpacked.path)?;
        Ok(unpacked)
    }

    /// Unpacks the executable to this new file.
    ///
    /// # Errors
    /// As [`unpack_beside`](Self::unpack_beside).
    pub(crate) fn unpack_to(&self, path: &Path) -> Result<(), StoreError> {
        let file = create_executable(path).map_err(|error| StoreError::writing(path, error))?;
        self.write_to(file, path)
    }

    fn write_to(&self, mut file: File, path: &Path) -> Result<(), StoreError> {
        let writing = |error| StoreError::writing(path, error);
        let owner = Owner::of_created(&file).map_err(writing)?;
        file.write_all(&self.plain_bytes(owner)?).map_err(writing)
    }

    /// Returns the bytes, if only `owner` could have written them.
    fn plain_bytes(&self, owner: Owner) -> Result<Vec<u8>, StoreError> {
        owner.check_directory(&self.directory)?;
        owner.open(&description_file(&self.directory, &self.hash))?;
        let path = packed_file(&self.directory, &self.hash);
        let unreadable = |why: String| StoreError::Unreadable { path: path.clone(), why };
        let mut packed = Vec::new();
        let read = read_at_most(&mut owner.open(&path)?, Self::LARGEST_BYTES, &mut packed);
        read.map_err(|error| StoreError::reading(&path, error))?;
        let size = usize::try_from(self.bytes).ok().filter(|_| self.bytes <= Self::LARGEST_BYTES);
        let size = size.ok_or_else(|| unreadable(format!("{} bytes are too many", self.bytes)))?;
        let bytes = lz4_flex::block::decompress(&packed, size)
            .map_err(|error| unreadable(format!("it is damaged ({error})")))?;
        match sha256_hex(&bytes) == self.digest {
            true => Ok(bytes),
            false => Err(unreadable("it is damaged (its bytes are not those it had)".to_owned())),
        }
    }

    /// Largest executable that is kept.
    pub const LARGEST_BYTES: u64 = 256 << 20;
}

/// Returns a name for unpacked programs, which no other process and no other call uses.
pub(crate) fn name_of_programs() -> String {
    let begin = [UnpackedExecutable::PREFIX, UnpackedExecutable::PROGRAMS].concat();
    format!("{begin}{}-{}", std::process::id(), next_number())
}

/// Returns such a name for an executable, of so many bytes where that has room for it.
fn name_of_length(bytes: usize) -> String {
    let begin = format!("{}{}-", UnpackedExecutable::PREFIX, std::process::id());
    let digits = bytes.saturating_sub(begin.len() + EXE_SUFFIX.len());
    format!("{begin}{:0digits$}{EXE_SUFFIX}", next_number())
}

/// The number of the name in this process.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Returns the SHA-256 of the bytes, as 64 hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hmac_sha256::Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).joined("")
}

/// Returns the path of an executable's description.
pub(crate) fn description_file(directory: &Path, hash: &str) -> PathBuf {
    directory.join(format!("{hash}.json"))
}

/// Returns the number of the process that unpacked this, as its name says; `None` for other files.
fn process_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let rest = name.strip_prefix(UnpackedExecutable::PREFIX)?;
    let rest = rest.strip_prefix(UnpackedExecutable::PROGRAMS).unwrap_or(rest);
    let (process, number) = rest.strip_suffix(EXE_SUFFIX).unwrap_or(rest).split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

/// Returns whether a process that is over unpacked this, as after Ctrl-C. `false` where the
/// system does not list its processes.
fn is_of_dead_process(path: &Path) -> bool {
    let processes = Path::new("/proc");
    let is_gone = |process: u32| !processes.join(process.to_string()).exists();
    processes.join("self").exists() && process_of(path).is_some_and(is_gone)
}

/// Returns the path of an executable's compressed bytes.
pub(crate) fn packed_file(directory: &Path, hash: &str) -> PathBuf {
    directory.join(format!("{hash}.lz4"))
}

/// An executable file that is removed when this value is dropped.
#[derive(Debug)]
pub struct UnpackedExecutable {
    path: PathBuf,
}

impl UnpackedExecutable {
    /// Begins the name of every unpacked executable. Names of cargo's executables have no second hyphen. It is short
    /// because the whole name is to be no longer than theirs, which end in `-` and 16 digits.
    pub const PREFIX: &str = "last-good-";
    /// Follows in the name of a directory with unpacked programs.
    const PROGRAMS: &str = "programs-";

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for UnpackedExecutable {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn create_executable(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o700);
    options.open(path)
}
