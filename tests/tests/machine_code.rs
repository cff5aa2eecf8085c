//! What is another machine code, of executables that the compiler at hand makes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use perftest_process::code_of_file;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A test binary with a table of texts, functions and numbers, and with places that panics name.
const SOURCE: &str = r#"
struct Rule { name: &'static str, weight: u64, run: fn(u64) -> u64 }
fn sum(up_to: u64) -> u64 { (0..up_to).map(|it| it ^ up_to).sum() }
fn next(number: u64) -> u64 { number + 3 }
static RULES: [Rule; 2] =
    [Rule { name: "sum", weight: 100, run: sum }, Rule { name: "next", weight: 7, run: next }];
fn apply(index: usize) -> u64 {
    let rule = &RULES[index % RULES.len()];
    (rule.run)(rule.weight) + rule.name.len() as u64
}
#[test]
fn first() { assert!(apply(std::env::args().count()) > 0); }
#[test]
#[ignore = "slow"]
fn second() { assert!(apply(std::env::args().count() + 1) > 0, "nothing was applied"); }
"#;

/// Returns the hash of the machine code of this source's test binary.
fn text_of(source: &str, directory: &Path) -> String {
    let file = directory.join("source.rs");
    fs::write(&file, source).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(compiler)
        .args(["--edition=2024", "--test", "-Copt-level=2", "-o", "tests", "source.rs"])
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    code_of_file(&directory.join("tests"), &[], None).unwrap().text
}

#[test]
fn a_number_in_a_table_with_texts_is_a_change_and_a_comment_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let text = |source: &str| text_of(source, directory.path());
    let before = text(SOURCE);
    assert_eq!(text(&format!("// A comment.\n//\n{SOURCE}")), before, "a comment");
    assert_ne!(text(&SOURCE.replace("weight: 100", "weight: 101")), before, "a number");
    assert_ne!(text(&SOURCE.replace("weight: 7", "weight: 8")), before, "the last number");
    let exchanged = SOURCE.replace("run: sum", "run: other").replace("run: next", "run: sum");
    assert_ne!(text(&exchanged.replace("run: other", "run: next")), before, "functions exchanged");
}
