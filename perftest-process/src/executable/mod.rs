//! Test executables: their machine code, and the kept ones.

mod code;
pub mod elf;
mod executables;
mod kept_executable;

pub use code::{code_of, code_of_file};
pub use executables::Executables;
pub use kept_executable::{KeptExecutable, Launch, UnpackedExecutable, sha256_hex};
