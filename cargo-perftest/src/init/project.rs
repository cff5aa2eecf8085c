//! The files of a project before the plan.

use crate::cargo::metadata;
use crate::cargo_files::{config_files, config_in};
use crate::doctor::flags_of_variables;
use crate::exit::{CommandError, Result};
use crate::target_platform::TargetPlatform;
use perftest_store::read_regular_text;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{env, io};
use toml::Table;

/// Largest size of a hand-written file.
const MOST_BYTES: u64 = 16 << 20;

/// A file with its text, if it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    pub(crate) path: PathBuf,
    pub(crate) text: Option<String>,
}

impl ProjectFile {
    fn read(path: PathBuf) -> Result<Self> {
        match read_regular_text(&path, MOST_BYTES) {
            Ok(text) => Ok(Self { path, text: Some(text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { path, text: None }),
            Err(error) => {
                Err(CommandError::Usage(format!("{} cannot be read: {error}", path.display())))
            }
        }
    }

    /// Returns the text; empty if the file does not exist.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// A package with cargo's information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CargoPackage {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) edition: String,
    /// The name of its library in code.
    pub(crate) library: Option<String>,
    /// The name of the perftest dependency in code, if there is one.
    pub(crate) perftest: Option<String>,
    /// The targets in `tests/` by name, with their files.
    tests: Vec<(String, PathBuf)>,
}

impl CargoPackage {
    /// Returns the file of a target in `tests/`, which may not exist yet.
    fn file_of(&self, target: &str) -> PathBuf {
        let found = self.tests.iter().find(|(name, _)| name == target);
        let new = || self.manifest_path.with_file_name("tests").join(format!("{target}.rs"));
        found.map_or_else(new, |(_, path)| path.clone())
    }

    /// Returns whether cargo no longer finds other tests of the package when the manifest has this
    /// target. Only in edition 2015 does the first listed target end the search.
    pub(super) fn would_lose_tests_beside(&self, target: &str) -> bool {
        self.edition == "2015" && self.tests.iter().any(|(name, _)| name != target)
    }
}

/// A package, and the files that decide how its tests are built and run.
#[derive(Debug, Clone)]
pub(crate) struct InitProject {
    pub(crate) package: CargoPackage,
    /// The root of its workspace.
    pub(crate) root: PathBuf,
    pub(crate) manifest: ProjectFile,
    pub(crate) workspace_manifest: Table,
    pub(crate) cargo_config: ProjectFile,
    /// Cargo's further configurations, the nearest first, and the flags of its variables.
    pub(crate) other_configs: Vec<Table>,
    /// What its tests are compiled for.
    pub(crate) platform: TargetPlatform,
    pub(crate) nextest: ProjectFile,
    /// The file of the performance tests.
    pub(crate) test: ProjectFile,
}

impl InitProject {
    /// Reads the package of this name, or else that of the directory `here`. `target` is the name
    /// of its test target.
    pub(crate) fn read(here: &Path, name: Option<&str>, target: &str) -> Result<Self> {
        let metadata = metadata(here)?;
        let current = here.ancestors().map(|it| it.join("Cargo.toml")).find(|it| it.is_file());
        let package = choose(&packages(&metadata), name, current.as_deref())?;
        let directory = package.manifest_path.parent().unwrap_or(here).to_owned();
        let root = PathBuf::from(metadata["workspace_root"].as_str().unwrap_or_default());
        let cargo_config = ProjectFile::read(config_in(&root.join(".cargo")))?;
        let mut configs = config_files(&directory);
        let tables: Vec<Table> = configs.iter().map(|(_, config)| config.clone()).collect();
        let platform = TargetPlatform::of_build(&directory, &tables, None);
        configs.retain(|(path, _)| *path != cargo_config.path);
        let variables = flags_of_variables(|name| env::var(name).ok(), &platform);
        let workspace_manifest = ProjectFile::read(root.join("Cargo.toml"))?;
        Ok(Self {
            manifest: ProjectFile::read(package.manifest_path.clone())?,
            workspace_manifest: workspace_manifest.text().parse().unwrap_or_default(),
            cargo_config,
            other_configs: configs.into_iter().map(|(_, it)| it).chain([variables]).collect(),
            platform,
            nextest: ProjectFile::read(root.join(".config/nextest.toml"))?,
            test: ProjectFile::read(package.file_of(target))?,
            package,
            root,
        })
    }
}

fn packages(metadata: &Value) -> Vec<CargoPackage> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages.filter_map(package).collect()
}

fn package(package: &Value) -> Option<CargoPackage> {
    let targets = package["targets"].as_array()?;
    let library = targets.iter().find(|it| is_library(it)).and_then(|it| it["name"].as_str());
    let dependencies = package["dependencies"].as_array()?.iter();
    let mut perftest = dependencies.filter(|it| it["name"] == "perftest" && it["kind"] != "build");
    let known_as = |it: &Value| it["rename"].as_str().unwrap_or("perftest").replace('-', "_");
    let tests = targets.iter().filter(|it| it["kind"][0] == "test");
    let test =
        |it: &Value| Some((it["name"].as_str()?.to_owned(), it["src_path"].as_str()?.into()));
    Some(CargoPackage {
        name: package["name"].as_str()?.to_owned(),
        manifest_path: package["manifest_path"].as_str()?.into(),
        edition: package["edition"].as_str()?.to_owned(),
        library: library.map(|name| name.replace('-', "_")),
        perftest: perftest.next().map(known_as),
        tests: tests.filter_map(test).collect(),
    })
}

/// Returns whether tests can call the target's functions: not those of a macro crate or a C
/// library.
fn is_library(target: &Value) -> bool {
    let kinds = target["kind"].as_array().into_iter().flatten();
    kinds.filter_map(Value::as_str).any(|kind| matches!(kind, "lib" | "rlib" | "dylib"))
}

fn choose(
    packages: &[CargoPackage],
    name: Option<&str>,
    current: Option<&Path>,
) -> Result<CargoPackage> {
    let found = match name {
        Some(name) => packages.iter().find(|it| it.name == name),
        None => packages.iter().find(|it| Some(it.manifest_path.as_path()) == current),
    };
    let names: Vec<String> = packages.iter().map(|it| format!("-p {}", it.name)).collect();
    let names = names.join(", ");
    found.cloned().ok_or_else(|| {
        CommandError::Usage(match name {
            Some(name) => format!("this workspace has no package `{name}`; name one of {names}"),
            None if packages.is_empty() => {
                "this workspace has no packages yet; begin one with `cargo new`".into()
            }
            None => format!("this is a workspace, not a package; name a package: {names}"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn workspace() -> Vec<CargoPackage> {
        let of = |name: &str, kind: &str, dependencies: Value| {
            json!({
                "name": name, "manifest_path": format!("/w/{name}/Cargo.toml"), "edition": "2021",
                "targets": [{ "name": name, "kind": [kind] }], "dependencies": dependencies,
            })
        };
        let renamed = json!([{ "name": "perftest", "kind": "dev", "rename": "my-perf" }]);
        let packages = [of("my-lib", "lib", json!([])), of("app", "bin", renamed)];
        packages.iter().filter_map(package).collect()
    }

    fn chosen(name: Option<&str>, current: Option<&str>) -> Result<String, String> {
        let package = choose(&workspace(), name, current.map(Path::new));
        package.map(|it| it.name).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_package_is_chosen_by_its_name_or_by_the_directory() {
        assert_eq!(chosen(Some("app"), Some("/w/my-lib/Cargo.toml")), Ok("app".into()));
        assert_eq!(chosen(None, Some("/w/my-lib/Cargo.toml")), Ok("my-lib".into()));
    }

    #[test]
    fn a_workspace_without_a_named_package_lists_the_names() {
        let refused = chosen(None, Some("/w/Cargo.toml")).unwrap_err();
        assert!(refused.ends_with("name a package: -p my-lib, -p app"), "{refused}");
        let refused = chosen(Some("lib"), None).unwrap_err();
        assert!(refused.contains("no package `lib`; name one of -p my-lib"), "{refused}");
        assert!(choose(&[], None, None).unwrap_err().to_string().contains("cargo new"));
    }

    #[test]
    fn names_are_as_code_has_them() {
        let [library, program] = <[CargoPackage; 2]>::try_from(workspace()).unwrap();
        assert_eq!((library.library.as_deref(), library.perftest), (Some("my_lib"), None));
        assert_eq!((program.library, program.perftest.as_deref()), (None, Some("my_perf")));
    }
}
