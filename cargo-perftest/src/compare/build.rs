//! Builds test executables: of one side, or of the working tree in place.

use super::SideDirectory;
use super::alignment::align;
use super::library_path::LibraryDirectories;
use super::package_variables::{OUT_DIR, PackageVariables};
use crate::args::{BuildOptions, CompileOptions};
use crate::cargo::{cargo, metadata, output_of_shown};
use crate::cargo_environment::{CargoEnvironment, cargo_environment};
use crate::cargo_files::config_tables;
use crate::exit::{CommandError, Result};
use crate::target_platform::TargetPlatform;
use memchr::memmem;
use perftest_core::model::CodeState;
use perftest_process::{LIBRARY_PATH_VARIABLE, code_of_file, library_path};
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A test executable, and where its tests run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    /// The directory of the package.
    pub(crate) directory: PathBuf,
    /// The variables of cargo's configurations.
    pub(crate) environment: CargoEnvironment,
    /// The variables of its package, beside that of the directory; empty for an executable that was built before.
    pub(crate) package: Vec<(String, OsString)>,
    /// The options that select its target; empty for an executable that was built before.
    pub(crate) selector: Vec<String>,
    /// Where the loader looks for shared libraries, before the directories of this process.
    pub(crate) libraries: Vec<PathBuf>,
}

impl Executable {
    /// Returns the variables that cargo sets for its tests, beside those of this process.
    pub(crate) fn variables(&self) -> Vec<(OsString, OsString)> {
        let configured = self.environment.iter().map(|(name, value)| (name.into(), value.clone()));
        let package = self.package.iter().map(|(name, value)| (name.into(), value.clone()));
        let directory = ("CARGO_MANIFEST_DIR".into(), self.directory.clone().into());
        // Cargo's own variables win over those of its configurations.
        let libraries = (!self.libraries.is_empty()).then(|| env::join_paths(self.library_path()));
        let libraries = libraries.and_then(Result::ok).map(|it| (LIBRARY_PATH_VARIABLE.into(), it));
        configured.chain(package).chain([directory]).chain(libraries).collect()
    }

    /// Returns the variables that its build script chose, without those that name the directory of its outputs: that has
    /// another name on each side.
    pub(super) fn chosen_variables(&self) -> impl Iterator<Item = (&String, &OsString)> {
        let outputs = self.package.iter().find(|(name, _)| name == OUT_DIR);
        let outputs = outputs.map(|(_, directory)| directory.to_string_lossy());
        let package = self.package.iter().map(|(name, value)| (name, value));
        package.filter(move |(name, value)| {
            let names_outputs =
                outputs.as_ref().is_some_and(|it| value.to_string_lossy().contains(&**it));
            !names_outputs && !name.starts_with("CARGO_")
        })
    }

    /// Whether cargo built both of one target of a package, each for another platform.
    pub(super) fn is_of_same_target(&self, other: &Self) -> bool {
        let is_known = !self.selector.is_empty();
        is_known && self.selector == other.selector && self.directory == other.directory
    }

    /// Returns the directories in which its loader looks for shared libraries.
    pub(crate) fn library_path(&self) -> Vec<PathBuf> {
        let inherited = library_path(|name| env::var_os(name));
        self.libraries.iter().cloned().chain(inherited).collect()
    }

    /// Returns the hashes of its machine code.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn code(&self) -> io::Result<CodeState> {
        code_of_file(&self.path, &self.library_path(), None)
    }

    /// Returns whether perftest is in it, or in a shared library that it needs: by the name of a variable, or that of a
    /// function. Also where it cannot be read.
    pub(super) fn has_perftest(&self) -> bool {
        let is_in = |bytes: &[u8], text: &str| memmem::find(bytes, text.as_bytes()).is_some();
        fs::read(&self.path)
            .map_or(true, |bytes| is_in(&bytes, "PERFTEST_") || is_in(&bytes, "8perftest"))
    }

    /// Returns the command that starts it as cargo does.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.directory).envs(self.variables());
        command
    }
}

#[cfg(all(test, unix))]
impl Executable {
    /// An executable in this directory that does what a shell script says.
    pub(crate) fn of_script(directory: &Path, script: &str) -> Self {
        let path = directory.join("perf");
        // Written by another process: a thread of this one may fork meanwhile and hold the file open for writing, and
        // then the system does not start it.
        let write = "printf '#!/bin/sh\n%s' \"$1\" > \"$0\" && chmod +x \"$0\"";
        let written = Command::new("sh").args(["-c", write]).arg(&path).arg(script).status();
        assert!(written.is_ok_and(|status| status.success()));
        Self { path, directory: directory.to_owned(), ..Self::default() }
    }
}

/// Builds the test executables of the checkout in `slot`, in its own target directory, whatever
/// variables and configurations say. Cargo prints its progress on standard error. `below` is
/// cargo's directory below the root of the sources; `whose` names the side.
pub(super) fn build(
    slot: &SideDirectory,
    below: &Path,
    options: &BuildOptions,
    whose: &str,
) -> Result<Vec<Executable>> {
    let directory = slot.source().join(below);
    if !directory.is_dir() {
        let below = below.display();
        return Err(CommandError::Usage(format!("{whose} has no directory `{below}` to build in")));
    }
    let cargo = building_in(slot, &directory, options);
    let executables = executables(cargo, &directory, &options.compile, whose)?;
    // With a shared directory one side would run the other's code.
    match executables.iter().find(|it| !it.path.starts_with(&slot.root)) {
        Some(elsewhere) => Err(CommandError::Usage(format!(
            "cargo built {whose} in a directory that both sides would share: `{}`; remove what \
             makes it do so, such as a wrapper of cargo",
            elsewhere.path.display()
        ))),
        None => Ok(executables),
    }
}

