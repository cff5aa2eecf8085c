//! What fuzzing calls, without a fuzzer: every kept input, and changes of it.

#![allow(clippy::unwrap_used)] // A test fails with the text of the error.

use perftest_fuzz_targets::{ChangedInput, FuzzTarget, TARGETS};
use std::collections::BTreeSet;
use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

/// Changes of each input, and what they follow from.
const CHANGES: usize = 40;
const SEED: u64 = 1;

fn fuzz_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names_in(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The inputs of a target by their names.
fn kept_inputs(target: &FuzzTarget) -> Vec<(String, Vec<u8>)> {
    let directory = fuzz_directory().join("corpus").join(target.name);
    let names = names_in(&directory);
    names.into_iter().map(|name| (name.clone(), fs::read(directory.join(name)).unwrap())).collect()
}

#[test]
fn every_target_has_kept_inputs_and_a_fuzzer() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|it| it.name.to_owned()).collect();
    assert_eq!(names_in(&fuzz_directory().join("corpus")), targets);
    let manifest = fs::read_to_string(fuzz_directory().join("Cargo.toml")).unwrap();
    let fuzzers = manifest.lines().filter_map(|line| line.strip_prefix("name = \""));
    let fuzzers = fuzzers.skip(1).map(|name| name.trim_end_matches('"').to_owned());
    assert_eq!(fuzzers.collect::<BTreeSet<_>>(), targets);
}

#[test]
fn kept_inputs_and_changes_of_them_are_read_as_the_laws_demand() {
    println!("| target | tries | failures |\n| --- | ---: | ---: |");
    let mut failed = Vec::new();
    for target in TARGETS {
        let (mut tries, before) = (0, failed.len());
        for (name, input) in kept_inputs(target) {
            let changes = ChangedInput::new(&input, SEED).take(CHANGES);
            for (number, data) in [input.clone()].into_iter().chain(changes).enumerate() {
                tries += 1;
                if panic::catch_unwind(|| (target.run)(&data)).is_err() {
                    failed.push(kept_for_later(target, &name, number, &data));
                }
            }
        }
        assert!(tries > CHANGES, "{} has no input", target.name);
        println!("| {} | {tries} | {} |", target.name, failed.len() - before);
    }
    println!("seed {SEED}");
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Writes an input that failed to a file, which a fuzzer takes as an argument.
fn kept_for_later(target: &FuzzTarget, name: &str, number: usize, data: &[u8]) -> String {
    let file = format!("fuzz-{}-{name}-{number}", target.name);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    fs::write(&path, data).unwrap();
    format!("{}: change {number} of {name} with seed {SEED} fails: {}", target.name, path.display())
}
