//! Builds the test executables of one side.

use super::Slot;
use super::alignment::align;
use crate::args::BuildOptions;
use crate::exit::Failure;
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A test executable, and where its tests run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    /// The package's directory.
    pub(crate) directory: PathBuf,
}

/// The test executables of what is checked out in `slot`, built in its own target directory
/// whatever variables and configurations say. Cargo tells on standard error what it does. `below`
/// is where cargo runs, below the root of the sources; `whose` names the side.
pub(super) fn build(
    slot: &Slot,
    below: &Path,
    options: &BuildOptions,
    whose: &str,
) -> Result<Vec<Executable>, Failure> {
    let directory = slot.source().join(below);
    if !directory.is_dir() {
        let below = below.display();
        return Err(Failure::Usage(format!("{whose} has no directory `{below}` to build in")));
    }
    let mut cargo = cargo(slot, &directory, options);
    let output = cargo.stderr(Stdio::inherit()).output();
    let output =
        output.map_err(|error| Failure::Usage(format!("cargo cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Usage(format!("{whose} cannot be built; cargo said above why")));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executables: Vec<Executable> = messages.filter_map(|it| executable(&it)).collect();
    // With a shared directory one side would run the other's code.
    match executables.iter().find(|it| !it.path.starts_with(&slot.root)) {
        Some(elsewhere) => Err(Failure::Usage(format!(
            "cargo built {whose} in a directory that both sides would share: `{}`; remove what \
             makes it do so, such as a wrapper of cargo",
            elsewhere.path.display()
        ))),
        None => Ok(executables),
    }
}

fn cargo(slot: &Slot, directory: &Path, options: &BuildOptions) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(directory).args(["test", "--no-run", "--profile", &options.profile]);
    cargo.arg("--message-format=json-render-diagnostics");
    // The variable of the second would win over a configuration, not over these.
    cargo.arg("--target-dir").arg(slot.target());
    cargo.env_remove("CARGO_TARGET_DIR").env("CARGO_BUILD_BUILD_DIR", slot.target());
    let packages = options.packages.iter().flat_map(|package| ["--package", package]);
    let features = options.features.iter().flat_map(|features| ["--features", features]);
    cargo.args(packages).args(features);
    let switches = [
        (options.workspace, "--workspace"),
        (options.all_features, "--all-features"),
        (options.no_default_features, "--no-default-features"),
    ];
    cargo.args(switches.iter().filter(|(is_on, _)| *is_on).map(|(_, switch)| switch));
    if let Some(target) = &options.target {
        cargo.args(["--target", target]);
    }
    if !options.no_align {
        align(&mut cargo, directory, options.target.as_deref());
    }
    cargo
}

fn executable(message: &Value) -> Option<Executable> {
    if message["profile"]["test"] != true {
        return None;
    }
    let directory = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some(Executable { path: message["executable"].as_str()?.into(), directory: directory.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_executables_of_tests_count() {
        let artifact = |test: bool, executable: Value| {
            json!({ "profile": { "test": test }, "executable": executable,
                    "manifest_path": "/w/codec/Cargo.toml" })
        };
        let perf = Executable { path: "/t/perf-1".into(), directory: "/w/codec".into() };
        assert_eq!(executable(&artifact(true, json!("/t/perf-1"))), Some(perf));
        for message in [artifact(false, json!("/t/codec")), artifact(true, Value::Null), json!({})]
        {
            assert_eq!(executable(&message), None, "{message}");
        }
    }
}
