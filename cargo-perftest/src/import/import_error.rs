//! Why results cannot be imported.

use crate::args::ImportFormat;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use std::fmt;
use std::path::Path;

/// What is wrong with a text, without the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineProblem {
    /// Number of the line, from 1, where it is a line's fault.
    pub(super) line: Option<usize>,
    /// What is wrong, and what to do.
    pub(super) problem: String,
}

impl LineProblem {
    pub(super) fn at(line: usize, problem: impl Into<String>) -> Self {
        Self { line: Some(line), problem: problem.into() }
    }

    pub(super) fn of_file(problem: impl Into<String>) -> Self {
        Self { line: None, problem: problem.into() }
    }
}

/// Why a file cannot be imported. The text names the file, the line and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImportError {
    file: String,
    problem: LineProblem,
    /// The format that it has instead.
    other: Option<ImportFormat>,
}

impl ImportError {
    pub(super) fn of_file(file: &str, problem: String) -> Self {
        Self { file: file.to_owned(), problem: LineProblem::of_file(problem), other: None }
    }

    pub(super) fn of_line(file: &str, problem: LineProblem, other: Option<ImportFormat>) -> Self {
        Self { file: file.to_owned(), problem, other }
    }

    pub(super) fn of_path(path: &Path, problem: LineProblem) -> Self {
        Self { file: path.display().to_string(), problem, other: None }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, problem: LineProblem { line, problem }, other } = self;
        match line {
            Some(line) => write!(f, "{file}:{line}: {problem}")?,
            None => write!(f, "{file}: {problem}")?,
        }
        if let Some(other) = other {
            let name = other.name();
            write!(f, "\nit looks like {name}: cargo perftest import {name} {file}")?;
        }
        write!(f, "\nnothing was imported")
    }
}

/// The value of a text; `what` is the file that it should be, for the error.
pub(super) fn parse_json<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, LineProblem> {
    serde_json::from_str(text).map_err(|error| {
        let whole = error.to_string();
        let problem = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(problem, _)| problem);
        let problem = match error.classify() {
            Category::Eof => format!("the file ends too early ({problem}): make it again"),
            Category::Syntax => format!("this is no JSON ({problem}): give {what}"),
            Category::Data | Category::Io => format!("this is not {what}: {problem}"),
        };
        match error.line() {
            0 => LineProblem::of_file(problem),
            line => LineProblem::at(line, problem),
        }
    })
}
