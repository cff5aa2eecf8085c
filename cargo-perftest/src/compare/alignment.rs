//! Adds the flag that aligns functions to the flags of a side. Cargo reads flags from one place
//! only, so the flag must be added there.

use crate::cargo_files::config_tables;
use crate::doctor::{ALIGNMENT_FLAG, FlagPlace, flag_sources};
use crate::target_platform::TargetPlatform;
use std::env;
use std::path::Path;
use std::process::Command;

/// Makes `cargo`, to be run in `directory`, align functions. An alignment that the user has chosen
/// stays: the compiler accepts the flag only once.
pub(super) fn align(cargo: &mut Command, directory: &Path, target: Option<&str>) {
    let variable = |name: &str| env::var(name).ok();
    let configs = config_tables(directory);
    let platform = TargetPlatform::of_build(directory, &configs, target);
    let sources = flag_sources(variable, &configs, &platform);
    if sources.first().is_some_and(|source| source.alignment().is_some()) {
        return;
    }
    // Cargo adds the last two to what files have, whether that is a list or a text.
    let (name, between) = match sources.first().map(|source| source.place()) {
        Some(FlagPlace::EncodedVariable) => ("CARGO_ENCODED_RUSTFLAGS".to_owned(), "\u{1f}"),
        Some(FlagPlace::Variable) => ("RUSTFLAGS".to_owned(), " "),
        Some(FlagPlace::Target) => (platform.flag_variable(), " "),
        Some(FlagPlace::Build) | None => ("CARGO_BUILD_RUSTFLAGS".to_owned(), " "),
    };
    let present = variable(&name).unwrap_or_default();
    let between = if present.is_empty() { "" } else { between };
    cargo.env(name, format!("{present}{between}-C{ALIGNMENT_FLAG}"));
}
