//! Histories that were written run by run.

use crate::bench::{Bench, measured};
use perftest_core::model::{BenchmarkId, Environment, Measurement, Run};

/// Time of the first commit, in seconds since the Unix epoch.
pub(crate) const FIRST_COMMIT_S: u64 = 1_767_225_000;

/// The `nth` run of a test, of the `nth` commit of main, with three measurements of this value.
pub(crate) fn run(test: &str, nth: u64, value: f64) -> Run {
    let mut run = measured(nth, vec![Measurement::of_value(value); 3]);
    run.benchmark = BenchmarkId::from_recorded(format!("codec::{test}"));
    run.environment = Environment::default();
    run.revision.commit = commit(nth);
    run.revision.branch = "main".into();
    run.revision.order = FIRST_COMMIT_S + 60 * nth;
    run.revision.dirty = false;
    run.code.text = format!("{nth:016x}");
    run
}

/// The name of the `nth` commit: its first nine digits are those of the number.
pub(crate) fn commit(nth: u64) -> String {
    format!("{nth:09}{}", "a".repeat(31))
}

/// A level with some noise about it, within half a percent.
pub(crate) fn about(level: f64, nth: u64) -> f64 {
    level * (1.0 + ((nth * 7919 % 101) as f64 - 50.0) / 10_000.0)
}

impl Bench {
    /// Adds `count` runs of a test with these levels.
    pub(crate) fn add(&self, test: &str, count: u64, level: impl Fn(u64) -> f64) {
        (0..count).for_each(|nth| self.append(&run(test, nth, about(level(nth), nth))));
    }

    /// Checks that these commands answer what is on a page.
    pub(crate) fn answers_as(&self, page: &str, commands: [&str; 2]) {
        for command in commands {
            let block = page.split(&format!("$ cargo perftest {command}\n")).nth(1);
            let block = block.unwrap_or_else(|| panic!("{command} is not on the page"));
            let answer = self.answer(&command.split(' ').collect::<Vec<_>>());
            assert_eq!(answer, block.split("```").next().unwrap(), "{answer}");
        }
    }
}
