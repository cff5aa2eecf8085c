//! The places that give compiler flags.

use crate::target_platform::TargetPlatform;
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
/// configurations, the nearest first; `platform` is what is compiled for.
pub(crate) fn flag_sources(
    variable: impl Fn(&str) -> Option<String>,
    configs: &[Table],
    platform: &TargetPlatform,
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

/// Flags for targets of this platform.
fn of_target(config: &Table, platform: &TargetPlatform) -> Vec<String> {
    let Some(Value::Table(targets)) = config.get("target") else {
        return Vec::new();
    };
    let is_meant = |key: &&String| platform.has_key(key);
    targets.keys().filter(is_meant).flat_map(|key| of_table(targets.get(key))).collect()
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
    fn flags_for_another_target_do_not_hide_those_of_every_build() {
        for other in [
            "x86_64-pc-windows-msvc",
            "x86_64-unknown-linux-musl",
            "'cfg(target_arch = \"wasm32\")'",
        ] {
            let config = format!(
                "build.rustflags = ['--cfg', 'tokio_unstable']\n[target.{other}]\nrustflags = ['-g']"
            );
            let config = config.parse().unwrap();
            let sources = flag_sources(|_| None, &[config], &TargetPlatform::linux());
            assert_eq!(sources[0].place(), FlagPlace::Build, "{other}");
        }
    }
}
