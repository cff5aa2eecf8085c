//! The files and variables that cargo reads for the current directory: the workspace's manifest,
//! its own configurations, and environment variables.

use crate::cargo::{cargo, output_of};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Files that decide how tests are built.
#[derive(Debug)]
pub(crate) struct CargoFiles {
    manifest: Table,
    /// The name of the package around the directory; `None` between those of a workspace.
    pub(crate) package: Option<String>,
    /// Cargo's configurations, the nearest first.
    pub(crate) configs: Vec<Table>,
    /// The text of nextest's configuration, if there is one.
    pub(crate) nextest: Option<String>,
}

impl CargoFiles {
    /// Reads the files; `None` if cargo finds no project.
    pub(crate) fn read(here: &Path) -> Option<Self> {
        let path = manifest_path(here, &["--workspace"])?;
        let manifest = read(&path)?;
        let own = manifest_path(here, &[]).and_then(|path| read(&path));
        let package = own.and_then(|it| Some(it.get("package")?.get("name")?.as_str()?.to_owned()));
        let nextest = std::fs::read_to_string(path.with_file_name(".config/nextest.toml"));
        Some(Self { manifest, package, configs: config_tables(here), nextest: nextest.ok() })
    }

    /// Returns the tables about a profile, the strongest first.
    pub(crate) fn profile_layers(&self, profile: &str) -> Vec<Table> {
        let variables: Vec<(OsString, OsString)> = env::vars_os().collect();
        // The profile may inherit from one of these.
        let names = [profile, "release", "dev"];
        let from_variables = names.map(|profile| from_variables(profile, &variables));
        let files = self.configs.iter().chain([&self.manifest]);
        from_variables.into_iter().chain(files.cloned()).collect()
    }
}

/// Returns the manifest that cargo locates with these options.
fn manifest_path(here: &Path, options: &[&str]) -> Option<PathBuf> {
    let mut cargo = cargo(here);
    cargo.args(["locate-project", "--message-format", "plain"]).args(options);
    let answer = output_of(&mut cargo).ok()?;
    let path = String::from_utf8(answer.stdout).ok()?;
    let path = path.trim_end_matches(['\r', '\n']);
    (answer.status.success() && !path.is_empty()).then(|| path.into())
}

/// Returns cargo's configurations, the nearest first.
pub(crate) fn config_tables(here: &Path) -> Vec<Table> {
    config_files(here).into_iter().map(|(_, config)| config).collect()
}

/// Returns cargo's configurations from this directory upwards, and the user's, with their paths.
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

/// Returns the path of the configuration in a directory `.cargo`: if both names exist, cargo uses
/// the one without an extension.
pub(crate) fn config_in(directory: &Path) -> PathBuf {
    let old_name = directory.join("config");
    if old_name.is_file() { old_name } else { directory.join("config.toml") }
}

/// Reads a file's table. An invalid file stops cargo itself earlier.
fn read(path: &Path) -> Option<Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// Converts `CARGO_PROFILE_RELEASE_LTO=thin` and similar variables to the form of a file.
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
