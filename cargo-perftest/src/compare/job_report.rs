//! What a job of GitHub Actions gets of a comparison without asking: each slower test as an annotation at its
//! line, and the table in the summary of the step.

use super::TestComparison;
use crate::export::LARGEST_SUMMARY;
use crate::report::whole_lines;
use perftest_core::model::{BenchmarkId, SourcePlace};
use perftest_core::words::{AnnotationKind, annotation};
use perftest_store::open_regular;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// GitHub shows so many annotations of a kind in a step.
const MOST_ANNOTATIONS: usize = 10;

/// A line for each test that became slower, worst first as the answers are. Tests that only report have none.
pub(crate) fn annotations(
    answers: &[TestComparison],
    base: &str,
    place_of: impl Fn(&BenchmarkId) -> Option<SourcePlace>,
) -> String {
    let slower = answers.iter().filter(|answer| !answer.is_report_only);
    let slower = slower.filter(|answer| answer.slowdown().is_some());
    let line = |answer: &TestComparison| {
        let (name, place) = (&answer.benchmark, place_of(&answer.benchmark));
        let message = format!("{name} {}", answer.sentence(base));
        annotation(AnnotationKind::Error, place.as_ref(), "", &message) + "\n"
    };
    slower.take(MOST_ANNOTATIONS).map(line).collect()
}

/// Adds Markdown to the summary of the step, as far as there is room.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn add_to_summary(markdown: &str, file: &Path) -> io::Result<()> {
    let mut file = open_regular(file, File::options().append(true).create(true))?;
    let present = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let gap = if present == 0 { "" } else { "\n" };
    match whole_lines(markdown, LARGEST_SUMMARY.saturating_sub(present)) {
        "" => Ok(()),
        text => file.write_all(format!("{gap}{text}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::CompareStatus;
    use perftest_core::model::Reason;
    use std::fs;

    #[test]
    fn slower_tests_are_annotated_at_their_lines_and_others_are_not() {
        let reported = TestComparison {
            is_report_only: true,
            ..TestComparison::of_measured("reported", Reason::Red, 1.9)
        };
        let answers = [
            TestComparison::of_measured("a::slow", Reason::Red, 1.9),
            TestComparison::of_measured("b\n::error::forged", Reason::Red, 1.5),
            reported,
            TestComparison::of_measured("fine", Reason::Green, 0.9),
            TestComparison::found("gone", CompareStatus::OnlyInBase),
        ];
        let place = |name: &BenchmarkId| {
            (name.as_str() == "a::slow").then(|| SourcePlace { file: "tests/p.rs".into(), line: 7 })
        };
        let text = annotations(&answers, "main (a1b2c3d)", place);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("::error file=tests/p.rs,line=7::a::slow "), "{text}");
        assert!(lines[0].contains("x slower, at least 1.90x beside main (a1b2c3d)"), "{text}");
        assert!(lines[1].starts_with("::error::b"), "{text}");
        let many = vec![TestComparison::of_measured("slow", Reason::Red, 1.9); 30];
        assert_eq!(annotations(&many, "main", place).lines().count(), MOST_ANNOTATIONS);
    }

    #[test]
    fn a_summary_grows_until_it_is_full() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("summary.md");
        let text = "| a |\n".repeat(LARGEST_SUMMARY / 12);
        for _ in 0..4 {
            add_to_summary(&text, &file).unwrap();
        }
        let written = fs::read_to_string(&file).unwrap();
        assert_eq!(written.len(), 2 * text.len() + 1);
        assert!(written.ends_with("| a |\n"));
        assert!(add_to_summary(&text, directory.path()).is_err());
    }
}
