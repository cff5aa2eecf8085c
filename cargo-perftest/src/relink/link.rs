//! Links a test target with its functions in a random order.

use super::target::RelinkTarget;
use crate::args::CompileOptions;
use crate::cargo::{cargo, output_of};
use crate::compare::{Executable, executables_in, messages};
use crate::exit::{CommandError, Result};
use crate::history_directory::here;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The linker's option for the order of sections: each function has its own section.
const OPTION: &str = "--shuffle-sections";
/// What linkers call an option that they do not know, or not with the beginning of names.
const REFUSALS: [&str; 5] =
    ["unrecognized", "unknown option", "unknown argument", "invalid", "not a number"];

/// Links `target` with its functions in a random order by `seed`. Cargo prints its progress on
/// standard error.
pub(crate) fn link(
    target: &RelinkTarget,
    options: &CompileOptions,
    seed: u32,
) -> Result<Executable> {
    let directory = here()?;
    let output = output_of(linking(&directory, target, options, seed).stderr(Stdio::inherit()))?;
    let messages = messages(&output);
    if !output.status.success() {
        return Err(CommandError::Usage(why(&messages)));
    }
    let mut built = executables_in(&messages, &directory, options)?.into_iter();
    let found = built.find(|it| it.selector == ["--test", &target.name]);
    found.ok_or_else(|| CommandError::Usage(why(&messages)))
}

fn linking(
    directory: &Path,
    target: &RelinkTarget,
    options: &CompileOptions,
    seed: u32,
) -> Command {
    let mut rustc = cargo(directory);
    rustc
        .args(["rustc", "--profile", &options.profile, "--package", &target.package])
        .args(["--test", &target.name, "--message-format", "json", "--target-dir"])
        .arg(&target.build_directory)
        .args(options.selection())
        .args(["--", "-C", &format!("link-arg=-Wl,{OPTION}=.text*={seed}")]);
    rustc
}

fn why(messages: &[Value]) -> String {
    let rendered = messages.iter().filter_map(|message| message["message"]["rendered"].as_str());
    let errors: Vec<&str> = rendered.filter(|text| text.starts_with("error")).collect();
    if errors.iter().flat_map(|error| error.lines()).any(is_refusal) {
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

/// Whether a linker refuses the option in this line. The compiler also quotes the whole command with the option.
fn is_refusal(line: &str) -> bool {
    let is_quoted = line.contains("-Wl,");
    line.contains(OPTION) && !is_quoted && REFUSALS.iter().any(|refusal| line.contains(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args as CommandLine, CliCommand, HistoryCommand};
    use clap::Parser;
    use serde_json::json;

    fn error(text: &str) -> Value {
        json!({ "reason": "compiler-message", "message": { "rendered": text } })
    }

    /// The compiler's error about a linker that said this.
    fn failed(said: &str) -> String {
        format!(
            "error: linking with `cc` failed: exit status: 1\n  |\n  = note:  \"cc\" \
             \"/sysroot/lib/rustlib/x86_64-unknown-linux-gnu/lib/libstd.rlib\" \
             \"-Wl,--shuffle-sections=.text*=1\"\n  = note: {said}\n          collect2: error: ld \
             returned 1 exit status\n"
        )
    }

    #[test]
    fn a_linker_that_cannot_shuffle_is_named_as_the_reason() {
        for refused in [
            "/usr/bin/ld: unrecognized option '--shuffle-sections=.text*=1'",
            "/usr/bin/ld.gold: --shuffle-sections=.text*=1: unknown option",
            "mold: fatal: option --shuffle-sections: not a number: .text*=1",
        ] {
            let why = why(&[error("warning: unused"), error(&failed(refused))]);
            assert!(why.starts_with("this linker cannot shuffle functions"), "{why}");
        }
    }

    #[test]
    fn another_failure_of_the_linker_is_quoted_though_its_command_has_the_option() {
        let missing = "rust-lld: error: unable to find library -lsqlite3";
        let why = why(&[error(&failed(missing))]);
        assert!(why.starts_with("the test target cannot be built: error: linking"), "{why}");
        assert!(why.contains(missing), "{why}");
    }

    #[test]
    fn another_error_is_quoted() {
        let why = why(&[error("error[E0425]: cannot find value `x`\n")]);
        assert!(why.ends_with("error[E0425]: cannot find value `x`"), "{why}");
    }

    #[test]
    fn what_is_linked_has_the_features_and_the_target_that_are_asked_for() {
        let options = "--features heavy --target x86_64-unknown-linux-musl --no-default-features";
        let line = format!("cargo-perftest relink encode --profile bench {options}");
        let parsed = CommandLine::parse_from(line.split_whitespace());
        let CliCommand::OfHistory(HistoryCommand::Relink(args)) = parsed.command else {
            panic!("another command")
        };
        let target = RelinkTarget {
            package: "path+file:///w/codec".into(),
            name: "perf".into(),
            build_directory: "/w/target/perftest-relink".into(),
            test: "encode".into(),
            stage: String::new(),
            shares_name_with_library: false,
        };
        let linking = linking(Path::new("/w"), &target, &args.compile, 7);
        let words: Vec<_> = linking.get_args().map(|word| word.to_string_lossy()).collect();
        let line = words.join(" ");
        assert!(line.starts_with("rustc --profile bench --package path+"), "{line}");
        assert!(line.contains(&format!("perftest-relink {options} -- -C link-arg=")), "{line}");
    }
}
