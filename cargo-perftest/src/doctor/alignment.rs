//! Whether functions are aligned, so that relinking unchanged code changes no times.

use super::{BuildFacts, Finding, Severity};
use toml::{Table, Value};

/// The flag, without the `-C` before it.
pub(crate) const ALIGNMENT_FLAG: &str = "llvm-args=-align-all-functions=6";
/// What the code generator is asked for: addresses that are multiples of two to this power.
const ARGUMENT: &str = "align-all-functions=";
/// Two to this power is a cache line.
pub(crate) const CACHE_LINE: u32 = 6;

/// Where compiler flags come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagPlace {
    /// The variable `CARGO_ENCODED_RUSTFLAGS`.
    EncodedVariable,
    /// The variable `RUSTFLAGS`.
    Variable,
    /// `target.*.rustflags` in a configuration of cargo.
    Target,
    /// `build.rustflags` in a configuration of cargo.
    Build,
}

impl FlagPlace {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::EncodedVariable => "CARGO_ENCODED_RUSTFLAGS",
            Self::Variable => "RUSTFLAGS",
            Self::Target => "target.*.rustflags",
            Self::Build => "build.rustflags",
        }
    }
}

/// A place that gives compiler flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FlagSource {
    place: FlagPlace,
    flags: Vec<String>,
}

impl FlagSource {
    pub(crate) fn place(&self) -> FlagPlace {
        self.place
    }

    /// Two to which power functions are aligned.
    pub(crate) fn alignment(&self) -> Option<u32> {
        let value = |flag: &String| {
            let (_, value) = flag.rsplit_once(ARGUMENT)?;
            value.split([' ', ',']).next()?.parse().ok()
        };
        self.flags.iter().rev().find_map(value)
    }
}

/// The places that give flags. Cargo takes the first of them and no other. `configs` are its
/// configurations, the nearest first; `architecture` is that of the host, as Rust names it.
pub(crate) fn flag_sources(
    variable: impl Fn(&str) -> Option<String>,
    configs: &[Table],
    architecture: &str,
) -> Vec<FlagSource> {
    let split = |text: String, by: char| {
        text.split(by).filter(|flag| !flag.is_empty()).map(str::to_owned).collect()
    };
    // The nearest configuration comes last in the joined list, and so wins.
    let joined = |flags_of: &dyn Fn(&Table) -> Vec<String>| {
        let flags: Vec<String> = configs.iter().rev().flat_map(flags_of).collect();
        Some(flags).filter(|flags| !flags.is_empty())
    };
    let encoded = variable("CARGO_ENCODED_RUSTFLAGS").map(|text| split(text, '\u{1f}'));
    let all = [
        (FlagPlace::EncodedVariable, encoded),
        (FlagPlace::Variable, variable("RUSTFLAGS").map(|text| split(text, ' '))),
        (FlagPlace::Target, joined(&|config| of_target(config, architecture))),
        (FlagPlace::Build, joined(&|config| of_table(config.get("build")))),
    ];
    let given = |(place, flags): (_, Option<_>)| Some(FlagSource { place, flags: flags? });
    all.into_iter().filter_map(given).collect()
}

/// Flags for targets of this architecture. Whether a `cfg(..)` holds only the compiler knows: it
/// is taken for one that does.
fn of_target(config: &Table, architecture: &str) -> Vec<String> {
    let Some(Value::Table(targets)) = config.get("target") else {
        return Vec::new();
    };
    let fits = |target: &&String| target.starts_with(architecture) || target.starts_with("cfg(");
    targets.keys().filter(fits).flat_map(|target| of_table(targets.get(target))).collect()
}

