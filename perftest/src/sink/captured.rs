//! Inside libtest: its capture shows what we print when the test fails or `--nocapture` is given. What a
//! person has to hear of a test that passes goes past it.

use super::{Sink, paint::Paint, print_to_stderr, text};
use crate::event::{Event, TestEnd, TestReport};
use crate::harness::Color;
use perftest_core::model::Outcome;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints through the macros that libtest captures; warnings, and endings that are no answer, go past
/// it.
pub(crate) struct CapturedSink;

/// Whether this process has said that its tests are not measured.
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
            Event::Story(it) => text::story(it, Paint::of(Color::Auto)),
            Event::LastLines(lines) => print_to_stderr(&text::last_lines(lines)),
            // libtest itself tells of the suite and of each start.
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
        let text = format!("perf tests run once, without being measured: {why}");
        text::remark(&text, Paint::of(Color::Auto));
    }
}
