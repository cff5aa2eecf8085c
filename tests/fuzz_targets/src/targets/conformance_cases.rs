//! Cases of reference vectors: any numbers for the estimators and detectors.

use perftest_conformance::batch::answer_cases;
use std::path::Path;

/// Each line has one answer, which is no fault of ours.
pub(super) fn run(data: &[u8]) {
    let mut answers = Vec::new();
    answer_cases(data, Path::new("none"), &mut answers).unwrap();
    let answers = String::from_utf8(answers).unwrap();
    assert!(!answers.contains("a fault of the tool"), "{answers}");
    let lines = data.split_inclusive(|byte| *byte == b'\n').count();
    assert_eq!(answers.lines().count(), lines, "{answers}");
}
