//! What the compiler makes of the measured loops.
#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Routines that the compiler would gladly call for several inputs at once.
const ROUTINES: &str = r#"
use std::mem::MaybeUninit;

fn mix(word: u32) -> u32 {
    let word = (word ^ (word >> 15)).wrapping_mul(0x2c1b_3c6d);
    word ^ (word >> 12)
}

pub fn of_inputs(inputs: &mut [u32], slots: &mut [MaybeUninit<()>]) {
    bench_loop::run_borrowing(inputs, slots, &mut |word: &mut u32| *word = mix(*word));
}

pub fn of_a_counter(slots: &mut [MaybeUninit<u32>], mut count: u32) {
    bench_loop::keep(slots, &mut move || {
        count = count.wrapping_add(1);
        mix(count)
    });
}

pub fn of_words(words: Vec<u32>, slots: &mut [MaybeUninit<u32>]) {
    bench_loop::consume({ words }.drain(..), slots, &mut mix);
}
"#;

#[test]
fn the_compiler_works_on_one_call_at_a_time() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let loops = workspace.join("perftest/src/measure/bench_loop.rs").canonicalize().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let source = format!("#[path = {loops:?}]\n#[allow(dead_code)]\nmod bench_loop;\n{ROUTINES}");
    fs::write(directory.path().join("source.rs"), source).unwrap();
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(compiler)
        .args(["--edition=2024", "--crate-type=lib", "-Copt-level=3", "--emit=asm", "source.rs"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let assembly = fs::read_to_string(directory.path().join("source.s")).unwrap();
    assert_eq!(assembly.matches("imull\t$739982445").count(), 3, "one a routine");
    assert!(!assembly.contains("pmul"), "a multiplication of vectors: {assembly}");
}
