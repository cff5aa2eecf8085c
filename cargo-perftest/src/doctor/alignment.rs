//! Whether functions are aligned, so that relinking unchanged code changes no times.

use super::{BuildFacts, Finding, FlagPlace, FlagSource, Severity};

/// The flag, without the `-C` before it.
pub(crate) const ALIGNMENT_FLAG: &str = "llvm-args=-align-all-functions=6";
/// Two to this power is a cache line.
pub(crate) const CACHE_LINE: u32 = 6;

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
            let (used, given) = (used.place().name(), given.place().name());
            format!("functions are not aligned: cargo takes {used}, not the flag in {given}")
        }
        None => "functions are not aligned".into(),
    };
    let effect = "the same code linked in another order was up to 15% slower in 5 of 20 links, \
                  aligned 1.3%";
    let finding = Finding::new(Severity::Warning, "alignment", fact, effect);
    let (advice, lines) = how_to_align(used.map(FlagSource::place));
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
    use crate::doctor::{CargoProfile, flag_sources};
    use crate::target_platform::TargetPlatform;
    use toml::Table;

    const FLAGS: &str = r#"["-C", "llvm-args=-align-all-functions=6"]"#;

    fn found(variables: &[(&str, &str)], configs: &[&str]) -> Finding {
        let configs: Vec<Table> = configs.iter().map(|text| text.parse().unwrap()).collect();
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let flags = flag_sources(variable, &configs, &TargetPlatform::linux());
        alignment(&BuildFacts {
            profile: CargoProfile::resolve("release", &[], None).unwrap(),
            flags,
        })
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
