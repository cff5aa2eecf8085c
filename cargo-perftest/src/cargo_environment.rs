//! The variables that cargo sets for the tests that it starts, by `[env]` in its configurations. It sets none for a
//! subcommand such as this tool.

use crate::cargo_files::config_files;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Variables with their values.
pub(crate) type CargoEnvironment = BTreeMap<String, OsString>;

/// Returns the variables that cargo sets for tests when it runs in `directory`.
pub(crate) fn cargo_environment(directory: &Path) -> CargoEnvironment {
    configured(&config_files(directory), |name| env::var_os(name).is_some())
}

/// Returns how to read a variable as the tests read it that cargo starts in `directory`.
pub(crate) fn variables_of_tests(directory: &Path) -> impl Fn(&str) -> Option<OsString> + use<> {
    let configured = cargo_environment(directory);
    move |name| configured.get(name).cloned().or_else(|| env::var_os(name))
}

/// Returns the variables in these configurations, the nearest first, without those that the user has set already.
///
/// Source: The Cargo Book, Configuration, `[env]`.
fn configured(configs: &[(PathBuf, Table)], is_set: impl Fn(&str) -> bool) -> CargoEnvironment {
    let mut entries: BTreeMap<&str, (&Path, Table)> = BTreeMap::new();
    // Of several values the nearest is written last. Options that it lacks stay.
    for (path, config) in configs.iter().rev() {
        for (name, entry) in config.get("env").and_then(Value::as_table).into_iter().flatten() {
            let (nearest, options) = entries.entry(name).or_insert_with(|| (path, Table::new()));
            *nearest = path;
            options.extend(options_of(entry));
        }
    }
    entries.retain(|name, (_, options)| !is_set(name) || has(options, "force"));
    let variables = entries.into_iter();
    variables.filter_map(|(name, (path, it))| Some((name.to_owned(), value(&it, path)?))).collect()
}

/// Returns the table of an entry, which may be a text alone.
fn options_of(entry: &Value) -> Table {
    match entry {
        Value::Table(options) => options.clone(),
        text => Table::from_iter([("value".to_owned(), text.clone())]),
    }
}

/// Returns the value of an entry of this configuration.
fn value(options: &Table, config: &Path) -> Option<OsString> {
    let text = options.get("value")?.as_str()?;
    // A path begins at the directory around `.cargo`.
    let around = config.ancestors().nth(2).filter(|_| has(options, "relative"));
    Some(around.map_or_else(|| text.into(), |around| around.join(text).into()))
}

fn has(options: &Table, option: &str) -> bool {
    options.get(option).and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables of configurations, the nearest first, where `SET` is set already.
    fn variables(configs: &[(&str, &str)]) -> Vec<(String, OsString)> {
        let configs = configs.iter().map(|(path, text)| (path.into(), text.parse().unwrap()));
        let configs: Vec<(PathBuf, Table)> = configs.collect();
        configured(&configs, |name| name == "SET").into_iter().collect()
    }

    #[test]
    fn the_nearest_value_counts() {
        let near = ("/w/a/.cargo/config.toml", "[env]\nA = { value = 'near' }\nB = 'text'");
        let far = ("/w/.cargo/config.toml", "[env]\nA = { value = 'far' }\nC = 'c'");
        let expected = [("A", "near"), ("B", "text"), ("C", "c")];
        assert_eq!(variables(&[near, far]), expected.map(|(name, it)| (name.into(), it.into())));
        assert_eq!(variables(&[("/w/.cargo/config.toml", "build.jobs = 1")]), []);
    }

    #[test]
    fn options_that_the_nearest_value_lacks_are_those_of_the_next() {
        let near = ("/w/a/.cargo/config.toml", "env.SET = { value = 'near' }");
        let options = "env.SET = { value = 'far', force = true, relative = true }";
        let expected = Path::new("/w/a").join("near").into_os_string();
        let found = variables(&[near, ("/w/.cargo/config.toml", options)]);
        assert_eq!(found, [("SET".to_owned(), expected)]);
    }

    #[test]
    fn a_variable_that_is_set_already_stays_unless_the_configuration_forces_its_own() {
        let config = |entry| [("/w/.cargo/config.toml", entry)];
        assert_eq!(variables(&config("env.SET = 'x'")), []);
        let forced = variables(&config("env.SET = { value = 'x', force = true }"));
        assert_eq!(forced, [("SET".to_owned(), "x".into())]);
    }

    #[test]
    fn a_relative_path_begins_beside_the_directory_of_the_configuration() {
        let entry = "env.CORPUS = { value = 'data/words', relative = true }";
        let expected = Path::new("/w/a").join("data/words").into_os_string();
        let found = variables(&[("/w/a/.cargo/config.toml", entry)]);
        assert_eq!(found, [("CORPUS".to_owned(), expected)]);
    }
}
