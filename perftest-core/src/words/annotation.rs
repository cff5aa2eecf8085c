//! Annotations of GitHub Actions: lines of a job's log that mark a line of a file.

use super::one_line;
use crate::list::IntoList;
use crate::model::SourcePlace;
use crate::named;
use crate::text::Text;

named! {
    /// How an annotation is shown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AnnotationKind {
        /// As an error.
        Error = "error",
        /// As a warning.
        Warning = "warning",
        /// As a notice.
        Notice = "notice",
    }
}

/// Returns an annotation as a line of the log, without its end. `title` may be empty.
///
/// Source of the escapes: `toolkit/packages/core/src/command.ts` of GitHub Actions.
///
/// ```
/// use perftest_core::model::SourcePlace;
/// use perftest_core::words::{AnnotationKind, annotation};
/// let place = SourcePlace { file: "tests/perf.rs".into(), line: 37 };
/// assert_eq!(
///     annotation(AnnotationKind::Error, Some(&place), "", "sort 1.35x slower, at least 1.28x"),
///     "::error file=tests/perf.rs,line=37::sort 1.35x slower, at least 1.28x"
/// );
/// assert_eq!(
///     annotation(AnnotationKind::Notice, None, "a,b:c", "100%\n::error::no"),
///     "::notice title=a%2Cb%3Ac::100%25%0A: :error::no"
/// );
/// ```
pub fn annotation(
    kind: AnnotationKind,
    place: Option<&SourcePlace>,
    title: &str,
    message: &str,
) -> String {
    let mut properties = Vec::new();
    if let Some(SourcePlace { file, line }) = place {
        properties.push(format!("file={},line={line}", property(file)));
    }
    if !title.is_empty() {
        properties.push(format!("title={}", property(title)));
    }
    let blank = if properties.is_empty() { "" } else { " " };
    let lines: Vec<String> = message.each_line().map(|line| data(&one_line(line))).into_list();
    let (properties, text) = (properties.iter().joined(","), lines.iter().joined("%0A"));
    format!("::{}{blank}{properties}::{text}", kind.name())
}

fn data(text: &str) -> String {
    text.replaced("%", "%25").replaced("\r", "%0D").replaced("\n", "%0A")
}

fn property(text: &str) -> String {
    data(&one_line(text)).replaced(":", "%3A").replaced(",", "%2C")
}
