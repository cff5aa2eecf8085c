//! Test executables and the programs that they start: their machine code, and the kept ones.

mod artifact_directory;
mod built_libraries;
mod code;
mod constants;
pub mod elf;
mod executables;
mod kept_build;
mod kept_executable;
mod programs;

pub use artifact_directory::artifact_directory;
pub use built_libraries::{LIBRARY_PATH_VARIABLE, built_libraries, library_path};
pub use code::{code_of, code_of_file};
pub use executables::Executables;
pub use kept_build::{KeptBuild, UnpackedBuild};
pub use kept_executable::{KeptExecutable, Launch, UnpackedExecutable, sha256_hex};
pub use programs::code_with_programs;
