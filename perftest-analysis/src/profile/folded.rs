//! Folded stacks: a stack and its weight a line.

use super::{LineResult, Profile, ProfileBuilder, StackFrame, StackLines};
use std::fmt;

/// Reads `main;parse;read 12`.
#[derive(Debug, Default)]
pub(super) struct FoldedLines {
    lines: u64,
    /// Lines with a number before the weight, too.
    with_two_numbers: u64,
}

impl StackLines for FoldedLines {
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        if line.trim().is_empty() || line.starts_with('#') {
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
        profile.notes.has_two_weights = self.lines > 0 && self.lines == self.with_two_numbers;
        LineResult::Ignored
    }
}

/// Writes a profile as folded stacks, callees by name. Any `;` of a name becomes `:`.
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
            writeln!(out, "{written} {own}")?;
        }
    }
    Ok(())
}
