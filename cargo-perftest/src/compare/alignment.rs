//! Adds the flag that aligns functions to the flags of a side. Cargo reads flags from one place
//! only, so the flag must be added there.

use crate::cargo_files::CargoFiles;
use crate::doctor::{ALIGNMENT_FLAG, FlagPlace, flag_sources};
use crate::target_platform::TargetPlatform;
use std::env;
use std::path::Path;
use std::process::Command;

/// Makes `cargo`, to be run in `directory`, align functions. An alignment that the user has chosen
/// stays: the compiler accepts the flag only once.
pub(super) fn align(cargo: &mut Command, directory: &Path, target: Option<&str>) {
    let variable = |name: &str| env::var(name).ok();
    let files = CargoFiles::read(directory);
    let configs = files.map(|files| files.configs).unwrap_or_default();
    let platform = TargetPlatform::ask(directory, target);
    let sources = flag_sources(variable, &configs, &platform);
    if sources.first().is_some_and(|source| source.alignment().is_some()) {
        return;
    }
    let flags = format!("rustflags=[\"-C\", \"{ALIGNMENT_FLAG}\"]");
    let added = |name: &str, between: &str, flag: &str| {
        let present = env::var(name).unwrap_or_default();
        let between = if present.is_empty() { "" } else { between };
        format!("{present}{between}{flag}")
    };
    match sources.first().map(|source| source.place()) {
        Some(FlagPlace::EncodedVariable) => {
            let name = "CARGO_ENCODED_RUSTFLAGS";
            cargo.env(name, added(name, "\u{1f}", &format!("-C{ALIGNMENT_FLAG}")))
        }
        Some(FlagPlace::Variable) => {
            cargo.env("RUSTFLAGS", added("RUSTFLAGS", " ", &format!("-C{ALIGNMENT_FLAG}")))
        }
        // Cargo joins flags under a matching condition with those of the triple.
        Some(FlagPlace::Target) => {
            cargo.arg("--config").arg(format!("target.'cfg(all())'.{flags}"))
        }
        Some(FlagPlace::Build) | None => cargo.arg("--config").arg(format!("build.{flags}")),
    };
}
