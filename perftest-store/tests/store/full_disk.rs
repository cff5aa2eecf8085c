//! A disk without room, as far as Linux lets a test have one.
#![cfg(target_os = "linux")]

use crate::bench::{Bench, open};
use perftest_store::conformance::example_run;
use perftest_store::{Store, StoreError};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const ROOT: &str = "PERFTEST_TEST_ROOT";

/// Appends until there is no room, in a process whose files may not grow beyond a limit.
#[test]
#[ignore = "a process that the other test starts"]
fn fill() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let store = open(&PathBuf::from(root));
    let error = (0..1000).find_map(|it| store.append(&example_run(it)).err()).unwrap();
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
}

#[test]
fn a_record_that_only_partly_fits_is_taken_back() {
    let bench = Bench::new("partly");
    // The shell limits the size of files to 10 blocks, and lets a write beyond it fail.
    let script = "trap '' XFSZ; ulimit -f 10; exec \"$0\" --ignored --exact full_disk::fill";
    let executable = std::env::current_exe().unwrap();
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(executable)
        .env(ROOT, bench.root.as_path())
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let text = fs::read_to_string(bench.history_file()).unwrap();
    assert!(text.ends_with('\n'), "nothing of the last record is left");
    let kept = bench.ids().len();
    assert!(kept > 0);
    assert_eq!(text.lines().count(), kept);
}
