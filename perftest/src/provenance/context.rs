//! The toolchain and the system of a run: stored once, under its hash.

use crate::registry::Build;
use perftest_core::list::IntoList;
use perftest_core::model::{PowerSettings, Reading, TargetKind};
use perftest_machine::{Epoch, MachineIdentity};
use perftest_store::Digest;
use serde_json::{Value, json};

/// Known since this crate was compiled; see `build.rs`.
const RUSTC: &str = env!("PERFTEST_RUSTC");
const TARGET: &str = env!("PERFTEST_TARGET");
const OPT_LEVEL: &str = env!("PERFTEST_OPT_LEVEL");
const RUSTFLAGS: &str = env!("PERFTEST_RUSTFLAGS");

/// The context of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Context {
    /// The text, one JSON object.
    pub json: String,
    /// The name: 16 hex digits of the text's hash.
    pub hash: String,
}

impl Context {
    /// The context of this process on this machine.
    pub(crate) fn of(
        machine: &MachineIdentity,
        epoch: &Epoch,
        clock: &str,
        build: Build,
        functions_aligned: &Reading<bool>,
    ) -> Self {
        let mut json = json!({
            "rustc": RUSTC,
            "target": TARGET,
            "opt_level": OPT_LEVEL,
            "rustflags": RUSTFLAGS,
            "optimised": build.optimised,
            "debug_assertions": build.debug_assertions,
            "machine": machine.fingerprint_text(),
            "clock": clock.split(',').next(),
            "perftest": env!("CARGO_PKG_VERSION"),
        });
        for (name, value) in facts(epoch) {
            json[name] = value;
        }
        match functions_aligned {
            Reading::Value(aligned) => json["functions_aligned"] = (*aligned).into(),
            Reading::Absent(why) => json["functions_aligned_unknown"] = why.as_ref().into(),
        }
        let json = json.to_string();
        Self { hash: Digest::of(json.as_bytes()).hex16(), json }
    }
}

/// Returns the facts of an epoch.
fn facts(epoch: &Epoch) -> Vec<(&'static str, Value)> {
    fn known<T: Clone + Into<Value>>(reading: &Reading<T>) -> Option<Value> {
        reading.value().cloned().map(Into::into)
    }
    let power = &epoch.power;
    [
        ("kernel", known(&epoch.kernel)),
        ("microcode", known(&epoch.microcode)),
        ("clock_source", known(&epoch.clock_source)),
        ("address_randomisation", known(&epoch.address_randomisation)),
        ("transparent_huge_pages", known(&epoch.transparent_huge_pages)),
        ("smt", known(&epoch.smt_is_active)),
        ("isolated_cpus", known(&epoch.isolated_cpus)),
        ("nohz_full_cpus", known(&epoch.nohz_full_cpus)),
        ("power_limit_uw", known(&epoch.power_limit_uw)),
        ("power_limit_window_us", known(&epoch.power_limit_window_us)),
        ("governor", known(&power.governor)),
        ("energy_preference", known(&power.preference)),
        ("platform_profile", known(&power.profile)),
        ("boost", known(&power.boost)),
        ("clock_cap_khz", known(&power.cap_khz)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .into_list()
}

/// Returns the hash of what makes runs comparable: target, optimisation, the harness's method, a
/// capped clock, and the kind of executable. A module of the library may have the same name as a
/// test target, and the two never share a history.
pub(crate) fn config_hash(kind: TargetKind, build: Build, power: &PowerSettings) -> String {
    let build = match build {
        Build { optimised: false, .. } => "unoptimised",
        Build { debug_assertions: true, .. } => "optimised, debug assertions",
        Build { .. } => "optimised",
    };
    let cap = power.cap_khz.get().filter(|_| power.is_capped());
    let cap = cap.map_or_else(String::new, |khz| format!("cap {khz}"));
    let boost = if power.boost.get() == Some(false) { "no boost" } else { "" };
    let kind = if kind == TargetKind::Test { "" } else { kind.name() };
    let fields = [TARGET, OPT_LEVEL, build, "batches/1", &cap, boost, kind];
    Digest::of_fields(fields.into_iter().filter(|field| !field.is_empty())).hex8()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const RELEASE: Build = Build { optimised: true, debug_assertions: false };

    fn capped(cap_khz: u64) -> PowerSettings {
        PowerSettings {
            cap_khz: Reading::Value(cap_khz),
            hardware_khz: Reading::Value(4_700_000),
            ..PowerSettings::default()
        }
    }

    #[test]
    fn runs_under_a_cap_compare_only_with_runs_under_the_same_cap() {
        let hash = |power: &PowerSettings| config_hash(TargetKind::Test, RELEASE, power);
        assert_eq!(hash(&capped(4_700_000)), hash(&PowerSettings::default()));
        assert_ne!(hash(&capped(1_900_000)), hash(&PowerSettings::default()));
        assert_ne!(hash(&capped(1_900_000)), hash(&capped(2_400_000)));
    }

    #[test]
    fn runs_of_executables_of_different_kinds_are_never_compared() {
        let hash = |kind| config_hash(kind, RELEASE, &PowerSettings::default());
        let kinds = [TargetKind::Library, TargetKind::Binary, TargetKind::Test, TargetKind::Bench];
        let hashes: BTreeSet<String> = kinds.map(hash).into_iter().collect();
        assert_eq!(hashes.len(), kinds.len());
    }

    #[test]
    fn runs_with_debug_assertions_and_without_are_never_compared() {
        let hash = |build| config_hash(TargetKind::Test, build, &PowerSettings::default());
        let asserting = Build { debug_assertions: true, ..RELEASE };
        let unoptimised = Build { optimised: false, ..asserting };
        let hashes: BTreeSet<String> = [RELEASE, asserting, unoptimised].map(hash).into();
        assert_eq!(hashes.len(), 3);
    }

    #[test]
    fn the_context_has_what_is_known_of_the_epoch_and_names_no_machine() {
        let machine = MachineIdentity::of_this_machine();
        let context = Context::of(
            &machine,
            &Epoch::of_this_machine(),
            "tsc, steps",
            RELEASE,
            &Reading::Value(true),
        );
        let json: Value = serde_json::from_str(&context.json).unwrap();
        assert_eq!(json["clock"], "tsc");
        assert!(!context.json.contains("hostname"));
        if cfg!(target_os = "linux") {
            assert!(json["kernel"].is_string(), "{json}");
        }
    }
}
