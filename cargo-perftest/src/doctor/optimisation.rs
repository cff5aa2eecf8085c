//! Whether tests are optimised and can be measured.

use super::{BuildFacts, CargoProfile, Finding, Severity};

/// Whether the profile lets tests be measured, and what would make them steadier.
pub(super) fn optimisation(build: &BuildFacts) -> Finding {
    let profile = &build.profile;
    let fact = profile.describe();
    let set = |what: &str| format!("set {what} in [profile.{}]", profile.name);
    let instead = |what: &str| match profile.name.as_str() {
        "dev" | "test" => "cargo test --release".into(),
        _ => set(what),
    };
    if profile.opt_level == "0" {
        let effect = "each test is run once and not measured";
        let finding = Finding::new(Severity::Warning, "profile", fact, effect);
        return finding.advise(instead("opt-level = 3"));
    }
    if profile.debug_assertions {
        let fact = format!("{fact}, debug assertions");
        let effect = "checks are measured that the code in use does not have";
        let finding = Finding::new(Severity::Warning, "profile", fact, effect);
        return finding.advise(instead("debug-assertions = false"));
    }
    let improvements = improvements(profile);
    if improvements.is_empty() {
        return Finding::new(Severity::Good, "profile", fact, "as good as it gets");
    }
    let (effects, settings): (Vec<&str>, Vec<&str>) = improvements.into_iter().unzip();
    let finding = Finding::new(Severity::Note, "profile", fact, effects.join("; "));
    finding.advise(set(&settings.join(" and ")))
}

/// What could be better, and the setting that makes it so.
fn improvements(profile: &CargoProfile) -> Vec<(&'static str, &'static str)> {
    let steadier = ("a change may move other code between units", "codegen-units = 1");
    let readable = ("profiles have no lines", "debug = \"limited\"");
    let steadier = (profile.codegen_units != "1").then_some(steadier);
    let readable = (!profile.has_line_tables()).then_some(readable);
    [steadier, readable].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Table;

    fn found(name: &str, layers: &[&str]) -> Finding {
        let layers: Vec<Table> = layers.iter().map(|text| text.parse().unwrap()).collect();
        let profile = CargoProfile::resolve(name, &layers, None).unwrap();
        optimisation(&BuildFacts { profile, flags: Vec::new() })
    }

    #[test]
    fn the_nearer_layer_counts_and_what_it_leaves_open_is_inherited() {
        let near = "profile.perf.lto = 'thin'";
        let manifest = "[profile.perf]\ninherits = 'release'\nlto = true\n\
                        [profile.release]\ncodegen-units = 1\ndebug = 1";
        let finding = found("perf", &[near, manifest]);
        assert_eq!(
            (finding.fact.as_str(), finding.severity),
            ("profile perf: opt-level 3, thin LTO, codegen-units 1, line tables", Severity::Good)
        );
    }

    #[test]
    fn a_profile_that_keeps_tests_from_being_measured_is_a_warning() {
        assert_eq!(found("dev", &[]).advice, "cargo test --release");
        let checked = found("release", &["profile.release.debug-assertions = true"]);
        assert_eq!(checked.advice, "set debug-assertions = false in [profile.release]");
        let optimised = found("test", &["profile.test.opt-level = 3"]);
        assert!(optimised.effect.starts_with("checks are measured"), "{}", optimised.effect);
        let slow = found("release", &["profile.release.opt-level = 0"]);
        assert_eq!(slow.severity, Severity::Warning);
        assert_eq!(slow.advice, "set opt-level = 3 in [profile.release]");
    }

    #[test]
    fn what_would_make_tests_steadier_is_given_word_for_word() {
        let finding = found("release", &[]);
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            finding.advice,
            "set codegen-units = 1 and debug = \"limited\" in [profile.release]"
        );
    }
}
