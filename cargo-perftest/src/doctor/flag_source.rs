//! The places that give compiler flags.

use std::env;
use toml::{Table, Value};

/// What the code generator is asked for: addresses that are multiples of two to this power.
const ARGUMENT: &str = "align-all-functions=";

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
/// configurations, the nearest first; `platform` is what is compiled for: a triple, or its architecture and system, such
/// as those of the [host].
pub(crate) fn flag_sources(
    variable: impl Fn(&str) -> Option<String>,
    configs: &[Table],
    platform: &str,
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
        (FlagPlace::Target, joined(&|config| of_target(config, platform))),
        (FlagPlace::Build, joined(&|config| of_table(config.get("build")))),
    ];
    let given = |(place, flags): (_, Option<_>)| Some(FlagSource { place, flags: flags? });
    all.into_iter().filter_map(given).collect()
}

/// The architecture and the system of this tool, as in a triple.
pub(crate) fn host() -> String {
    format!("{}-{}", env::consts::ARCH, env::consts::OS)
}

/// Flags for targets of this platform.
fn of_target(config: &Table, platform: &str) -> Vec<String> {
    let Some(Value::Table(targets)) = config.get("target") else {
        return Vec::new();
    };
    let fits = |target: &&String| fits(target, platform);
    targets.keys().filter(fits).flat_map(|target| of_table(targets.get(target))).collect()
}

/// Whether the entry of a target is for this platform. Of conditions, those on the system alone are known; of any other
/// only the compiler knows whether it holds, and it is taken for one that does.
fn fits(target: &str, platform: &str) -> bool {
    let system = system_in(platform);
    let Some(condition) = target.strip_prefix("cfg(").and_then(|it| it.strip_suffix(')')) else {
        let architecture = platform.split('-').next().unwrap_or(platform);
        let is_of_system = system.is_none() || system_in(target) == system;
        return target.starts_with(architecture) && is_of_system;
    };
    let named = condition.trim().strip_prefix("target_os").and_then(|it| {
        let quoted = it.trim_start().strip_prefix('=')?.trim();
        quoted.strip_prefix('"')?.strip_suffix('"')
    });
    match (condition.trim(), named, system) {
        ("windows", _, Some(system)) => system == "windows",
        ("unix", _, Some(system)) => system != "windows",
        (_, Some(name), Some(system)) => system_in(name).is_none_or(|named| named == system),
        _ => true,
    }
}

/// The system in a triple, or in its own name.
fn system_in(text: &str) -> Option<&'static str> {
    let names =
        [("windows", "windows"), ("darwin", "macos"), ("macos", "macos"), ("linux", "linux")];
    names.into_iter().find_map(|(part, system)| text.contains(part).then_some(system))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_for_another_system_are_not_for_this_one() {
        let here = "x86_64-linux";
        for target in
            ["x86_64-unknown-linux-gnu", "cfg(unix)", "cfg(all())", "cfg(target_os = \"linux\")"]
        {
            assert!(fits(target, here), "{target}");
        }
        for target in [
            "x86_64-pc-windows-msvc",
            "aarch64-unknown-linux-gnu",
            "cfg(windows)",
            "cfg(target_os = \"macos\")",
        ] {
            assert!(!fits(target, here), "{target}");
        }
        assert!(fits("aarch64-apple-darwin", "aarch64-macos"));
    }

    #[test]
    fn flags_for_another_system_do_not_hide_those_of_every_build() {
        let config = "build.rustflags = ['--cfg', 'tokio_unstable']\n[target.x86_64-pc-windows-msvc]\n\
                      rustflags = ['-C', 'target-feature=+crt-static']";
        let sources = flag_sources(|_| None, &[config.parse().unwrap()], "x86_64-linux");
        assert_eq!(sources[0].place(), FlagPlace::Build);
    }
}
