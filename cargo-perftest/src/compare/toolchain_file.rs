//! The file that names a compiler, where it has no effect.

use super::SourceRevision;
use crate::git_checkout::GitCheckout;
use crate::report::print_progress;
use std::env;
use std::path::Path;

/// Notes a toolchain file that differs between two revisions. It has no effect: rustup has chosen the compiler before the
/// tool started.
pub(super) fn note_toolchain(
    repository: &GitCheckout,
    base: &SourceRevision,
    head: &SourceRevision,
) {
    let Some(toolchain) = env::var_os("RUSTUP_TOOLCHAIN") else { return };
    let mut files = repository.below.ancestors().flat_map(|directory| {
        ["rust-toolchain", "rust-toolchain.toml"].map(|name| directory.join(name))
    });
    let blob = |file: &Path, revision: &SourceRevision| {
        let place = format!("{}:{}", revision.commit, file.to_string_lossy().replace('\\', "/"));
        repository.git(&["rev-parse", "--verify", "--quiet", &place]).ok()
    };
    if let Some(file) = files.find(|file| blob(file, base) != blob(file, head)) {
        print_progress(&format_args!(
            "note: {} differs between {base} and {head}, and both are built by {}: what another compiler costs is not \
             compared",
            file.display(),
            toolchain.display()
        ));
    }
}
