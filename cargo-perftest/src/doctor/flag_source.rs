//! The places that give compiler flags.

use crate::target_platform::TargetPlatform;
use perftest_core::named;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// What the code generator is asked for: addresses that are multiples of two to this power.
const ARGUMENT: &str = "align-all-functions=";

named! {
    /// Where compiler flags come from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum FlagPlace {
        /// The variable `CARGO_ENCODED_RUSTFLAGS`.
        EncodedVariable = "CARGO_ENCODED_RUSTFLAGS",
        /// The variable `RUSTFLAGS`.
        Variable = "RUSTFLAGS",
        /// `target.*.rustflags` in a configuration of cargo.
        Target = "target.*.rustflags",
        /// `build.rustflags` in a configuration of cargo.
        Build = "build.rustflags",
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
    let variables = flags_of_variables(&variable, platform);
    let configs: Vec<&Table> = [&variables].into_iter().chain(configs).collect();
    let given = |flags: Vec<String>| Some(flags).filter(|flags| !flags.is_empty());
    let encoded = variable("CARGO_ENCODED_RUSTFLAGS").map(|text| split(text, '\u{1f}'));
    let of_build = joined(configs.iter().map(|config| config.get("build")));
    let all = [
        (FlagPlace::EncodedVariable, encoded),
        (FlagPlace::Variable, variable("RUSTFLAGS").map(|text| split(text, ' '))),
        (FlagPlace::Target, given(of_target(&configs, platform))),
        (FlagPlace::Build, given(of_build)),
    ];
    let source = |(place, flags): (_, Option<_>)| Some(FlagSource { place, flags: flags? });
    all.into_iter().filter_map(source).collect()
}

/// The flags of the variables of cargo's keys, in the form of a file: to cargo they are the last of a list.
pub(crate) fn flags_of_variables(
    variable: impl Fn(&str) -> Option<String>,
    platform: &TargetPlatform,
) -> Table {
    let flags = |name: &str| {
        let list: Vec<Value> = words(&variable(name)?).map(Value::String).collect();
        (!list.is_empty()).then(|| table("rustflags", Value::Array(list)))
    };
    let of_build = flags("CARGO_BUILD_RUSTFLAGS").map(|it| ("build".to_owned(), it));
    let of_target = flags(&platform.flag_variable()).map(|it| table(platform.triple(), it));
    of_build.into_iter().chain(of_target.map(|it| ("target".to_owned(), it))).collect()
}

/// A table with one key.
fn table(key: &str, value: Value) -> Value {
    Value::Table(Table::from_iter([(key.to_owned(), value)]))
}

/// Flags for targets of this platform.
fn of_target(configs: &[&Table], platform: &TargetPlatform) -> Vec<String> {
    let keys: BTreeSet<&String> =
        configs.iter().filter_map(|config| targets(config)).flat_map(Table::keys).collect();
    let is_meant = |key: &&String| platform.has_key(key);
    let of_key = |key: &String| joined(configs.iter().map(|config| targets(config)?.get(key)));
    keys.into_iter().filter(is_meant).flat_map(of_key).collect()
}

/// The tables `target.*` of a configuration.
fn targets(config: &Table) -> Option<&Table> {
    config.get("target")?.as_table()
}

/// The flags of a table in all configurations, the nearest first. Cargo takes the nearest text or joins the lists, the
/// nearest last: files have one or the other, and flags of variables follow both.
fn joined<'a>(tables: impl DoubleEndedIterator<Item = Option<&'a Value>>) -> Vec<String> {
    let (mut of_text, mut of_lists) = (Vec::new(), Vec::new());
    for given in tables.rev().flatten().filter_map(|table| table.get("rustflags")) {
        match given {
            Value::String(text) => of_text = words(text).collect(),
            Value::Array(list) => {
                of_lists.extend(list.iter().filter_map(Value::as_str).map(str::to_owned))
            }
            _ => {}
        }
    }
    of_text.extend(of_lists);
    of_text
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_owned)
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

    /// The flags of each place, in cargo's order.
    fn flags(variables: &[(&str, &str)], configs: &[&str]) -> Vec<(FlagPlace, String)> {
        let configs: Vec<Table> = configs.iter().map(|text| text.parse().unwrap()).collect();
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let sources = flag_sources(variable, &configs, &TargetPlatform::linux());
        sources.into_iter().map(|source| (source.place, source.flags.join(" "))).collect()
    }

    #[test]
    fn the_variables_of_the_keys_add_to_the_lists_of_the_files() {
        let config = "build.rustflags = ['-Ca']\ntarget.x86_64-unknown-linux-gnu.rustflags = '-Cb'";
        let variables = [
            ("CARGO_BUILD_RUSTFLAGS", "-Cc  -Cd"),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-Ce"),
        ];
        let (target, build) = (FlagPlace::Target, FlagPlace::Build);
        let both = [(target, "-Cb -Ce".into()), (build, "-Ca -Cc -Cd".into())];
        assert_eq!(flags(&variables, &[config]), both);
        assert_eq!(flags(&variables, &[]), [(target, "-Ce".into()), (build, "-Cc -Cd".into())]);
        let empty = [("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "")];
        assert_eq!(flags(&empty, &["build.rustflags = '-Ca'"]), [(build, "-Ca".into())]);
    }

    #[test]
    fn lists_of_several_files_are_joined_and_the_nearest_text_replaces_others() {
        let build = |flags: &str| vec![(FlagPlace::Build, flags.to_owned())];
        let lists = ["build.rustflags = ['-Cnear']", "build.rustflags = ['-Cfar']"];
        assert_eq!(flags(&[], &lists), build("-Cfar -Cnear"));
        let texts = ["build.rustflags = '-Cnear'", "build.rustflags = '-Cfar'"];
        assert_eq!(flags(&[], &texts), build("-Cnear"));
    }
}
