//! The programs whose time is measured as that of whole processes.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Returns the test binary with a thousand perf tests, which cargo builds beside this one.
///
/// # Panics
/// When it was not built: `cargo test` without `--test` builds both.
pub fn thousand_tests() -> PathBuf {
    let directory = env::current_exe().expect("this program has a path");
    let directory = directory.parent().expect("a program is in a directory").to_owned();
    let found = fs::read_dir(directory).expect("programs are in a directory that can be read");
    let paths = found.filter_map(|entry| Some(entry.ok()?.path()));
    let programs = paths.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("thousand-") && path.extension().is_none_or(|it| it == "exe")
    });
    // Programs of earlier builds are still there.
    programs
        .max_by_key(|path| fs::metadata(path).and_then(|it| it.modified()).ok())
        .expect("`cargo test -p perftest-performance --tests` builds the thousand tests")
}

/// Returns a command of `cargo-perftest` beside the store of so many tests. What it prints does not count.
///
/// # Panics
/// Without the variables that `ci/campaigns/performance.sh` sets.
pub fn tool_in_store(command: &str, tests: u64) -> Command {
    let variable = |name| env::var_os(name).expect("ci/campaigns/performance.sh sets variables");
    let place = PathBuf::from(variable("PERFTEST_PERFORMANCE_STORES")).join(tests.to_string());
    // Open alerts end with 1, which is no failure of the measurement.
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" perftest $1 >\"$2\"; test $? -le 1"]);
    shell.arg(variable("CARGO_PERFTEST")).arg(command).arg(place.join("answer"));
    shell.current_dir(place.join("project")).env("PERFTEST_STORE", place.join("store"));
    shell
}
