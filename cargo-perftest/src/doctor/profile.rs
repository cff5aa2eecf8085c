//! The profile that tests are built with.

use super::{BuildFacts, Finding, Severity};
use toml::{Table, Value};

/// Longest chain of profiles that inherit from each other; a longer one is a circle.
const LONGEST_CHAIN: usize = 16;

/// What a profile of cargo says, as far as measurements depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Profile {
    name: String,
    opt_level: String,
    debug_assertions: bool,
    lto: String,
    codegen_units: String,
    debug: String,
}

impl Profile {
    /// The profile of this name in the layers that cargo looks at, those that count more first:
    /// variables, configurations, manifest. What no layer says, cargo's defaults do.
    ///
    /// # Errors
    /// When no layer has such a profile.
    pub(crate) fn resolve(name: &str, layers: &[Table]) -> Result<Self, String> {
        let chain = chain(name, layers)?;
        let is_release = chain.last().is_some_and(|root| root == "release");
        let said = |key: &str| {
            let of_profile =
                |name: &String| layers.iter().find_map(|layer| entry(layer, name, key));
            chain.iter().find_map(of_profile).map(plain)
        };
        let or = |key: &str, release: &str, dev: &str| {
            said(key).unwrap_or_else(|| if is_release { release } else { dev }.to_owned())
        };
        Ok(Self {
            name: name.to_owned(),
            opt_level: or("opt-level", "3", "0"),
            debug_assertions: or("debug-assertions", "false", "true") == "true",
            lto: or("lto", "false", "false"),
            codegen_units: or("codegen-units", "16", "256"),
            debug: or("debug", "false", "true"),
        })
    }

    fn describe(&self) -> String {
        let Self { name, opt_level, codegen_units, .. } = self;
        let lto = match self.lto.as_str() {
            "false" | "off" => "no LTO",
            "thin" => "thin LTO",
            _ => "fat LTO",
        };
        let lines = if self.has_line_tables() { "line tables" } else { "no line tables" };
        format!(
            "profile {name}: opt-level {opt_level}, {lto}, codegen-units {codegen_units}, {lines}"
        )
    }

    fn has_line_tables(&self) -> bool {
        !["false", "0", "none", "line-directives-only"].contains(&self.debug.as_str())
    }
}

/// The profile and those it inherits from, the last of them `release` or `dev`.
fn chain(name: &str, layers: &[Table]) -> Result<Vec<String>, String> {
    let mut chain = vec![name.to_owned()];
    while chain.len() < LONGEST_CHAIN {
        let parent = match chain[chain.len() - 1].as_str() {
            "release" | "dev" => return Ok(chain),
            "bench" => "release".to_owned(),
            "test" => "dev".to_owned(),
            own => {
                let inherits = layers.iter().find_map(|layer| entry(layer, own, "inherits"));
                inherits.map(plain).ok_or_else(|| unknown(own))?
            }
        };
        chain.push(parent);
    }
    Err(format!("the profile `{name}` inherits from itself; let it inherit `release`"))
}

fn unknown(name: &str) -> String {
    format!(
        "there is no profile `{name}` here; add [profile.{name}] with `inherits = \"release\"` to \
         the workspace's Cargo.toml, or give another --profile"
    )
}

fn entry<'a>(layer: &'a Table, profile: &str, key: &str) -> Option<&'a Value> {
    layer.get("profile")?.get(profile)?.get(key)
}

/// A value as it would stand in a variable.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(switch) => switch.to_string(),
        // No setting that is asked for here has another kind of value.
        _ => String::new(),
    }
}

/// Whether the profile lets tests be measured, and what would make them steadier.
pub(super) fn profile(build: &BuildFacts) -> Finding {
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
fn improvements(profile: &Profile) -> Vec<(&'static str, &'static str)> {
    let steadier = ("a change may move other code between units", "codegen-units = 1");
    let readable = ("profiles have no lines", "debug = \"line-tables-only\"");
    let steadier = (profile.codegen_units != "1").then_some(steadier);
    let readable = (!profile.has_line_tables()).then_some(readable);
    [steadier, readable].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str, layers: &[&str]) -> Result<Profile, String> {
        let layers: Vec<Table> = layers.iter().map(|text| text.parse().unwrap()).collect();
        Profile::resolve(name, &layers)
    }

    fn found(name: &str, layers: &[&str]) -> Finding {
        let of = resolved(name, layers).unwrap();
        profile(&BuildFacts { profile: of, flags: Vec::new() })
    }

    #[test]
    fn what_nobody_says_cargo_defaults_to() {
        let release = resolved("release", &[]).unwrap();
        assert_eq!(
            release.describe(),
            "profile release: opt-level 3, no LTO, codegen-units 16, no line tables"
        );
        assert!(!release.debug_assertions && resolved("test", &[]).unwrap().debug_assertions);
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
    fn an_unknown_profile_and_a_circle_are_refused_with_the_way_out() {
        assert!(resolved("perf", &[]).unwrap_err().contains("[profile.perf]"));
        let circle = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'";
        assert!(resolved("a", &[circle]).unwrap_err().contains("inherits from itself"));
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
            "set codegen-units = 1 and debug = \"line-tables-only\" in [profile.release]"
        );
    }
}
