//! The profile that tests are built with.

use toml::{Table, Value};

/// Longest chain of profiles that inherit from each other; a longer one is a circle.
const LONGEST_CHAIN: usize = 16;

/// The settings of a cargo profile that measurements depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CargoProfile {
    pub(super) name: String,
    pub(super) opt_level: String,
    pub(super) debug_assertions: bool,
    lto: String,
    pub(super) codegen_units: String,
    debug: String,
}

impl CargoProfile {
    /// The profile of this name in the layers that cargo looks at, those that count more first:
    /// variables, configurations, manifest. What they set for this package counts more. A setting that is in no layer has
    /// cargo's default.
    ///
    /// # Errors
    /// When no layer has such a profile.
    pub(crate) fn resolve(
        name: &str,
        layers: &[Table],
        package: Option<&str>,
    ) -> Result<Self, String> {
        let chain = chain(name, layers)?;
        let is_release = chain.last().is_some_and(|root| root == "release");
        let given = |key: &str| {
            let of_profile =
                |name: &String| layers.iter().find_map(|layer| entry(layer, name, key));
            let of_package = |name: &String| {
                layers
                    .iter()
                    .find_map(|layer| entry(layer, name, "package")?.get(package?)?.get(key))
            };
            let own = chain.iter().find_map(of_package);
            own.or_else(|| chain.iter().find_map(of_profile)).map(plain)
        };
        let or = |key: &str, release: &str, dev: &str| {
            given(key).unwrap_or_else(|| if is_release { release } else { dev }.to_owned())
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

    /// `profile release: opt-level 3, no LTO, codegen-units 16, no line tables`
    pub(super) fn describe(&self) -> String {
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

    pub(super) fn has_line_tables(&self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str, layers: &[&str]) -> Result<CargoProfile, String> {
        let layers: Vec<Table> = layers.iter().map(|text| text.parse().unwrap()).collect();
        CargoProfile::resolve(name, &layers, Some("lab"))
    }

    #[test]
    fn a_setting_in_no_layer_has_the_default_of_cargo() {
        let release = resolved("release", &[]).unwrap();
        assert_eq!(
            release.describe(),
            "profile release: opt-level 3, no LTO, codegen-units 16, no line tables"
        );
        assert!(!release.debug_assertions && resolved("test", &[]).unwrap().debug_assertions);
    }

    #[test]
    fn what_is_set_for_the_package_counts_more_than_what_is_set_for_all() {
        let all = "[profile.release]\ncodegen-units = 4\n";
        let of = |name: &str, own: &str| {
            let layer = format!("{all}[profile.release.package.{own}]\ncodegen-units = 1\n");
            let inherited = format!("{layer}[profile.perf]\ninherits = 'release'");
            resolved(name, &[&inherited]).unwrap().codegen_units
        };
        assert_eq!(of("release", "lab"), "1");
        assert_eq!(of("release", "other"), "4");
        assert_eq!(of("perf", "lab"), "1");
    }

    #[test]
    fn an_unknown_profile_and_a_circle_are_refused_with_the_way_out() {
        assert!(resolved("perf", &[]).unwrap_err().contains("[profile.perf]"));
        let circle = "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'";
        assert!(resolved("a", &[circle]).unwrap_err().contains("inherits from itself"));
    }
}
