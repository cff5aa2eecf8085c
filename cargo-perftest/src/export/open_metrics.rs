//! OpenMetrics text, as GitLab's metrics reports and Prometheus read it.

use crate::reading::{SessionRun, SessionView};
use perftest_core::words::one_line;
use std::fmt::Write;

/// A metric family: its name, what it is, and its value in a run.
type Family = (&'static str, &'static str, fn(&SessionRun) -> Option<f64>);

const FAMILIES: [Family; 4] = [
    ("perftest_value", "Value of one iteration", |it| it.evidence.now.map(|now| now.estimate)),
    ("perftest_baseline_value", "Value of the baseline", |it| {
        it.evidence.before.map(|before| before.estimate)
    }),
    ("perftest_ratio", "Value divided by that of the baseline, above 1 is worse", |it| {
        it.evidence.degradation.map(|degradation| degradation.estimate)
    }),
    ("perftest_smallest_detectable", "Smallest detectable slowdown, as a share", |it| {
        it.evidence.smallest_detectable
    }),
];

/// The numbers of a session.
pub(crate) fn open_metrics(session: &SessionView) -> String {
    let mut text = String::new();
    for (name, help, value) in FAMILIES {
        let known = session.runs.iter().filter_map(|it| Some((it, value(it)?)));
        let known: Vec<_> = known.filter(|(_, value)| value.is_finite()).collect();
        if known.is_empty() {
            continue;
        }
        // A string takes whatever is written.
        let _ = writeln!(text, "# TYPE {name} gauge\n# HELP {name} {help}");
        for (it, value) in known {
            let _ = writeln!(text, "{name}{{{}}} {value}", labels(it));
        }
    }
    text + "# EOF\n"
}

fn labels(it: &SessionRun) -> String {
    let run = &it.run;
    let labels = [
        ("test", run.benchmark.as_str()),
        ("metric", run.metric.name.as_str()),
        ("unit", run.metric.unit.as_str()),
        ("testbed", run.testbed.as_str()),
    ];
    labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).join(",")
}

/// Source: OpenMetrics 1.0, section 5.1 (ABNF, `escaped-string`).
fn escaped(value: &str) -> String {
    one_line(value).replace('\\', "\\\\").replace('"', "\\\"")
}
