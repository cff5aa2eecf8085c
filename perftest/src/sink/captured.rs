//! Prints inside libtest: its capture shows our output if the test fails or with `--nocapture`.
//! Output that users need from a passing test goes past the capture.

use super::{Sink, paint::Paint, text};
use crate::event::{Event, TestEnd, TestReport};
use crate::harness::Color;
use perftest_core::model::Outcome;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints through the macros that libtest captures. Warnings, and results without an answer, go
/// past the capture.
pub(crate) struct CapturedSink;

/// Whether this process has printed that its tests are not measured.
static SMOKE_IS_TOLD: AtomicBool = AtomicBool::new(false);

impl Sink for CapturedSink {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::TestEnded(test) if test.outcome() == Outcome::Failed => {
                eprintln!("{}", text::failure(test).trim());
            }
            Event::TestEnded(test) if test.must_be_shown() => {
                text::remark(&ended(test), Paint::of(Color::Auto));
            }
            Event::TestEnded(test) => {
                report_smoke_once(&test.end);
                println!("{}", ended(test));
            }
            Event::Remark(message) => println!("   {message}"),
            Event::Warning(message) => text::warn(message, Paint::of(Color::Auto)),
            // libtest itself prints the suite and each start.
            Event::SuiteStarted { .. } | Event::TestStarted { .. } | Event::SuiteEnded(_) => {}
        }
    }
}

fn ended(test: &TestReport) -> String {
    let paint = Paint::of(Color::Never);
    let text = format!("perf test {} ... {}", test.name, text::ending(test, paint));
    format!("{text}\n{}", text::beside(test, paint)).trim_end().to_owned()
}

fn report_smoke_once(end: &TestEnd) {
    if let TestEnd::Smoke(why) = end
        && !SMOKE_IS_TOLD.swap(true, Ordering::Relaxed)
    {
        let text = format!("perf tests run once and are not measured: {why}");
        text::remark(&text, Paint::of(Color::Auto));
    }
}
