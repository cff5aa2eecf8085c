//! The toolchain and the system of a run: stored once, under its hash.

use crate::registry::Build;
use perftest_core::model::{PowerSettings, Reading, TargetKind};
use perftest_core::text::Text;
use perftest_machine::{Epoch, MachineIdentity};
use perftest_store::line::ToJson;
use perftest_store::{Digest, JsonObject};

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
        let mut json = JsonObject::new();
        json.put("rustc", RUSTC);
        json.put("target", TARGET);
        json.put("opt_level", OPT_LEVEL);
        json.put("rustflags", RUSTFLAGS);
        json.put("optimised", build.optimised);
        json.put("debug_assertions", build.debug_assertions);
        json.put("machine", machine.fingerprint_text());
        json.put("clock", clock.parts(",").next());
        json.put("perftest", env!("CARGO_PKG_VERSION"));
        put_epoch(&mut json, epoch);
        match functions_aligned {
            Reading::Value(aligned) => json.put("functions_aligned", *aligned),
            Reading::Absent(why) => json.put("functions_aligned_unknown", why.as_ref()),
        }
        let json = json.to_string();
        Self { hash: Digest::of(json.as_bytes()).hex16(), json }
    }
}

fn put_epoch(json: &mut JsonObject, epoch: &Epoch) {
    put_reading(json, "kernel", &epoch.kernel);
    put_reading(json, "microcode", &epoch.microcode);
    put_reading(json, "clock_source", &epoch.clock_source);
    put_reading(json, "address_randomisation", &epoch.address_randomisation);
    put_reading(json, "transparent_huge_pages", &epoch.transparent_huge_pages);
    put_reading(json, "smt", &epoch.smt_is_active);
    put_reading(json, "isolated_cpus", &epoch.isolated_cpus);
    put_reading(json, "nohz_full_cpus", &epoch.nohz_full_cpus);
    put_reading(json, "power_limit_uw", &epoch.power_limit_uw);
    put_reading(json, "power_limit_window_us", &epoch.power_limit_window_us);
    let power = &epoch.power;
    put_reading(json, "governor", &power.governor);
    put_reading(json, "energy_preference", &power.preference);
    put_reading(json, "platform_profile", &power.profile);
    put_reading(json, "boost", &power.boost);
    put_reading(json, "clock_cap_khz", &power.cap_khz);
}

/// An absent reading has no key.
fn put_reading<T: ToJson + Clone>(json: &mut JsonObject, key: &str, reading: &Reading<T>) {
    if let Some(value) = reading.value() {
        json.put(key, value.clone());
    }
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
    let (cap_khz, has_no_boost) = power.limits();
    let cap = cap_khz.map_or_else(String::new, |khz| format!("cap {khz}"));
    let boost = if has_no_boost { "no boost" } else { "" };
    let kind = if kind == TargetKind::Test { "" } else { kind.name() };
    let fields = [TARGET, OPT_LEVEL, build, "batches/1", &cap, boost, kind];
    Digest::of_fields(fields.into_iter().filter(|field| !field.is_empty())).hex8()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
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
