//! libtest's JSON events, one a line, with our evidence beside them.

use super::{Sink, paint::Paint, text};
use crate::event::{Event, JudgedSeries, MeasuredTest, TestEnd, TestReport, VersusTest};
use crate::harness::Color;
use perftest_core::fields::{fields_of_compared, fields_of_evidence};
use perftest_core::list::IntoList;
use perftest_core::model::{Environment, MachineState, Metric, Outcome, Work};
use perftest_core::words::SessionSummary;
use perftest_store::json_of;
use serde_json::{Value, json};
use std::io::Write;

/// Version of the `perftest` object in test events.
const VERSION: u32 = 1;

/// One event a line.
pub(crate) struct JsonSink {
    out: Box<dyn Write>,
}

impl JsonSink {
    pub(crate) fn new(out: Box<dyn Write>) -> Self {
        Self { out }
    }

    fn print(&mut self, value: &Value) {
        let line = format!("{value}\n");
        let _ = self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl Sink for JsonSink {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::SuiteStarted { tests, .. } => {
                self.print(&json!({ "type": "suite", "event": "started", "test_count": tests }));
            }
            Event::TestStarted { name } => {
                self.print(&json!({ "type": "test", "event": "started", "name": name }));
            }
            Event::TestEnded(test) => self.print(&ended(test)),
            Event::Warning(message) => text::warn(message, Paint::of(Color::Auto)),
            Event::Remark(message) => text::remark(message, Paint::of(Color::Auto)),
            Event::Story(it) => text::story(it, Paint::of(Color::Auto)),
            Event::LastLines(_) => {}
            Event::SuiteEnded(summary) => {
                let passed = summary.failed.is_empty();
                let mut value = json!({
                    "type": "suite",
                    "event": if passed { "ok" } else { "failed" },
                    "passed": summary.passed,
                    "failed": summary.failed.len(),
                    "ignored": summary.ignored,
                    "measured": 0,
                    "filtered_out": summary.filtered_out,
                    "exec_time": summary.spent.as_secs_f64(),
                });
                if let Some(story) = &summary.story {
                    value["perftest"] = machine_story(story);
                }
                self.print(&value);
                summary.story.iter().for_each(|it| text::story(it, Paint::of(Color::Auto)));
            }
        }
    }
}

/// The conditions of the machine; a value that was not read is null.
fn machine_story(story: &SessionSummary) -> Value {
    let SessionSummary { before, after, .. } = story;
    let clock_khz = |it: &MachineState| it.effective_khz.get().or(it.frequency_khz.get());
    json!({
        "version": VERSION,
        "distrusted": story.reasons.iter().map(|tag| tag.name()).into_list(),
        "temperature_before_milli_c": before.temperature_milli_c.get(),
        "temperature_after_milli_c": after.temperature_milli_c.get(),
        "clock_before_khz": clock_khz(before),
        "clock_after_khz": clock_khz(after),
        "throttle_events": story.throttle_events,
        "throttle_ms": story.throttle_ms,
        "power_changes": story.power_changes,
        "tests_measured_again": story.measured_again,
        "tests_without_verdict": story.without_verdict,
        "words": story.describe(),
    })
}

fn ended(test: &TestReport) -> Value {
    let event = match test.outcome() {
        Outcome::Passed => "ok",
        Outcome::Failed => "failed",
        Outcome::Ignored => "ignored",
    };
    let mut value = json!({
        "type": "test",
        "event": event,
        "name": test.name,
        "exec_time": test.spent.as_secs_f64(),
    });
    match &test.end {
        TestEnd::Ignored(Some(why)) => value["message"] = json!(why),
        TestEnd::Ignored(None) => {}
        TestEnd::Smoke(why) => value["perftest"] = json!({ "version": VERSION, "smoke": why }),
        TestEnd::Failed(_) => {}
        TestEnd::Unjudged(_) => value["perftest"] = json!({ "version": VERSION }),
        TestEnd::Judged(judged) => value["perftest"] = evidence(judged),
        TestEnd::Compared(it) => value["perftest"] = comparison(it),
    }
    if let Some(hindrance) = test.hindrance() {
        value["perftest"]["unjudged"] = json!(hindrance.obstacle.to_string());
    }
    if test.outcome() == Outcome::Failed {
        value["stdout"] = json!(text::why(test));
    }
    value
}

fn evidence(judged: &MeasuredTest) -> Value {
    let mut value = series(&judged.gravest);
    value["version"] = json!(VERSION);
    put_conditions(&mut value, &judged.environment);
    if !judged.others.is_empty() {
        value["other_series"] = judged.others.iter().map(series).collect();
    }
    if !judged.without_verdict.is_empty() {
        let unjudged = judged.without_verdict.iter();
        value["unjudged_series"] =
            unjudged.map(|(name, why)| json!({ "series": name, "reason": why })).collect();
    }
    value
}

/// One series; the whole has no name.
fn series(series: &JudgedSeries) -> Value {
    let it = &series.evidence;
    let mut value = Value::Object(json_of(fields_of_evidence(it)));
    value["series"] = json!(series.name);
    put_metric(&mut value, &series.metric);
    if let Some((work, now)) = series.work.zip(it.now) {
        value["throughput"] = throughput(work, now.estimate);
    }
    value
}

fn comparison(compared: &VersusTest) -> Value {
    let it = &compared.compared;
    let mut value = Value::Object(json_of(fields_of_compared(it)));
    value["version"] = json!(VERSION);
    value["versus"] = json!(compared.rival);
    put_metric(&mut value, &compared.metric);
    value["tolerance"] = json!(compared.tolerance.share());
    value["in_fresh_processes"] = json!(compared.in_fresh_processes);
    if let Some(work) = compared.work {
        value["throughput"] = throughput(work, it.head.estimate);
    }
    put_conditions(&mut value, &compared.environment);
    value
}

fn put_metric(value: &mut Value, metric: &Metric) {
    value["metric"] = json!(metric.name);
    value["unit"] = json!(metric.unit);
}

fn put_conditions(value: &mut Value, environment: &Environment) {
    value["grade"] = json!(environment.grade().name());
    value["tags"] = environment.tags.iter().map(|tag| tag.name()).collect();
}

fn throughput(work: Work, iteration_ns: f64) -> Value {
    json!({
        "amount": work.amount,
        "of": work.kind.name(),
        "per_second": work.per_second(iteration_ns),
    })
}
