//! Remembers what this crate is compiled with, for the context of each run.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let rustc = Command::new(of("RUSTC")).arg("--version").output();
    let rustc = rustc.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    println!("cargo::rustc-env=PERFTEST_RUSTC={rustc}");
    println!("cargo::rustc-env=PERFTEST_TARGET={}", of("TARGET"));
    println!("cargo::rustc-env=PERFTEST_OPT_LEVEL={}", of("OPT_LEVEL"));
    let flags = of("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=PERFTEST_RUSTFLAGS={}", without_paths(&flags));
}

/// Flags may name directories of this machine, which no record shall hold.
fn without_paths(flags: &str) -> String {
    flags.split(' ').filter(|flag| !flag.contains(['/', '\\'])).collect::<Vec<_>>().join(" ")
}
