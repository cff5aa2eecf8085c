//! libtest's JSON events, one a line, with our evidence beside them.

use super::{Sink, paint::Paint, text};
use crate::event::{Event, JudgedSeries, MeasuredTest, TestEnd, TestReport, VersusTest};
use crate::harness::Color;
use perftest_core::fields::{fields_of_compared, fields_of_evidence};
use perftest_core::list::IntoList;
use perftest_core::model::{Environment, Metric, Outcome, Tag, Work};
use perftest_core::words::SessionSummary;
use perftest_store::JsonObject;
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

    fn print(&mut self, event: &JsonObject) {
        let line = format!("{event}\n");
        let _ = self.out.write_all(line.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl Sink for JsonSink {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::SuiteStarted { tests, shuffle, .. } => self.print(&started(*tests, *shuffle)),
            Event::TestStarted { name } => {
                self.print(&event_of("test", "started").with("name", *name));
            }
            Event::TestEnded(test) => self.print(&ended(test)),
            Event::Warning(message) => text::warn(message, Paint::of(Color::Auto)),
            Event::Remark(message) => text::remark(message, Paint::of(Color::Auto)),
            Event::SuiteEnded(summary) => {
                let passed = summary.failed.is_empty();
                let mut object = event_of("suite", if passed { "ok" } else { "failed" });
                object.put("passed", summary.passed);
                object.put("failed", summary.failed.len());
                object.put("ignored", summary.ignored);
                object.put("measured", 0_u32);
                object.put("filtered_out", summary.filtered_out);
                object.put("exec_time", summary.spent.as_secs_f64());
                if let Some(story) = &summary.story {
                    object.put("perftest", machine_story(story));
                }
                self.print(&object);
            }
        }
    }
}

fn event_of(kind: &str, event: &str) -> JsonObject {
    JsonObject::new().with("type", kind).with("event", event)
}

fn started(tests: usize, shuffle: Option<u64>) -> JsonObject {
    let mut object = event_of("suite", "started").with("test_count", tests);
    if let Some(seed) = shuffle {
        object.put("shuffle_seed", seed);
    }
    object
}

fn of_version() -> JsonObject {
    JsonObject::new().with("version", VERSION)
}

/// The conditions of the machine; a value that was not read is null.
fn machine_story(story: &SessionSummary) -> JsonObject {
    let SessionSummary { before, after, .. } = story;
    let mut object = of_version();
    object.put("distrusted", names(&story.reasons).as_slice());
    object.put("temperature_before_milli_c", before.temperature_milli_c.get());
    object.put("temperature_after_milli_c", after.temperature_milli_c.get());
    object.put("clock_before_khz", before.clock_khz());
    object.put("clock_after_khz", after.clock_khz());
    object.put("throttle_events", story.throttle_events);
    object.put("throttle_ms", story.throttle_ms);
    object.put("power_changes", story.power_changes.as_slice());
    object.put("tests_measured_again", story.measured_again);
    object.put("tests_without_verdict", story.without_verdict);
    object.put("words", story.describe());
    object
}

fn names(tags: &[Tag]) -> Vec<&'static str> {
    tags.iter().map(|tag| tag.name()).into_list()
}

fn ended(test: &TestReport) -> JsonObject {
    let mut object = event_of("test", test.outcome().name());
    object.put("name", test.name.as_str());
    object.put("exec_time", test.spent.as_secs_f64());
    let mut ours = match &test.end {
        TestEnd::Ignored(why) => {
            if let Some(why) = why {
                object.put("message", *why);
            }
            None
        }
        TestEnd::Smoke(why) => Some(of_version().with("smoke", *why)),
        TestEnd::Failed(_) => None,
        TestEnd::Unjudged(_) => Some(of_version()),
        TestEnd::Judged(judged) => Some(evidence(judged)),
        TestEnd::Compared(it) => Some(comparison(it)),
    };
    if let Some(hindrance) = test.hindrance() {
        ours.get_or_insert_default().put("unjudged", hindrance.obstacle.to_string());
    }
    if let Some(ours) = ours {
        object.put("perftest", ours);
    }
    if test.outcome() == Outcome::Failed {
        object.put("stdout", text::why(test));
    }
    object
}

fn evidence(judged: &MeasuredTest) -> JsonObject {
    let mut object = series(&judged.gravest).with("version", VERSION);
    put_conditions(&mut object, &judged.environment);
    if !judged.others.is_empty() {
        let others: Vec<JsonObject> = judged.others.iter().map(series).into_list();
        object.put("other_series", others.as_slice());
    }
    if !judged.without_verdict.is_empty() {
        let unjudged = judged.without_verdict.iter().map(|(name, why)| {
            JsonObject::new().with("series", name.as_str()).with("reason", why.as_str())
        });
        let unjudged: Vec<JsonObject> = unjudged.into_list();
        object.put("unjudged_series", unjudged.as_slice());
    }
    object
}

/// One series; the whole has no name.
fn series(series: &JudgedSeries) -> JsonObject {
    let it = &series.evidence;
    let mut object = JsonObject::of(fields_of_evidence(it));
    object.put("series", series.series_kind.name().as_str());
    put_metric(&mut object, &series.series_kind.metric());
    if let Some((work, now)) = series.work.zip(it.now) {
        object.put("throughput", throughput(work, now.estimate));
    }
    object
}

fn comparison(compared: &VersusTest) -> JsonObject {
    let it = &compared.compared;
    let mut object = JsonObject::of(fields_of_compared(it)).with("version", VERSION);
    object.put("verdict", it.reason.name());
    object.put("versus", compared.rival);
    put_metric(&mut object, &compared.metric);
    object.put("tolerance", compared.tolerance.share());
    object.put("in_fresh_processes", compared.in_fresh_processes);
    if let Some(work) = compared.work {
        object.put("throughput", throughput(work, it.head.estimate));
    }
    put_conditions(&mut object, &compared.environment);
    object
}

fn put_metric(object: &mut JsonObject, metric: &Metric) {
    object.put("metric", metric.name.as_str());
    object.put("unit", metric.unit.as_str());
}

fn put_conditions(object: &mut JsonObject, environment: &Environment) {
    object.put("grade", environment.grade().name());
    object.put("tags", names(&environment.tags).as_slice());
}

fn throughput(work: Work, iteration_ns: f64) -> JsonObject {
    let mut object = JsonObject::new();
    object.put("amount", work.amount);
    object.put("of", work.kind.name());
    object.put("per_second", work.per_second(iteration_ns));
    object
}

#[cfg(test)]
mod tests {
    use super::started;

    #[test]
    fn the_first_event_has_the_seed_of_a_random_order() {
        let event = |shuffle| started(2, shuffle).to_string();
        let seed = u64::MAX;
        let expected =
            format!(r#"{{"event":"started","shuffle_seed":{seed},"test_count":2,"type":"suite"}}"#);
        assert_eq!(event(Some(seed)), expected);
        assert!(!event(None).contains("shuffle_seed"));
    }
}
