//! The toolchain and system a run was made with: kept once, named by its hash.

use perftest_machine::MachineIdentity;
use perftest_store::Digest;
use serde_json::json;

/// What was known when this crate was compiled; see `build.rs`.
const RUSTC: &str = env!("PERFTEST_RUSTC");
const TARGET: &str = env!("PERFTEST_TARGET");
const OPT_LEVEL: &str = env!("PERFTEST_OPT_LEVEL");
const RUSTFLAGS: &str = env!("PERFTEST_RUSTFLAGS");

/// The context of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Context {
    /// Its text, one JSON object.
    pub json: String,
    /// Its name: 16 hex digits of the text's hash.
    pub hash: String,
}

impl Context {
    /// The context of this process on this machine.
    pub(crate) fn of(machine: &MachineIdentity, clock: &str, optimised: bool) -> Self {
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let json = json!({
            "rustc": RUSTC,
            "target": TARGET,
            "opt_level": OPT_LEVEL,
            "rustflags": RUSTFLAGS,
            "debug_assertions": !optimised,
            "machine": machine.fingerprint_text(),
            "clock": clock.split(',').next(),
            "kernel": kernel.trim(),
            "perftest": env!("CARGO_PKG_VERSION"),
        })
        .to_string();
        Self { hash: Digest::of(json.as_bytes()).hex16(), json }
    }
}

/// Hash of what makes runs comparable: target, optimisation, and how the harness measures.
pub(crate) fn config_hash(optimised: bool) -> String {
    let optimised = if optimised { "optimised" } else { "unoptimised" };
    Digest::of_fields([TARGET, OPT_LEVEL, optimised, "batches/1"]).hex8()
}
