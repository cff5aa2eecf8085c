//! What cargo reads round the current directory: the workspace's manifest, its own
//! configurations, and variables.

use crate::cargo::{cargo, output_of};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Files that decide how tests are built.
#[derive(Debug)]
pub(crate) struct CargoFiles {
    manifest: Table,
    /// Cargo's configurations, the nearest first.
    pub(crate) configs: Vec<Table>,
}

impl CargoFiles {
    /// Reads them; `None` where cargo finds no project.
    pub(crate) fn read(here: &Path) -> Option<Self> {
        let manifest = read(&workspace_manifest(here)?)?;
        let configs = config_files(here).into_iter().map(|(_, config)| config).collect();
        Some(Self { manifest, configs })
    }

    /// What says something about a profile, those that count more first.
    pub(crate) fn profile_layers(&self, profile: &str) -> Vec<Table> {
        let variables: Vec<(OsString, OsString)> = env::vars_os().collect();
        // It may inherit from one of these.
        let names = [profile, "release", "dev"];
        let from_variables = names.map(|profile| from_variables(profile, &variables));
        let files = self.configs.iter().chain([&self.manifest]);
        from_variables.into_iter().chain(files.cloned()).collect()
    }
}

/// The manifest of the workspace: cargo knows best which one it is.
fn workspace_manifest(here: &Path) -> Option<PathBuf> {
    let mut cargo = cargo(here);
    cargo.args(["locate-project", "--workspace", "--message-format", "plain"]);
    let answer = output_of(&mut cargo).ok()?;
    let path = String::from_utf8(answer.stdout).ok()?;
    let path = path.trim_end_matches(['\r', '\n']);
    (answer.status.success() && !path.is_empty()).then(|| path.into())
}

/// Cargo's configurations from this directory upwards, and the user's, with where they are.
pub(crate) fn config_files(here: &Path) -> Vec<(PathBuf, Table)> {
    let mut directories: Vec<PathBuf> =
        here.ancestors().map(|directory| directory.join(".cargo")).collect();
    let own = || Some(directories::BaseDirs::new()?.home_dir().join(".cargo"));
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(own);
    let home = home.filter(|home| !directories.contains(home));
    directories.extend(home);
    let read_one = |directory: PathBuf| {
        let path = config_in(&directory);
        read(&path).map(|config| (path, config))
    };
    directories.into_iter().filter_map(read_one).collect()
}

/// The configuration in a directory `.cargo`: where both names are used, cargo takes the one without
/// an ending.
pub(crate) fn config_in(directory: &Path) -> PathBuf {
    let old_name = directory.join("config");
    if old_name.is_file() { old_name } else { directory.join("config.toml") }
}

/// A file's table. One that is none stops cargo itself, before this is asked.
fn read(path: &Path) -> Option<Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// `CARGO_PROFILE_RELEASE_LTO=thin` and the like, as if they stood in a file.
fn from_variables(profile: &str, variables: &[(OsString, OsString)]) -> Table {
    let prefix = format!("CARGO_PROFILE_{}_", profile.to_uppercase().replace('-', "_"));
    let entry = |(name, value): &(OsString, OsString)| {
        let key = name.to_str()?.strip_prefix(&prefix)?.to_lowercase().replace('_', "-");
        Some((key, Value::String(value.to_str()?.to_owned())))
    };
    let of_profile: Table = variables.iter().filter_map(entry).collect();
    let named = Table::from_iter([(profile.to_owned(), Value::Table(of_profile))]);
    Table::from_iter([("profile".to_owned(), Value::Table(named))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_count_as_a_file_would() {
        let variables = [
            ("CARGO_PROFILE_MY_PERF_CODEGEN_UNITS", "1"),
            ("CARGO_PROFILE_RELEASE_LTO", "fat"),
            ("CARGO_HOME", "x"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let expected: Table = "profile.my-perf.codegen-units = '1'".parse().unwrap();
        assert_eq!(from_variables("my-perf", &variables), expected);
    }
}
