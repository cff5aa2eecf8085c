//! Folded stacks: a stack and its weight a line. Lines with `#` are remarks: three kinds of them are ours.

use super::{
    IterationTime, LineResult, Profile, ProfileBuilder, StackFrame, StackLines, frame_name,
};
use std::fmt;

/// Begins a remark with the number of samples.
const SAMPLES: &str = "# samples: ";
/// Begins a remark with the time of an iteration.
const ITERATION: &str = "# iteration: ";
/// Begins a remark that limits the use of the profile.
const NOTE: &str = "# note: ";
/// Further notes are left out.
const MOST_NOTES: usize = 50;

/// Reads `main;parse;read 12`.
#[derive(Debug, Default)]
pub(super) struct FoldedLines {
    lines: u64,
    /// Lines with a number before the weight, too.
    with_two_numbers: u64,
    /// The number of samples, where the file has it.
    samples: Option<u64>,
}

impl StackLines for FoldedLines {
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        if line.starts_with('#') {
            self.read_remark(line, profile);
            return LineResult::Ignored;
        }
        if line.trim().is_empty() {
            return LineResult::Ignored;
        }
        let Some((stack, weight)) = line.trim_end().rsplit_once(' ') else {
            return LineResult::Unreadable("has no weight at its end");
        };
        if weight.is_empty() || !weight.bytes().all(|it| it.is_ascii_digit()) {
            return LineResult::Unreadable("has no whole number as its weight");
        }
        let Ok(weight) = weight.parse() else { return LineResult::TooHeavy };
        if weight == 0 {
            return LineResult::Ignored;
        }
        self.lines += 1;
        let before = stack.rsplit(' ').next().unwrap_or_default();
        let is_number = before.len() < stack.len() && before.parse::<u64>().is_ok();
        self.with_two_numbers += u64::from(is_number);
        match profile.add(stack.split(';'), weight, weight) {
            true => LineResult::Read,
            false => LineResult::TooHeavy,
        }
    }

    fn finish(&mut self, profile: &mut ProfileBuilder) -> LineResult {
        // No difference names its samples: there each number is of a name.
        let may_be_difference = self.lines > 0 && self.samples.is_none();
        profile.notes.has_two_weights = may_be_difference && self.lines == self.with_two_numbers;
        if let Some(samples) = self.samples {
            profile.set_samples(samples);
        }
        LineResult::Ignored
    }
}

impl FoldedLines {
    fn read_remark(&mut self, line: &str, profile: &mut ProfileBuilder) {
        if let Some(count) = line.strip_prefix(SAMPLES) {
            let count = count.trim_end().strip_suffix('.').and_then(|count| count.parse().ok());
            self.samples = count.filter(|count| *count > 0).or(self.samples);
        } else if let Some(time) = line.strip_prefix(ITERATION) {
            profile.set_iteration(iteration_of(time.trim_end()));
        } else if let Some(note) = line.strip_prefix(NOTE)
            && profile.notes.remarks.len() < MOST_NOTES
        {
            profile.add_remarks([frame_name(note).into_owned()]);
        }
    }
}

/// Reads `1.5 ns, standard error 0.1 ns, sampled for 1000 ns.`
fn iteration_of(text: &str) -> Option<IterationTime> {
    let mut parts = text.strip_suffix('.')?.split(", ");
    let mut number = |before: &str| -> Option<f64> {
        parts.next()?.strip_prefix(before)?.strip_suffix(" ns")?.parse().ok()
    };
    let ns = number("")?;
    let error_ns = number("standard error ")?;
    let sampled_ns = number("sampled for ")?;
    IterationTime { ns, error_ns, sampled_ns }.checked()
}

/// Writes a profile as folded stacks. Its number of samples, the time of an iteration and its notes are remarks
/// before them. Other programs skip the remarks, because no weight is at their ends.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_folded_with_remarks(profile: &Profile, out: &mut dyn fmt::Write) -> fmt::Result {
    writeln!(out, "{SAMPLES}{}.", profile.samples())?;
    if let Some(IterationTime { ns, error_ns, sampled_ns }) = profile.iteration() {
        writeln!(
            out,
            "{ITERATION}{ns:.3} ns, standard error {error_ns:.3} ns, sampled for {sampled_ns:.0} ns."
        )?;
    }
    for note in profile.notes().sentences() {
        writeln!(out, "{NOTE}{}", frame_name(&note))?;
    }
    write_folded(profile, out)
}

/// Writes a profile as folded stacks, callees by name. Any `;` of a name becomes `:`. A stack whose first name
/// begins with `#` begins with a blank: it is no remark.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_folded(profile: &Profile, out: &mut dyn fmt::Write) -> fmt::Result {
    let tree = profile.tree();
    let names: Vec<String> = tree.names().iter().map(|name| name.replace(';', ":")).collect();
    let mut stack = String::new();
    // Where the stack of each caller ends in `stack`.
    let mut ends = vec![0];
    for (frame, StackFrame { name, depth, .. }) in tree.frames().iter().enumerate() {
        let depth = *depth as usize;
        if depth > 0 {
            ends.truncate(depth);
            stack.truncate(ends[depth - 1]);
            if depth > 1 {
                stack.push(';');
            }
            stack.push_str(&names[*name as usize]);
            ends.push(stack.len());
        }
        let own = profile.weights().own[frame];
        if own > 0 {
            let written = if depth == 0 { &names[0] } else { &stack };
            let blank = if written.starts_with('#') { " " } else { "" };
            writeln!(out, "{blank}{written} {own}")?;
        }
    }
    Ok(())
}
