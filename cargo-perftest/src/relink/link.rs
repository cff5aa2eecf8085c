//! Links a test target with its functions in a random order.

use super::target::RelinkTarget;
use crate::cargo::{cargo, output_of};
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Stdio;

/// The linker's option for the order of sections: each function has its own section.
const OPTION: &str = "--shuffle-sections";

/// Links `target` with its functions in a random order by `seed`. Cargo prints its progress on
/// standard error.
pub(crate) fn link(target: &RelinkTarget, profile: &str, seed: u32) -> Result<PathBuf> {
    let mut rustc = cargo(&here()?);
    rustc
        .args(["rustc", "--profile", profile, "--package", &target.package])
        .args(["--test", &target.name, "--message-format", "json", "--target-dir"])
        .arg(&target.build_directory)
        .args(["--", "-C", &format!("link-arg=-Wl,{OPTION}=.text*={seed}")])
        .stderr(Stdio::inherit());
    let output = output_of(&mut rustc)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    match executable(&messages, &target.name).filter(|_| output.status.success()) {
        Some(executable) => Ok(executable),
        None => Err(CommandError::Usage(why(&messages))),
    }
}

/// Returns the executable of the test target: cargo builds programs of the package beside it.
fn executable(messages: &[Value], target: &str) -> Option<PathBuf> {
    let is_target = |message: &&Value| {
        message["target"]["name"] == target && message["profile"]["test"] == true
    };
    let of_target = messages.iter().rev().filter(is_target);
    of_target.filter_map(|message| message["executable"].as_str()).map(PathBuf::from).next()
}

fn why(messages: &[Value]) -> String {
    let rendered = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
    let errors: Vec<&str> = rendered.filter(|text| text.starts_with("error")).collect();
    if errors.iter().any(|error| error.contains(OPTION)) {
        return "this linker cannot shuffle functions: it does not know `--shuffle-sections`. LLVM's \
                linker lld does; it is the default on x86-64 Linux since Rust 1.90, and elsewhere \
                it is chosen with the compiler flag `-C link-arg=-fuse-ld=lld`"
            .into();
    }
    match errors.first() {
        Some(error) => format!("the test target cannot be built: {}", error.trim()),
        None => "the test target cannot be built; see cargo's error above".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(text: &str) -> Value {
        json!({ "reason": "compiler-message", "message": { "rendered": text } })
    }

    #[test]
    fn a_linker_that_cannot_shuffle_is_named_as_the_reason() {
        let refused = "error: linking with `cc` failed\n = note: ld: unrecognized option \
                       '--shuffle-sections=.text*=1'";
        let why = why(&[error("warning: unused"), error(refused)]);
        assert!(why.starts_with("this linker cannot shuffle functions"), "{why}");
    }

    #[test]
    fn another_error_is_quoted() {
        let why = why(&[error("error[E0425]: cannot find value `x`\n")]);
        assert!(why.ends_with("error[E0425]: cannot find value `x`"), "{why}");
    }

    #[test]
    fn the_test_executable_is_not_mistaken_for_a_program_of_the_same_name() {
        let artifact = |test: bool, path: &str| json!({ "target": { "name": "perf" }, "profile": { "test": test }, "executable": path });
        let messages = [artifact(true, "/t/perf-1"), artifact(false, "/t/perf"), json!({})];
        assert_eq!(executable(&messages, "perf"), Some("/t/perf-1".into()));
        assert_eq!(executable(&messages, "other"), None);
    }
}
