//! `cargo perftest init`: prepares a package for performance tests.

use crate::args::InitArgs as Args;
use crate::cargo_files::config_tables;
use crate::doctor::{CACHE_LINE, FlagPlace, flag_sources};
use crate::exit::{Result, refuse};
use crate::history_directory::here;
use crate::init::{InitProject, InitRequest, Plan, write};
use crate::target_platform::TargetPlatform;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};

const NO_ANSWER: &str = "nothing was changed: standard input has no answer; add --yes to change the files, or \
                         --dry-run to only look";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let here = here()?;
    let project = InitProject::read(&here, args.package.as_deref(), &args.test)?;
    let path = args.path.as_deref().map(|path| dependency_path(path, &here, &project));
    let request = InitRequest {
        target: args.test.clone(),
        path: path.transpose()?,
        nextest: args.nextest,
        variable: hiding_variable(&here, &project.platform),
    };
    let plan = Plan::of(&project, &request)?;
    write!(out, "{plan}")?;
    if plan.changes.is_empty() {
        let what = if plan.has_notes() { "nothing else" } else { "nothing" };
        writeln!(out, "{what} is left to do for `{}`", project.package.name)?;
        return Ok(());
    }
    if args.dry_run {
        return Ok(());
    }
    if !args.yes && !agrees(out)? {
        writeln!(out, "nothing was changed")?;
        return Ok(());
    }
    write(&plan)?;
    let package = args.package.as_ref().map_or_else(String::new, |name| format!(" -p {name}"));
    writeln!(out, "done; run it: cargo test --release{package} --test {}", args.test)?;
    Ok(())
}

/// Asks whether to make the changes. A pipe may answer, too.
fn agrees(out: &mut dyn Write) -> Result<bool> {
    let is_terminal = io::stdin().is_terminal();
    write!(out, "Make these changes? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer)?;
    if !is_terminal {
        writeln!(out)?;
    }
    if read == 0 && !is_terminal {
        return refuse(NO_ANSWER);
    }
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Returns the variable whose flags replace those in files, unless they align functions.
fn hiding_variable(here: &Path, platform: &TargetPlatform) -> Option<FlagPlace> {
    let variable = |name: &str| env::var(name).ok();
    let used = flag_sources(variable, &config_tables(here), platform).into_iter().next()?;
    let is_variable = matches!(used.place(), FlagPlace::Variable | FlagPlace::EncodedVariable);
    (is_variable && used.alignment() < Some(CACHE_LINE)).then(|| used.place())
}

/// Returns the directory of the crate in a checkout, in the form for the manifest: absolute or
/// relative, as the user gave it.
fn dependency_path(given: &Path, here: &Path, project: &InitProject) -> Result<String> {
    let inside = here.join(given).join("perftest");
    let directory = if is_perftest(&inside) { inside } else { here.join(given) };
    if !is_perftest(&directory) {
        return refuse(format!(
            "{} is no checkout of perftest: name the directory that has perftest/Cargo.toml in it",
            given.display()
        ));
    }
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let directory = canonical(&directory);
    let manifest = project.package.manifest_path.parent().unwrap_or(here);
    let named =
        if given.is_absolute() { directory } else { relative(&directory, &canonical(manifest)) };
    Ok(named.to_string_lossy().replace('\\', "/"))
}

fn is_perftest(directory: &Path) -> bool {
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    let name = manifest.get("package").and_then(|package| package.get("name"));
    name.and_then(toml::Value::as_str) == Some("perftest")
}

/// Returns the relative path from the directory `from` to `path`, both absolute.
fn relative(path: &Path, from: &Path) -> PathBuf {
    let same = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(path.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_way_goes_up_as_far_as_it_has_to() {
        let way = |path: &str, from: &str| relative(Path::new(path), Path::new(from));
        assert_eq!(way("/a/perftest", "/a/my/crate"), Path::new("../../perftest"));
        assert_eq!(way("/a/my/crate/perftest", "/a/my/crate"), Path::new("perftest"));
    }
}
