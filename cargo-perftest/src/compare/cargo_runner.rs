//! The program under which cargo runs tests, by `target.*.runner` of its configurations. Comparisons do not use it.

use crate::cargo_files::config_tables;
use crate::report::print_progress;
use crate::target_platform::TargetPlatform;
use std::env;
use std::path::Path;
use toml::{Table, Value};

/// Notes that tests which cargo would run under a program in `directory` are measured without it.
pub(super) fn note_cargo_runner(directory: &Path, target: Option<&str>) {
    let configs = config_tables(directory);
    let platform = TargetPlatform::of_build(directory, &configs, target);
    let variable = env::var(platform.variable("RUNNER")).ok();
    if let Some(runner) = variable.or_else(|| configured(&configs, &platform)) {
        print_progress(&format_args!(
            "note: cargo runs tests under `{runner}`, and here they are measured without it"
        ));
    }
}

/// Returns the runner that these configurations have for a platform, the nearest first.
fn configured(configs: &[Table], platform: &TargetPlatform) -> Option<String> {
    let targets = configs.iter().filter_map(|config| config.get("target")?.as_table());
    let mut keys = targets.flatten().filter(|(key, _)| platform.has_key(key));
    keys.find_map(|(_, target)| match target.get("runner")? {
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
        }
        text => text.as_str().map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_runner_for_the_platform_is_named() {
        let runner = |configs: &[&str]| {
            let configs: Vec<Table> = configs.iter().map(|it| it.parse().unwrap()).collect();
            configured(&configs, &TargetPlatform::linux())
        };
        let (near, far) = (
            "target.'cfg(unix)'.runner = ['taskset', '-c', '3']",
            "target.x86_64-unknown-linux-gnu.runner = 'nice'",
        );
        assert_eq!(runner(&[near, far]).as_deref(), Some("taskset -c 3"));
        assert_eq!(runner(&[far]).as_deref(), Some("nice"));
        assert_eq!(runner(&["target.'cfg(windows)'.runner = 'wine'", "build.jobs = 1"]), None);
    }
}
