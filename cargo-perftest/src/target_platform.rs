//! What cargo compiles for, as the compiler describes it.

use cargo_platform::{Cfg, Platform};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::Table;

/// A platform that the compiler has code for: its triple, the conditions that hold there, and its standard library.
#[derive(Debug, Clone, Default)]
pub(crate) struct TargetPlatform {
    triple: String,
    conditions: Vec<Cfg>,
    library_directory: Option<PathBuf>,
}

impl TargetPlatform {
    /// Asks the compiler about what cargo builds for in `directory`: the target that is `asked` for, else that of
    /// cargo's variable or nearest configuration, else the machine itself.
    pub(crate) fn of_build(directory: &Path, configs: &[Table], asked: Option<&str>) -> Self {
        let variable = env::var("CARGO_BUILD_TARGET").ok();
        Self::ask(directory, build_target(asked, variable, configs).as_deref())
    }

    /// Asks the compiler of `directory` about this target, or about the machine itself without one. Nothing can be
    /// compiled where the compiler does not answer: no name is that of the platform then, and no condition is set.
    fn ask(directory: &Path, target: Option<&str>) -> Self {
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.current_dir(directory).args(["--print", "host-tuple", "--print", "target-libdir"]);
        rustc.args(["--print", "cfg"]);
        if let Some(target) = target {
            rustc.args(["--target", target]);
        }
        let answer = rustc.output().ok().filter(|answer| answer.status.success());
        let printed = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
        Self::parse(&printed.unwrap_or_default(), target)
    }

    /// Parses what the compiler prints: the triple of the machine, the directory of the standard library, and one
    /// condition a line.
    fn parse(printed: &str, target: Option<&str>) -> Self {
        let mut lines = printed.lines();
        let host = lines.next().unwrap_or_default();
        let library_directory = lines.next().map(PathBuf::from);
        let conditions = lines.filter_map(|line| line.parse().ok()).collect();
        Self { triple: target.map_or(host, name_of).to_owned(), conditions, library_directory }
    }

    /// Returns whether a key of cargo's tables `target.*` is for this platform: its triple, or a condition that holds.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        let platform = key.parse::<Platform>();
        platform.is_ok_and(|platform| platform.matches(&self.triple, &self.conditions))
    }

    /// The name of the platform: `x86_64-unknown-linux-gnu`.
    pub(crate) fn triple(&self) -> &str {
        &self.triple
    }

    /// The directory of the standard library, which a library of the kind `dylib` needs; `None` where the compiler does
    /// not answer.
    pub(crate) fn library_directory(&self) -> Option<&Path> {
        self.library_directory.as_deref()
    }

    /// Returns the variable that adds compiler flags for this platform.
    pub(crate) fn flag_variable(&self) -> String {
        self.variable("RUSTFLAGS")
    }

    /// Returns cargo's variable for a key of `target.*` for this platform.
    pub(crate) fn variable(&self, key: &str) -> String {
        let name = self.triple.to_uppercase().replace(['-', '.'], "_");
        format!("CARGO_TARGET_{name}_{key}")
    }
}

/// Returns the target that cargo builds for, of several the first; `None` for the machine itself. `configs` are cargo's
/// configurations, the nearest first.
fn build_target(
    asked: Option<&str>,
    variable: Option<String>,
    configs: &[Table],
) -> Option<String> {
    let in_configs = || {
        let target = configs.iter().find_map(|config| config.get("build")?.get("target"))?;
        let first = target.as_array().and_then(|targets| targets.first());
        first.unwrap_or(target).as_str().map(str::to_owned)
    };
    let target = asked.map(str::to_owned).or(variable).or_else(in_configs);
    target.filter(|target| target != "host-tuple")
}

/// Returns the name of a target in cargo's configuration: the description of an own one is a file.
fn name_of(target: &str) -> &str {
    match target.strip_suffix(".json") {
        Some(path) => path.rsplit(['/', '\\']).next().unwrap_or(path),
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl TargetPlatform {
        /// A common Linux with an x86 processor.
        pub(crate) fn linux() -> Self {
            let printed = "x86_64-unknown-linux-gnu\n/rust/lib\npanic=\"unwind\"\ntarget_arch=\"x86_64\"\n\
                           target_env=\"gnu\"\ntarget_feature=\"sse2\"\ntarget_os=\"linux\"\nunix\n";
            Self::parse(printed, None)
        }
    }

    #[test]
    fn a_triple_is_compared_whole_and_a_condition_is_evaluated() {
        let linux = TargetPlatform::linux();
        for key in [
            "x86_64-unknown-linux-gnu",
            "cfg(unix)",
            "cfg(all())",
            "cfg(target_os = \"linux\")",
            "cfg(not(windows))",
            "cfg(all(unix, target_env = \"gnu\"))",
            "cfg(any(windows, target_feature = \"sse2\"))",
        ] {
            assert!(linux.has_key(key), "{key}");
        }
        for key in [
            "x86_64-unknown-linux-musl",
            "x86_64-pc-windows-msvc",
            "aarch64-unknown-linux-gnu",
            "cfg(windows)",
            "cfg(any())",
            "cfg(not(unix))",
            "cfg(target_arch = \"wasm32\")",
            "cfg(target_env = \"musl\")",
            "cfg(all(unix, target_os = \"macos\"))",
            "cfg(unix",
        ] {
            assert!(!linux.has_key(key), "{key}");
        }
    }

    #[test]
    fn an_own_target_has_the_name_of_its_file() {
        let platform = TargetPlatform::parse("x86_64-unknown-linux-gnu\n", Some("boards/my.json"));
        assert!(platform.has_key("my") && !platform.has_key("x86_64-unknown-linux-gnu"));
    }

    #[test]
    fn the_target_is_that_of_the_command_else_of_the_variable_else_of_the_nearest_file() {
        let target = |asked, variable: Option<&str>, configs: &[&str]| {
            let configs: Vec<Table> = configs.iter().map(|text| text.parse().unwrap()).collect();
            build_target(asked, variable.map(str::to_owned), &configs).unwrap_or_default()
        };
        let files = ["build.jobs = 1", "build.target = ['near', 'other']", "build.target = 'far'"];
        assert_eq!(target(Some("asked"), Some("variable"), &files), "asked");
        assert_eq!(target(None, Some("variable"), &files), "variable");
        assert_eq!(target(None, None, &files), "near");
        assert_eq!(target(None, None, &files[2..]), "far");
        assert_eq!(target(None, None, &files[..1]), "");
        assert_eq!(target(Some("host-tuple"), None, &files), "");
    }

    #[test]
    fn the_compiler_describes_the_machine_and_other_targets() {
        let here = Path::new(".");
        let this = TargetPlatform::ask(here, None);
        assert!(this.has_key(&format!("cfg(target_os = \"{}\")", env::consts::OS)), "{this:?}");
        let other = TargetPlatform::ask(here, Some("wasm32-unknown-unknown"));
        assert!(other.has_key("wasm32-unknown-unknown"));
        assert!(other.has_key("cfg(target_arch = \"wasm32\")"), "{other:?}");
    }
}
