//! JUnit XML.

use super::report_text::{report_text, what};
use crate::reading::{SessionRun, SessionView, Standing};
use crate::report::object_of;
use crate::series::in_words;
use perftest_core::fields::fields_of_evidence;
use perftest_core::model::Metric;
use perftest_core::words::one_line;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use std::{io, ptr};

/// XML cannot have them, and names may.
///
/// Source: "Extensible Markup Language (XML) 1.0", production 2. The writer leaves out the control characters.
const NO_CHARACTERS: [char; 2] = ['\u{fffe}', '\u{ffff}'];

/// The session as one suite a testbed. What failed is a failure, what was not decided is skipped.
///
/// # Errors
/// When the XML cannot be made.
pub(crate) fn junit(session: &SessionView) -> io::Result<String> {
    let testbeds: BTreeSet<&str> = session.runs.iter().map(|it| it.run.testbed.as_str()).collect();
    let mut report = Report::new("perftest");
    for testbed in testbeds {
        let mut suite = TestSuite::new(testbed);
        let of_testbed = session.runs.iter().filter(|it| it.run.testbed == testbed);
        let timed = timed(of_testbed.clone());
        suite.add_test_cases(of_testbed.map(|it| {
            let mut case = test_case(it);
            let is_timed = ptr::eq(timed[it.run.benchmark.whole()], it);
            case.set_time(Duration::from_nanos(if is_timed { it.run.spent_ns } else { 0 }));
            case
        }));
        report.add_test_suite(suite);
    }
    let text = report.to_string().map_err(io::Error::other)?;
    Ok(text.replace(NO_CHARACTERS, "\u{fffd}"))
}

/// The series of each test that has its time, best its wall time: each series is recorded with that of the whole test,
/// and readers of the file add up the times of the cases.
fn timed<'a>(
    of_testbed: impl Iterator<Item = &'a SessionRun>,
) -> BTreeMap<&'a str, &'a SessionRun> {
    let mut timed = BTreeMap::new();
    for it in of_testbed {
        let run = &it.run;
        let chosen = timed.entry(run.benchmark.whole()).or_insert(it);
        if run.benchmark.stage_name().is_none() && run.metric == Metric::wall() {
            *chosen = it;
        }
    }
    timed
}

fn test_case(it: &SessionRun) -> TestCase {
    let run = &it.run;
    let whole = in_words(&run.benchmark, &run.metric);
    let (class, name) = whole.rsplit_once("::").unwrap_or(("", &whole));
    let mut case = TestCase::new(name, status(it));
    case.set_classname(class);
    case.set_system_out(report_text(it));
    if let Some(source) = &run.source {
        case.extra.insert("file".into(), source.file.as_str().into());
        case.extra.insert("line".into(), source.line.to_string().into());
    }
    for (name, value) in properties(it) {
        case.add_property(Property::new(name, value));
    }
    case
}

fn status(it: &SessionRun) -> TestCaseStatus {
    let mut status = match it.standing() {
        Standing::Passed | Standing::Accepted | Standing::Reported => {
            return TestCaseStatus::success();
        }
        Standing::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Standing::Undecided | Standing::NoBaseline => TestCaseStatus::skipped(),
    };
    status.set_type(it.evidence.reason.name()).set_message(what(it));
    if it.standing() == Standing::Failed {
        status.set_description(report_text(it));
    }
    status
}

/// The numbers and names of the verdict, under the keys of records.
fn properties(it: &SessionRun) -> Vec<(String, String)> {
    let run = &it.run;
    let of_run = [
        ("benchmark", run.benchmark.as_str()),
        ("metric", run.metric.name.as_str()),
        ("unit", run.metric.unit.as_str()),
        ("testbed", run.testbed.as_str()),
        ("commit", run.revision.commit.as_str()),
    ];
    let of_run = of_run.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let of_verdict =
        object_of(fields_of_evidence(&it.evidence)).into_iter().filter_map(|(key, it)| {
            let value = match it {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            };
            Some((key, value))
        });
    let all = of_run.into_iter().chain(of_verdict).filter(|(_, value)| !value.is_empty());
    all.map(|(key, value)| (key, one_line(&value).into_owned())).collect()
}