/// Builds the test executables of the working tree, like the user's own `cargo test` in
/// `directory`.
pub(crate) fn build_in_place(directory: &Path, options: &BuildOptions) -> Result<Vec<Executable>> {
    let cargo = building(directory, options);
    executables(cargo, directory, &options.compile, "the working tree")
}

fn building(directory: &Path, options: &BuildOptions) -> Command {
    let mut cargo = cargo(directory);
    cargo.args(["test", "--no-run", "--message-format=json-render-diagnostics"]);
    cargo.args(["--profile", &options.compile.profile]).args(options.selection());
    cargo
}

fn building_in(slot: &SideDirectory, directory: &Path, options: &BuildOptions) -> Command {
    let mut cargo = building(directory, options);
    // The configuration would lose against the second variable, but arguments do not.
    cargo.arg("--target-dir").arg(slot.target());
    cargo.env_remove("CARGO_TARGET_DIR").env("CARGO_BUILD_BUILD_DIR", slot.target());
    if !options.no_align {
        align(&mut cargo, directory, options.compile.target.as_deref());
    }
    cargo
}

/// Runs `cargo` in `directory` and returns the built executables. Cargo prints its progress on standard error.
fn executables(
    mut cargo: Command,
    directory: &Path,
    options: &CompileOptions,
    whose: &str,
) -> Result<Vec<Executable>> {
    let output = output_of_shown(&mut cargo)?;
    if !output.status.success() {
        return Err(CommandError::Usage(format!(
            "{whose} cannot be built; see cargo's error above"
        )));
    }
    executables_in(&messages(&output), directory, options)
}

/// Returns the messages that cargo printed as JSON.
pub(crate) fn messages(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the test executables of a build in `directory`, by cargo's messages.
pub(crate) fn executables_in(
    messages: &[Value],
    directory: &Path,
    options: &CompileOptions,
) -> Result<Vec<Executable>> {
    let configs = config_tables(directory);
    let platform = TargetPlatform::of_build(directory, &configs, options.target.as_deref());
    let libraries = LibraryDirectories::new(messages, &platform);
    let environment = cargo_environment(directory);
    let metadata = metadata(directory)?;
    let packages = PackageVariables { messages, metadata: &metadata };
    let executable = |it| executable(it, &environment, &libraries, &packages);
    Ok(messages.iter().filter_map(executable).collect())
}

fn executable(
    message: &Value,
    environment: &CargoEnvironment,
    libraries: &LibraryDirectories,
    packages: &PackageVariables<'_>,
) -> Option<Executable> {
    if message["profile"]["test"] != true {
        return None;
    }
    let directory = Path::new(message["manifest_path"].as_str()?).parent()?;
    let selector = selector_of(&message["target"])?;
    let path = PathBuf::from(message["executable"].as_str()?);
    let (environment, libraries) = (environment.clone(), libraries.of(&path));
    let package = packages.of(message);
    Some(Executable {
        path,
        directory: directory.into(),
        environment,
        package,
        selector,
        libraries,
    })
}

/// Returns the options that select a target.
pub(super) fn selector_of(target: &Value) -> Option<Vec<String>> {
    let name = target["name"].as_str()?;
    Some(match target["kind"][0].as_str()? {
        kind @ ("test" | "bin" | "example" | "bench") => vec![format!("--{kind}"), name.to_owned()],
        // A library of any kind.
        _ => vec!["--lib".to_owned()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NONE: PackageVariables<'static> =
        PackageVariables { messages: &[], metadata: &Value::Null };

    #[test]
    fn only_executables_of_tests_count() {
        let artifact = |test: bool, executable: Value| {
            json!({ "profile": { "test": test }, "executable": executable,
                    "target": { "kind": ["test"], "name": "perf" },
                    "manifest_path": "/w/codec/Cargo.toml" })
        };
        let selector = ["--test", "perf"].map(String::from).to_vec();
        let environment = CargoEnvironment::from([("CORPUS".to_owned(), "words".into())]);
        let libraries = LibraryDirectories::default();
        let executable = |message: &Value| executable(message, &environment, &libraries, &NONE);
        let (path, directory) = ("/t/perf-1".into(), "/w/codec".into());
        let environment = environment.clone();
        let libraries = libraries.of(Path::new("/t/perf-1"));
        let package = Vec::new();
        let perf = Executable { path, directory, environment, package, selector, libraries };
        assert_eq!(executable(&artifact(true, json!("/t/perf-1"))), Some(perf));
        for message in [artifact(false, json!("/t/codec")), artifact(true, Value::Null), json!({})]
        {
            assert_eq!(executable(&message), None, "{message}");
        }
    }

    #[test]
    fn a_library_of_any_kind_is_selected_as_the_library() {
        for kind in ["lib", "proc-macro", "cdylib"] {
            let artifact = json!({ "profile": { "test": true }, "executable": "/t/codec-1",
                                   "target": { "kind": [kind], "name": "codec" },
                                   "manifest_path": "/w/codec/Cargo.toml" });
            let libraries = LibraryDirectories::default();
            let library = executable(&artifact, &CargoEnvironment::new(), &libraries, &NONE);
            assert_eq!(library.unwrap().selector, ["--lib"]);
        }
    }
}
