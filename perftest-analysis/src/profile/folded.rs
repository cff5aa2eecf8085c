//! Folded stacks: a stack and its weight a line. Lines with `#` are remarks: five kinds of them are ours.

use super::{
    ClassWeight, IterationClass, IterationTime, LineResult, Profile, ProfileBuilder, StackFrame,
    StackLines, frame_name,
};
use std::io::{self, Write};

/// Begins a remark with the number of samples.
const SAMPLES: &str = "# samples: ";
/// Begins a remark with the time of an iteration.
const ITERATION: &str = "# whole iteration: ";
/// Begins a remark with the iterations by their duration. The number is the version: another one has another
/// beginning and is skipped.
const CLASSES: &str = "# iterations 1: ";
/// Begins a remark with the parts of the stack before it, by the places of these classes.
const BY_CLASS: &str = "# by iterations: ";
/// Such parts are thousandths: weights have seven digits, and most stacks have a few samples.
const WHOLE: u64 = 1_000;
/// Begins a remark that limits the use of the profile.
const NOTE: &str = "# note: ";
/// Most classes of iterations.
const MOST_CLASSES: usize = 4_096;
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
    /// The iterations by their duration are read, or damaged.
    has_classes: bool,
}

impl StackLines for FoldedLines {
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        if line.starts_with('#') {
            return self.read_remark(line, profile);
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
    fn read_remark(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        if let Some(count) = line.strip_prefix(SAMPLES) {
            let count = count.trim_end().strip_suffix('.').and_then(|count| count.parse().ok());
            self.samples = count.filter(|count| *count > 0).or(self.samples);
        } else if let Some(time) = line.strip_prefix(ITERATION) {
            profile.set_iteration(iteration_of(time.trim_end()));
        } else if let Some(classes) = line.strip_prefix(CLASSES) {
            // Of two files in one, the classes of the first are not those of the second.
            let is_second = std::mem::replace(&mut self.has_classes, true);
            return read_classes(if is_second { "" } else { classes.trim_end() }, profile);
        } else if let Some(weights) = line.strip_prefix(BY_CLASS).filter(|_| profile.has_classes())
        {
            return read_by_class(weights.trim_end(), profile);
        } else if let Some(note) = line.strip_prefix(NOTE)
            && profile.notes.remarks.len() < MOST_NOTES
        {
            profile.add_remarks([frame_name(note).into_owned()]);
        }
        LineResult::Ignored
    }
}

/// Reads `4900 of 2031616 ns, 100 of 120586240 ns.`, the fastest first.
fn read_classes(text: &str, profile: &mut ProfileBuilder) -> LineResult {
    let class = |text: &str| -> Option<IterationClass> {
        let (iterations, from_ns) = text.strip_suffix(" ns")?.split_once(" of ")?;
        Some(IterationClass {
            from_ns: from_ns.parse().ok()?,
            iterations: iterations.parse().ok()?,
        })
    };
    let classes = text.strip_suffix('.').map_or_else(Vec::new, |text| {
        text.split(", ").take(MOST_CLASSES + 1).map_while(class).collect()
    });
    let is_whole = text.split(", ").count() == classes.len() && classes.len() <= MOST_CLASSES;
    let is_in_order = classes.windows(2).all(|pair| pair[0].from_ns < pair[1].from_ns);
    if !is_whole || !is_in_order {
        profile.set_classes(Vec::new());
        return LineResult::Unreadable(
            "does not have the iterations of one profile by their duration",
        );
    }
    profile.set_classes(classes);
    LineResult::Ignored
}

/// Reads `0 583, 1 417.`: thousandths of the newest stack.
fn read_by_class(text: &str, profile: &mut ProfileBuilder) -> LineResult {
    let part = |text: &str| {
        let (class, part) = text.split_once(' ')?;
        Some((class.parse().ok()?, part.parse().ok()?))
    };
    let text = text.strip_suffix('.').unwrap_or_default();
    let parts: Option<Vec<(u32, u64)>> = text.split(", ").map(part).collect();
    let weights = parts.and_then(|parts| rescaled(&parts, WHOLE, profile.newest_weight()));
    if weights.is_some_and(|weights| profile.add_by_class(&weights)) {
        return LineResult::Ignored;
    }
    // Slices with a part of the weight would be wrong.
    profile.set_classes(Vec::new());
    LineResult::Unreadable("does not have the weight of its stack by iterations")
}

/// The parts of one whole as parts of another, rounded so that all together keep their sum. `None` where they are more
/// than the whole.
fn rescaled(parts: &[(u32, u64)], whole: u64, other: u64) -> Option<Vec<(u32, u64)>> {
    let (mut sum, mut written) = (0_u64, 0);
    let mut rescale = |(class, part): &(u32, u64)| {
        sum = sum.checked_add(*part).filter(|sum| *sum <= whole)?;
        let until =
            (u128::from(sum) * u128::from(other) + u128::from(whole / 2)) / u128::from(whole);
        let part = until as u64 - written;
        written = until as u64;
        Some((*class, part))
    };
    parts.iter().map(&mut rescale).collect()
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

/// Writes a profile as folded stacks, callees by name. Any `;` of a name becomes `:`. A stack whose first name
/// begins with `#` begins with a blank: it is no remark.
///
/// The number of samples, the time of an iteration and the notes are remarks before the stacks; how a stack is spread
/// over fast and slow iterations is a remark behind it. Other programs skip the remarks, because no weight is at their
/// ends.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_folded_with_remarks(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
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
    if let Some(classes) = profile.classes() {
        let listed: Vec<String> = classes
            .classes
            .iter()
            .map(|it| format!("{} of {} ns", it.iterations, it.from_ns))
            .collect();
        writeln!(out, "{CLASSES}{}.", listed.join(", "))?;
    }
    let tree = profile.tree();
    let in_stack = |name: &str| frame_name(&name.replace(';', ":")).into_owned();
    let names: Vec<String> = tree.names().iter().map(|name| in_stack(name)).collect();
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
            let by_class = profile.classes().map_or(&[][..], |classes| classes.of_frame(frame));
            write_by_class(by_class, own, out)?;
        }
    }
    Ok(())
}

/// Writes the parts of a stack with this weight in each class of iterations.
fn write_by_class(weights: &[ClassWeight], own: u64, out: &mut dyn Write) -> io::Result<()> {
    let weights: Vec<(u32, u64)> = weights.iter().map(|it| (it.class, it.weight)).collect();
    let parts = rescaled(&weights, own, WHOLE).unwrap_or_default();
    let parts = parts.into_iter().filter(|(_, part)| *part > 0);
    let parts: Vec<String> = parts.map(|(class, part)| format!("{class} {part}")).collect();
    if parts.is_empty() { Ok(()) } else { writeln!(out, "{BY_CLASS}{}.", parts.join(", ")) }
}
