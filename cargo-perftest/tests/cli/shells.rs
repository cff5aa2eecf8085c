//! Completions, asked for as people type in bash, zsh and fish.
#![cfg(unix)]

use crate::bench::Bench;
use perftest_tests::Outcome;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The script for a shell, in a file.
fn script(bench: &Bench, shell: &str) -> PathBuf {
    let script = bench.root.join(format!("completions.{shell}"));
    fs::write(&script, bench.answer(&["completions", shell])).unwrap();
    script
}

/// What a shell prints, without an error.
fn printed_by(shell: &mut Command) -> String {
    // ci/install-tools.sh installs it.
    let output = Outcome::of(shell.stdin(Stdio::null())).ended_with(0);
    assert!(!output.stderr.contains("error"), "{output}");
    output.stdout
}

/// What bash offers behind these words, the last of which is being typed.
fn offered_by_bash(bench: &Bench, before: &str, words: &str) -> Vec<String> {
    let script = script(bench, "bash");
    let typed = format!(
        "{before}\nsource {}\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         read -ra registered < <(complete -p cargo)\n\
         for word in \"${{!registered[@]}}\"; do\n\
         [[ ${{registered[word]}} == -F ]] && complete=${{registered[word + 1]}}\ndone\n\
         \"$complete\" cargo \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        script.display()
    );
    let text = printed_by(Command::new("bash").args(["--norc", "--noprofile", "-c", &typed]));
    text.lines().filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_the_command_as_it_is_typed() {
    let bench = Bench::new("bash");
    let offered = |words: &str| offered_by_bash(&bench, "", words);
    assert_eq!(offered("cargo perftest hist"), ["history"]);
    assert_eq!(offered("cargo +nightly perftest hist"), ["history"]);
    assert_eq!(offered("cargo perftest accept --revi"), ["--review"]);
    assert!(offered("cargo perftest ''").contains(&"bisect".to_owned()));
    assert_eq!(offered("cargo perf"), ["perftest"]);
}

#[test]
fn an_earlier_completion_of_cargo_still_completes_everything_else() {
    let bench = Bench::new("bash-other");
    let before = "_other() { COMPREPLY=(\"other:$2\"); }\ncomplete -F _other cargo";
    let offered = |words: &str| offered_by_bash(&bench, before, words);
    assert_eq!(offered("cargo bui"), ["other:bui"]);
    assert_eq!(offered("cargo build --rel"), ["other:--rel"]);
    assert_eq!(offered("cargo perftest hist"), ["history"]);
    // A file that bash loads when somebody asks.
    let lazily = "_comp_load() { _lazy() { COMPREPLY=(lazy); }; complete -F _lazy cargo; }";
    assert_eq!(offered_by_bash(&bench, lazily, "cargo bui"), ["lazy"]);
}

/// Types what `$2` has and the tab key into a zsh with the completions of `$1`, and prints the line that
/// stands there then. Ctrl+A and Ctrl+E put a command around it.
#[cfg(target_os = "linux")]
const TYPED_INTO_ZSH: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -D -u; source $1; print READY"
until [[ $text == *$'\n'READY* ]]; do zpty -r shell line || exit 1; text+=$line; done
zpty -w -n shell "$2"$'\t\x01'"print -r -- '<"$'\x05'">'"$'\n'
text=
until [[ $text == *$'\n'\<*\>* ]]; do zpty -r shell line || exit 1; text+=$line; done
print -r -- ${${text##*$'\n'<}%%>*}
"#;

#[cfg(target_os = "linux")]
#[test]
fn zsh_completes_the_command_as_it_is_typed() {
    let bench = Bench::new("zsh");
    let script = script(&bench, "zsh");
    let typed = |line: &str| {
        let mut zsh = Command::new("zsh");
        zsh.args(["-f", "-c", TYPED_INTO_ZSH, "typed"]).arg(&script).arg(line);
        printed_by(zsh.current_dir(&bench.root).env("TERM", "dumb")).trim_end().to_owned()
    };
    assert_eq!(typed("cargo perftest histo"), "cargo perftest history");
    assert_eq!(typed("cargo +nightly perftest histo"), "cargo +nightly perftest history");
    assert_eq!(typed("cargo perftest accept --revi"), "cargo perftest accept --review");
    assert_eq!(typed("cargo perf"), "cargo perftest");
}

#[cfg(target_os = "linux")]
#[test]
fn fish_completes_the_command_as_it_is_typed() {
    let bench = Bench::new("fish");
    let script = script(&bench, "fish");
    let offered = |line: &str| {
        let mut fish = Command::new("fish");
        fish.args(["--no-config", "-c", "source $argv[1]; complete -C $argv[2]"]);
        let text = printed_by(fish.arg(&script).arg(line).env("HOME", &bench.root));
        let words = text.lines().filter_map(|line| line.split('\t').next());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(offered("cargo perftest hist"), ["history"]);
    assert_eq!(offered("cargo +nightly perftest hist"), ["history"]);
    assert_eq!(offered("cargo perftest accept --revi"), ["--review"]);
    assert!(offered("cargo perf").contains(&"perftest".to_owned()));
    assert!(offered("cargo perftest ").contains(&"bisect".to_owned()));
}
