//! Inside libtest: its capture shows what we print when the test fails or `--nocapture` is given.

use super::{Sink, paint::Paint, text};
use crate::event::Event;
use crate::harness::Color;
use perftest_core::model::Outcome;

/// Prints through the macros that libtest captures; warnings go past it.
pub(crate) struct Captured;

impl Sink for Captured {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::TestEnded(test) if test.outcome() == Outcome::Failed => {
                eprintln!("{}", text::failure(test).trim());
            }
            Event::TestEnded(test) => {
                let paint = Paint::of(Color::Never);
                println!("perf test {} ... {}", test.name, text::ending(test, paint));
                print!("{}", text::beside(test, paint));
            }
            Event::Remark(message) => println!("   {message}"),
            Event::Warning(message) => text::warn(message, Paint::of(Color::Auto)),
            // libtest itself tells of the suite and of each start.
            Event::SuiteStarted { .. } | Event::TestStarted { .. } | Event::SuiteEnded(_) => {}
        }
    }
}
