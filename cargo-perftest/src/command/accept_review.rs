//! `cargo perftest accept --review`: the reds of the newest session one by one.

use super::accept_entry::AcceptanceWriter;
use super::accept_session::{RedTest, newest_session, print_over_limit};
use super::show::write_words;
use crate::args::{AcceptArgs as Args, ratio, reason};
use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result, refuse};
use crate::report::write_line;
use crate::series::in_words;
use perftest_core::model::{BenchmarkId, BenchmarkPattern, Run};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal};

const NO_ANSWERS: &str = "accept --review asks about each red, and standard input is empty: run it in a \
                          terminal, pipe the answers in, or use --session last";

/// Asks about the reds.
struct Reviewer<'a> {
    args: &'a Args,
    answers: &'a mut dyn BufRead,
    /// Whether no answer has come yet.
    is_first: bool,
}

/// The answer about one red.
enum ReviewStep {
    Accepted,
    Skipped,
    Quit,
}

pub(super) fn run(args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let stdin = std::io::stdin();
    let is_terminal = stdin.is_terminal();
    Reviewer { args, answers: &mut stdin.lock(), is_first: !is_terminal }.review(context)
}

impl Reviewer<'_> {
    fn review(&mut self, context: &mut CommandContext<'_>) -> Result<()> {
        let session = newest_session(self.args.testbed.as_deref(), context)?;
        print_over_limit(&session, context)?;
        let mut reds: BTreeMap<&BenchmarkId, Vec<RedTest<'_>>> = BTreeMap::new();
        for red in session.iter().filter_map(RedTest::of) {
            reds.entry(&red.run.benchmark).or_default().push(red);
        }
        if reds.is_empty() {
            writeln!(context.out, "nothing to review: no test was red in the newest session")?;
            return Ok(());
        }
        let (count, mut accepted, mut skipped) = (reds.len(), 0, 0);
        for (place, (benchmark, reds)) in (1_usize..).zip(&reds) {
            writeln!(context.out, "\n{place} of {count}")?;
            match self.review_one(benchmark, reds, context)? {
                ReviewStep::Accepted => accepted += 1,
                ReviewStep::Skipped => skipped += 1,
                ReviewStep::Quit => break,
            }
        }
        let left = count - accepted - skipped;
        Ok(writeln!(context.out, "\n{accepted} accepted, {skipped} skipped, {left} not reviewed")?)
    }

    fn review_one(
        &mut self,
        benchmark: &BenchmarkId,
        reds: &[RedTest<'_>],
        context: &mut CommandContext<'_>,
    ) -> Result<ReviewStep> {
        for red in reds {
            let name = in_words(benchmark, &red.run.metric);
            let line = format_args!("{name} on {}: {}", red.run.testbed, red.in_words());
            write_line(context.out, &line)?;
        }
        loop {
            let question = "accept, skip, evidence or quit? [a/s/e/q] ";
            let Some(answer) = self.ask(question, context)? else {
                return Ok(ReviewStep::Quit);
            };
            match answer.to_lowercase().as_str() {
                "a" | "accept" => return self.accept(benchmark, reds, context),
                "s" | "skip" | "" => return Ok(ReviewStep::Skipped),
                "e" | "evidence" => {
                    reds.iter().try_for_each(|red| write_evidence(red.run, context))?;
                }
                "q" | "quit" => return Ok(ReviewStep::Quit),
                _ => writeln!(context.out, "answer with a, s, e or q")?,
            }
        }
    }

    /// Asks for bound, reason and confirmation. Nothing is written before the last of them.
    fn accept(
        &mut self,
        benchmark: &BenchmarkId,
        reds: &[RedTest<'_>],
        context: &mut CommandContext<'_>,
    ) -> Result<ReviewStep> {
        let bounds = reds.iter().map(|red| red.max_ratio);
        // The widest, where all have one.
        let widest = bounds.reduce(|one, other| Some(one?.max(other?))).flatten();
        let bound = widest.map(|it| format!("{it:.2}"));
        let question = "largest accepted ratio to the old level";
        let Some(max_ratio) = self.ask_for(question, bound.as_deref(), ratio, context)? else {
            return Ok(ReviewStep::Quit);
        };
        let given = self.args.reason.as_deref();
        let Some(why) = self.ask_for("reason, for later readers", given, reason, context)? else {
            return Ok(ReviewStep::Quit);
        };
        let mut writer = AcceptanceWriter::new(self.args, context)?;
        let entry = writer.entry(BenchmarkPattern::from(benchmark), max_ratio, &why, context)?;
        let place = entry.origin.in_words();
        let name = benchmark.as_str();
        write_line(
            context.out,
            &format_args!("{name} may be up to {max_ratio}x its old level: {why}"),
        )?;
        let tests = reds.iter().map(|red| (&red.run.benchmark, red.run.testbed.as_str()));
        writer.print_replaced(&entry, tests, context)?;
        let Some(answer) = self.ask(&format!("write this to {place}? [y/N] "), context)? else {
            return Ok(ReviewStep::Quit);
        };
        if !matches!(answer.to_lowercase().as_str(), "y" | "yes") {
            writeln!(context.out, "not written")?;
            return Ok(ReviewStep::Skipped);
        }
        if self.args.dry_run {
            writeln!(context.out, "nothing was changed (--dry-run)")?;
            return Ok(ReviewStep::Skipped);
        }
        writer.keep(entry, context)?;
        Ok(ReviewStep::Accepted)
    }

    /// The answer, trimmed; `None` where there are no more answers.
    fn ask(&mut self, question: &str, context: &mut CommandContext<'_>) -> Result<Option<String>> {
        write!(context.out, "{question}")?;
        context.out.flush()?;
        let mut line = Vec::new();
        let read = self.answers.read_until(b'\n', &mut line);
        let read = read
            .map_err(|error| CommandError::Usage(format!("the answer cannot be read: {error}")))?;
        if read == 0 {
            writeln!(context.out)?;
            if self.is_first {
                return refuse(NO_ANSWERS);
            }
            return Ok(None);
        }
        self.is_first = false;
        Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
    }

    /// The same until it is a value; an empty answer is the default, where there is one.
    fn ask_for<T>(
        &mut self,
        what: &str,
        default: Option<&str>,
        parse: fn(&str) -> Result<T, String>,
        context: &mut CommandContext<'_>,
    ) -> Result<Option<T>> {
        let suggested = default.map_or_else(String::new, |it| format!(" [{it}]"));
        loop {
            let Some(answer) = self.ask(&format!("{what}{suggested}: "), context)? else {
                return Ok(None);
            };
            let text = if answer.is_empty() { default.unwrap_or_default() } else { &answer };
            match parse(text) {
                Ok(value) => return Ok(Some(value)),
                Err(why) => write_line(context.out, &why)?,
            }
        }
    }
}

fn write_evidence(run: &Run, context: &mut CommandContext<'_>) -> Result<()> {
    run.evidence.as_ref().map_or(Ok(()), |evidence| write_words(run, evidence, None, context))
}