/// The flags of a table: one text, or a list of texts.
fn of_table(table: Option<&Value>) -> Vec<String> {
    match table.and_then(|table| table.get("rustflags")) {
        Some(Value::String(text)) => text.split_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(flags)) => {
            flags.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether functions are aligned.
pub(super) fn alignment(build: &BuildFacts) -> Finding {
    let used = build.flags.first();
    if let Some(power) = used.and_then(FlagSource::alignment).filter(|power| *power >= CACHE_LINE) {
        let fact = format!("functions aligned to {} bytes", 1_u64 << power.min(32));
        let effect = "relinking moves no function within its cache line";
        return Finding::new(Severity::Good, "alignment", fact, effect);
    }
    let given = build.flags.iter().find(|source| source.alignment() >= Some(CACHE_LINE));
    let fact = match used.zip(given) {
        Some((used, given)) => {
            let (used, given) = (used.place.name(), given.place.name());
            format!("functions are not aligned: cargo takes {used}, not the flag in {given}")
        }
        None => "functions are not aligned".into(),
    };
    let effect = "the same code linked in another order was up to 15% slower in 5 of 20 links, \
                  aligned 1.3%";
    let finding = Finding::new(Severity::Warning, "alignment", fact, effect);
    let (advice, lines) = how_to_align(used.map(|source| source.place));
    finding.advise(advice).add(lines)
}

/// The way that has an effect beside what is there already.
pub(crate) fn how_to_align(used: Option<FlagPlace>) -> (&'static str, Vec<String>) {
    let more = format!(r#""-C", "{ALIGNMENT_FLAG}""#);
    match used {
        None => {
            let lines = vec!["[build]".into(), format!("rustflags = [{more}]")];
            ("run cargo perftest init, or add to .cargo/config.toml:", lines)
        }
        Some(FlagPlace::Build) => ("add to the list build.rustflags:", vec![more]),
        Some(FlagPlace::Target) => ("add to the list target.*.rustflags:", vec![more]),
        Some(FlagPlace::Variable) => ("add to RUSTFLAGS:", vec![format!("-C {ALIGNMENT_FLAG}")]),
        Some(FlagPlace::EncodedVariable) => {
            ("add to CARGO_ENCODED_RUSTFLAGS:", vec![format!("-C{ALIGNMENT_FLAG}")])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Profile;

    const FLAGS: &str = r#"["-C", "llvm-args=-align-all-functions=6"]"#;

    fn found(variables: &[(&str, &str)], configs: &[&str]) -> Finding {
        let configs: Vec<Table> = configs.iter().map(|text| text.parse().unwrap()).collect();
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let flags = flag_sources(variable, &configs, "x86_64");
        alignment(&BuildFacts { profile: Profile::resolve("release", &[]).unwrap(), flags })
    }

    #[test]
    fn without_the_flag_the_lines_to_add_are_given() {
        let finding = found(&[], &[]);
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(finding.add, ["[build]", &format!("rustflags = {FLAGS}")]);
    }

    #[test]
    fn the_flag_is_found_wherever_cargo_takes_it_from() {
        let in_build = format!("[build]\nrustflags = {FLAGS}");
        let in_target = format!("[target.x86_64-unknown-linux-gnu]\nrustflags = {FLAGS}");
        let in_cfg = "[target.'cfg(unix)']\nrustflags = '-Cllvm-args=-align-all-functions=6 -g'";
        for config in [in_build.as_str(), &in_target, in_cfg] {
            assert_eq!(found(&[], &["", config]).severity, Severity::Good, "{config}");
        }
        let flag = "-C opt-level=3 -C llvm-args=-align-all-functions=6";
        let encoded = flag.replace(' ', "\u{1f}");
        for variable in [("RUSTFLAGS", flag), ("CARGO_ENCODED_RUSTFLAGS", &encoded)] {
            assert_eq!(found(&[variable], &[]).severity, Severity::Good, "{variable:?}");
        }
    }

    #[test]
    fn a_flag_that_another_place_hides_is_reported() {
        let in_build = format!("[build]\nrustflags = {FLAGS}");
        let hidden = found(&[("RUSTFLAGS", "-D warnings")], &[&in_build]);
        assert_eq!(hidden.severity, Severity::Warning);
        assert!(hidden.fact.ends_with("cargo takes RUSTFLAGS, not the flag in build.rustflags"));
        assert_eq!(hidden.add, ["-C llvm-args=-align-all-functions=6"]);
        let emptied = found(&[("RUSTFLAGS", "")], &[&in_build]);
        assert_eq!(emptied.severity, Severity::Warning);
    }

    #[test]
    fn the_nearest_configuration_has_the_last_word() {
        let near = "build.rustflags = ['-Cllvm-args=-align-all-functions=4']";
        let far = "build.rustflags = ['-Cllvm-args=-align-all-functions=6']";
        assert_eq!(found(&[], &[near, far]).severity, Severity::Warning);
        assert_eq!(found(&[], &[far, near]).severity, Severity::Good);
    }

    #[test]
    fn an_alignment_below_a_cache_line_or_for_another_processor_is_none() {
        for config in [
            "[build]\nrustflags = '-Cllvm-args=-align-all-functions=4'",
            "[build]\nrustflags = '-Cllvm-args=-align-all-functions=x'",
            "[target.aarch64-apple-darwin]\nrustflags = '-Cllvm-args=-align-all-functions=6'",
            "build = 1\ntarget = 'x'",
        ] {
            assert_eq!(found(&[], &[config]).severity, Severity::Warning, "{config}");
        }
    }
}
