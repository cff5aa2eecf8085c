//! Targets that a build leaves out because they require features that are off.

use super::build::{Executable, selector_of};
use crate::args::BuildOptions;
use serde_json::Value;
use std::path::Path;

/// Selects executables of a build by `--tests`, as a build without names does, where cargo would refuse the name of their
/// target: another package of the build has a target of this name that is left out. `metadata` is the output of
/// `cargo metadata`.
pub(crate) fn select_beside_left_out(
    executables: &mut [Executable],
    metadata: &Value,
    options: &BuildOptions,
) {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    // Those that a build without `--package` selects in the directory of the call.
    let defaults = metadata["workspace_default_members"].as_array().map_or(&[][..], Vec::as_slice);
    let left_out: Vec<Vec<String>> =
        packages.flat_map(|package| left_out_of(package, defaults, executables, options)).collect();
    for executable in executables.iter_mut().filter(|it| left_out.contains(&it.selector)) {
        executable.selector = vec!["--tests".to_owned()];
    }
}

/// Returns the options that would select the targets of a package that its build left out.
fn left_out_of(
    package: &Value,
    defaults: &[Value],
    executables: &[Executable],
    options: &BuildOptions,
) -> Vec<Vec<String>> {
    let directory = package["manifest_path"].as_str().and_then(|it| Path::new(it).parent());
    let built: Vec<&Executable> =
        executables.iter().filter(|it| Some(it.directory.as_path()) == directory).collect();
    // A pattern or an id may be that of any package.
    let may_name = |name: &String| package["name"] == **name || !is_plain(name);
    let is_selected = options.workspace
        || options.packages.iter().any(may_name)
        || options.packages.is_empty() && defaults.contains(&package["id"])
        || !built.is_empty();
    if !is_selected {
        return Vec::new();
    }
    let targets = package["targets"].as_array().into_iter().flatten();
    let selectors = targets
        .filter(|target| target["required-features"].as_array().is_some_and(|it| !it.is_empty()))
        .filter_map(selector_of);
    selectors.filter(|selector| built.iter().all(|it| it.selector != *selector)).collect()
}

/// Whether this is the name of a package and no pattern or id.
fn is_plain(package: &str) -> bool {
    package.chars().all(|it| it.is_alphanumeric() || it == '-' || it == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, CliCommand};
    use clap::Parser;
    use serde_json::json;

    /// The selectors of `a`'s perf tests and unit tests beside `b`, whose perf tests require a feature. Of `b` these
    /// targets were built. `defaults` are the packages of a build without `--package`.
    fn selectors(options: &str, defaults: &[&str], built_of_b: &[&[&str]]) -> Vec<String> {
        let package = |name: &str, features: &[&str]| {
            json!({ "name": name, "id": name, "manifest_path": format!("/w/{name}/Cargo.toml"), "targets": [
                { "kind": ["lib"], "name": name },
                { "kind": ["test"], "name": "perf", "required-features": features },
            ]})
        };
        let packages = [package("a", &[]), package("b", &["heavy"])];
        let metadata = json!({ "packages": packages, "workspace_default_members": defaults });
        let executable = |directory: &str, selector: &[&str]| Executable {
            directory: directory.into(),
            selector: selector.iter().map(ToString::to_string).collect(),
            ..Executable::default()
        };
        let mut executables =
            vec![executable("/w/a", &["--lib"]), executable("/w/a", &["--test", "perf"])];
        executables.extend(built_of_b.iter().map(|selector| executable("/w/b", selector)));
        let line = format!("cargo-perftest run {options}");
        let parsed = Args::parse_from(line.split_whitespace());
        let CliCommand::Run(args) = parsed.command else { panic!("another command") };
        select_beside_left_out(&mut executables, &metadata, &args.build);
        executables.iter().take(2).map(|it| it.selector.join(" ")).collect()
    }

    #[test]
    fn a_target_is_not_named_where_another_package_has_one_of_its_name_that_is_left_out() {
        let (lib, perf): (&[&str], &[&str]) = (&["--lib"], &["--test", "perf"]);
        let by_name = ["--lib", "--test perf"];
        let without_name = ["--lib", "--tests"];
        let (all, one) = (["a", "b"], ["a"]);
        assert_eq!(selectors("--workspace", &all, &[lib]), without_name);
        assert_eq!(selectors("--workspace", &all, &[]), without_name);
        for b in ["b", "b*", "b@1.0.0", "path+file:///w/b#b"] {
            assert_eq!(selectors(&format!("-p a -p {b}"), &all, &[]), without_name, "{b}");
        }
        assert_eq!(selectors("", &all, &[lib]), without_name);
        assert_eq!(selectors("", &all, &[]), without_name);
        assert_eq!(selectors("--workspace -F b/heavy", &all, &[lib, perf]), by_name);
        assert_eq!(selectors("-p a", &all, &[]), by_name);
        assert_eq!(selectors("", &one, &[]), by_name);
    }
}
