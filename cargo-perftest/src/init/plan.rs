//! The changes that prepare a package for performance tests.

use super::addition::Addition;
use super::cargo_config::align;
use super::first_test::{first_test, is_perf_test};
use super::manifest::{
    Dependency, add_dependency, add_target, find_tests, has_target, workspace_has_perftest,
};
use super::nextest::with_group;
use super::project::{InitProject, ProjectFile};
use crate::doctor::{FlagPlace, how_to_align};
use crate::exit::{CommandError, Result};
use perftest_store::change_file;
use std::path::{Path, PathBuf};
use std::{fmt, io};
use toml_edit::{DocumentMut, TomlError};

/// The published version.
const VERSION: &str = "0.1";

/// The user's options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InitRequest {
    /// The name of the test target.
    pub(crate) target: String,
    /// The directory of perftest in the form for the manifest.
    pub(crate) path: Option<String>,
    /// Configure nextest although the project does not use it yet.
    pub(crate) nextest: bool,
    /// A variable with compiler flags that do not align functions: it overrides the files.
    pub(crate) variable: Option<FlagPlace>,
}

/// A file with a new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileChange {
    pub(crate) path: PathBuf,
    /// `None` for a new file.
    pub(super) before: Option<String>,
    pub(crate) after: String,
}

/// The changes, and the steps for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    root: PathBuf,
    pub(crate) changes: Vec<FileChange>,
    notes: Vec<String>,
}

impl Plan {
    /// Plans what is missing in this project.
    ///
    /// # Errors
    /// If the target's name is taken, or a file is not valid TOML.
    pub(crate) fn of(project: &InitProject, request: &InitRequest) -> Result<Self> {
        let mut plan = Self { root: project.root.clone(), changes: Vec::new(), notes: Vec::new() };
        plan.align(project, request)?;
        let manifest = manifest(project, request)?;
        // This comes first: cargo refuses a manifest with a target that has no file.
        if project.test.text.is_none() {
            plan.change(&project.test, first_test(&project.package, &request.target));
        }
        plan.change(&project.manifest, manifest);
        if request.nextest || project.nextest.text.is_some() {
            let addition = with_group(project.nextest.text(), &request.target);
            let addition = addition.map_err(|error| no_toml(&project.nextest, &error))?;
            plan.add(&project.nextest, addition);
        }
        Ok(plan)
    }

    /// Returns whether steps are left to a person.
    pub(crate) fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    fn align(&mut self, project: &InitProject, request: &InitRequest) -> Result<()> {
        let config = &project.cargo_config;
        let aligned = align(config.text(), &project.other_configs, &project.platform);
        self.add(config, aligned.map_err(|error| no_toml(config, &error))?);
        if let Some(variable) = request.variable {
            let (advice, lines) = how_to_align(Some(variable));
            let name = variable.name();
            self.notes.push(format!(
                "the variable {name} is set, so cargo ignores the flags in files; {advice} {}",
                lines.join(" ")
            ));
        }
        Ok(())
    }

    fn add(&mut self, file: &ProjectFile, addition: Addition) {
        match addition {
            Addition::There => {}
            Addition::Added(text) => self.change(file, text),
            Addition::ByHand(why) => self.notes.push(why),
        }
    }

    fn change(&mut self, file: &ProjectFile, after: String) {
        // `toml_edit` writes LF.
        let after = with_line_ends_of(file.text(), after);
        if file.text.as_ref() != Some(&after) {
            let (path, before) = (file.path.clone(), file.text.clone());
            self.changes.push(FileChange { path, before, after });
        }
    }

    fn name<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

/// Returns `after` with CR LF if `before` has it.
fn with_line_ends_of(before: &str, after: String) -> String {
    if before == after || !before.contains("\r\n") {
        return after;
    }
    after.replace("\r\n", "\n").replace('\n', "\r\n")
}

fn manifest(project: &InitProject, request: &InitRequest) -> Result<String> {
    let InitProject { manifest: file, package, test, .. } = project;
    let perftest = package.perftest.as_deref().unwrap_or("perftest");
    if test.text.as_ref().is_some_and(|text| !is_perf_test(text, perftest)) {
        return Err(CommandError::Usage(format!(
            "{} is there already and has no performance tests; choose another name for theirs: \
             cargo perftest init --test perf_tests",
            test.path.display()
        )));
    }
    let has_target = has_target(&file.text().parse().unwrap_or_default(), &request.target);
    if has_target && package.perftest.is_some() {
        return Ok(file.text().to_owned());
    }
    let mut manifest: DocumentMut = file.text().parse().map_err(|error| no_toml(file, &error))?;
    if package.perftest.is_none() {
        add_dependency(&mut manifest, &dependency(project, request));
    }
    if !has_target {
        if package.would_lose_tests_beside(&request.target) {
            find_tests(&mut manifest);
        }
        add_target(&mut manifest, &request.target);
    }
    Ok(manifest.to_string())
}

fn dependency(project: &InitProject, request: &InitRequest) -> Dependency {
    match &request.path {
        Some(path) => Dependency::Path(path.clone()),
        None if workspace_has_perftest(&project.workspace_manifest) => Dependency::Workspace,
        None => Dependency::Version(VERSION),
    }
}

fn no_toml(file: &ProjectFile, error: &TomlError) -> CommandError {
    let path = file.path.display();
    CommandError::Usage(format!("{path} cannot be changed, correct it first: {error}"))
}

/// Prints the added and removed lines of each file, and then the notes.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            let new = if change.before.is_none() { " (new)" } else { "" };
            writeln!(f, "{}{new}", self.name(&change.path))?;
            let before = change.before.as_deref().unwrap_or_default();
            for (sign, line) in changed_lines(before, &change.after) {
                writeln!(f, "{}", format!("  {sign} {line}").trim_end())?;
            }
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))
    }
}

/// Returns the lines that only one of two texts has, in order, by their longest common subsequence.
fn changed_lines<'a>(before: &'a str, after: &'a str) -> Vec<(char, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    // `common[i][j]`: largest number of common lines of the ends from `i` and from `j` on.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut changed) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            changed.push(('-', old[i]));
            i += 1;
        } else {
            changed.push(('+', new[j]));
            j += 1;
        }
    }
    changed
}

/// Writes every file of the plan, each as a whole.
///
/// # Errors
/// When a file cannot be written, or has changed since the plan was made; the files before it are
/// written.
pub(crate) fn write(plan: &Plan) -> Result<()> {
    for FileChange { path, before, after } in &plan.changes {
        let change = |now: &str| match now == before.as_deref().unwrap_or_default() {
            true => Ok(Some(after.clone())),
            false => Err(io::Error::other("it has changed meanwhile; run the command again")),
        };
        change_file(path, change).map_err(|error| {
            CommandError::Usage(format!("{} cannot be written: {error}", path.display()))
        })?;
    }
    Ok(())
}
