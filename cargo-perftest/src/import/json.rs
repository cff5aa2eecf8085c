//! JSON of a known shape, with the line where it is another one.

use super::import_error::LineProblem;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

/// The value of a text; `what` is the file that it should be, for the error.
pub(super) fn parse<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, LineProblem> {
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
