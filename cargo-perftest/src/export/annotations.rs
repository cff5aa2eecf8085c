//! Annotations of GitHub Actions.

use super::report_text::{counts, what};
use crate::reading::{SessionRun, SessionView, Standing};
use crate::series::in_words;
use perftest_core::words::{AnnotationKind, annotation};

/// GitHub shows so many annotations of a kind in a step.
const MOST_OF_A_KIND: usize = 10;
/// GitHub cuts a longer title.
const LONGEST_TITLE: usize = 255;

/// The findings of a session, worst first, and a last line that sums up.
pub(crate) fn annotations(session: &SessionView) -> String {
    let errors = session.runs.iter().filter(|it| it.standing() == Standing::Failed);
    let warnings = session
        .runs
        .iter()
        .filter(|it| matches!(it.standing(), Standing::Reported | Standing::Undecided));
    let errors = errors.take(MOST_OF_A_KIND).map(|it| line(AnnotationKind::Error, it));
    let warnings = warnings.take(MOST_OF_A_KIND).map(|it| line(AnnotationKind::Warning, it));
    let sum = counts(|standing| session.count(standing));
    let last = annotation(AnnotationKind::Notice, None, "performance tests", &sum);
    errors.chain(warnings).chain([last]).map(|line| line + "\n").collect()
}

fn line(kind: AnnotationKind, it: &SessionRun) -> String {
    let name = in_words(&it.run.benchmark, &it.run.metric);
    let title: String = name.chars().take(LONGEST_TITLE).collect();
    annotation(kind, it.run.source.as_ref(), &title, &format!("{name} {}", what(it)))
}
