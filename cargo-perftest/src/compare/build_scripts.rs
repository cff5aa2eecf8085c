//! The build scripts of a checkout.

use crate::exit::{CommandError, Result};
use crate::git_checkout::GitCheckout;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use toml::Table;

/// Makes cargo run the build scripts of all packages in this checkout again.
pub(super) fn run_build_scripts_again(checkout: &GitCheckout) -> Result<()> {
    let manifests = checkout.git(&["ls-files", "-z", "--", "Cargo.toml", "*/Cargo.toml"])?;
    for manifest in manifests.split_terminator('\0') {
        let script = build_script(&checkout.root.join(manifest));
        let Some(Ok(script)) = script.map(|path| File::options().append(true).open(path)) else {
            continue;
        };
        let now = FileTimes::new().set_modified(SystemTime::now());
        script.set_times(now).map_err(|error| {
            CommandError::Usage(format!("the time of a build script cannot be set: {error}"))
        })?;
    }
    Ok(())
}

/// Returns where the build script of this package is, if it has one.
fn build_script(manifest: &Path) -> Option<PathBuf> {
    let table: Table = fs::read_to_string(manifest).ok()?.parse().ok()?;
    let named = table.get("package")?.get("build").and_then(|it| it.as_str());
    Some(manifest.with_file_name(named.unwrap_or("build.rs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_script_has_the_usual_name_or_that_of_the_manifest() {
        let directory = tempfile::tempdir().unwrap();
        let manifest = directory.path().join("Cargo.toml");
        let script_of = |text: &str| {
            fs::write(&manifest, text).unwrap();
            build_script(&manifest)
        };
        let below = |name: &str| Some(directory.path().join(name));
        assert_eq!(script_of("[package]\nname = \"a\""), below("build.rs"));
        assert_eq!(script_of("[package]\nbuild = \"tools/make.rs\""), below("tools/make.rs"));
        assert_eq!(script_of("[workspace]"), None);
    }
}
