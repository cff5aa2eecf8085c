//! One character a test, as `cargo test -q`.

use super::{Sink, paint::Paint, text};
use crate::event::Event;
use perftest_core::model::Outcome;
use std::io::Write;

/// One character a test.
pub(crate) struct TerseSink {
    out: Box<dyn Write>,
    paint: Paint,
}

impl TerseSink {
    pub(crate) fn new(out: Box<dyn Write>, paint: Paint) -> Self {
        Self { out, paint }
    }

    fn print(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

impl Sink for TerseSink {
    fn take(&mut self, event: &Event<'_>) {
        let paint = self.paint;
        match event {
            Event::SuiteStarted { tests, shuffle, machine } => {
                self.print(&text::headline(*tests, *shuffle, *machine));
            }
            Event::TestStarted { .. } => {}
            Event::TestEnded(test) => self.print(&match test.outcome() {
                Outcome::Passed => paint.good("."),
                Outcome::Failed => paint.bad("F"),
                Outcome::Ignored => paint.doubtful("i"),
            }),
            Event::Warning(message) => text::warn(message, paint),
            Event::Remark(message) => text::remark(message, paint),
            Event::Story(it) => text::story(it, paint),
            Event::LastLines(_) => {}
            Event::SuiteEnded(summary) => {
                self.print(&text::closing(summary, paint));
                summary.story.iter().for_each(|it| text::story(it, paint));
            }
        }
    }
}
