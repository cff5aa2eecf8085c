//! Reports of evidence, as the harness prints them.

use perftest_core::model::{Environment, Evidence, Metric, Revision};
use perftest_core::words::{Report, ReportSubject, report};

/// The report on the wall time of `test`, with its command to run it again.
pub(crate) fn report_on(evidence: &Evidence, test: &str, again: Option<&str>) -> Report {
    let subject = ReportSubject {
        test,
        again,
        metric: &Metric::wall(),
        environment: &Environment::default(),
        testbed: "local/1",
        revision: &Revision::default(),
        accepted_for: None,
    };
    report(evidence, &subject)
}
