//! What `perf script` prints: a line of the sample, its frames from the inside to the outside, an empty line.
//!
//! ```text
//! parser 64414 20110.539270:      34467 cpu-clock:u:
//!         55d5c3a1 parser::read+0x1c (/usr/bin/parser)
//!         55d5c2b0 main (/usr/bin/parser)
//! ```
//! The outermost frame is the name of the thread. The weight is the period of the sample where it is printed.
//! Samples of other events than the first one of the file are left out: cycles and page faults do not add up.

use super::{LineResult, ProfileBuilder, StackLines};

/// Reads the samples of one event.
#[derive(Debug, Default)]
pub(super) struct PerfLines {
    /// The event that counts.
    event: Option<String>,
    sample: Option<ScriptSample>,
}

#[derive(Debug)]
struct ScriptSample {
    thread: String,
    period: u64,
    /// From the inside to the outside.
    frames: Vec<String>,
    is_counted: bool,
}

/// What the first line of a sample says.
struct Heading<'a> {
    thread: &'a str,
    event: Option<&'a str>,
    period: Option<u64>,
    /// A frame behind the event, where the stack has only one.
    frame: &'a str,
}

impl StackLines for PerfLines {
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        if line.starts_with('#') {
            return LineResult::Ignored;
        }
        let line = line.trim_end();
        if line.is_empty() {
            return self.end_sample(profile);
        }
        match &mut self.sample {
            Some(sample) => sample.push(line),
            None => self.begin_sample(line, profile),
        }
    }

    /// A sample that no empty line ends may lack its outer frames.
    fn finish(&mut self, profile: &mut ProfileBuilder) -> LineResult {
        let is_cut = self.sample.take().is_some_and(|sample| !sample.frames.is_empty());
        profile.notes.ends_early |= is_cut;
        LineResult::Ignored
    }
}

impl PerfLines {
    fn begin_sample(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        let Some(heading) = heading(line) else {
            return LineResult::Unreadable("is neither a sample nor a frame of one");
        };
        let is_counted = match (heading.event, &self.event) {
            (Some(event), Some(counted)) => event == counted,
            (Some(event), None) => {
                self.event = Some(event.to_owned());
                true
            }
            (None, _) => true,
        };
        profile.notes.other_events += u64::from(!is_counted);
        let mut sample = ScriptSample {
            thread: heading.thread.replace(' ', "_"),
            period: heading.period.unwrap_or(1),
            frames: Vec::new(),
            is_counted,
        };
        let alone = !heading.frame.is_empty() && sample.push(heading.frame) == LineResult::Read;
        self.sample = Some(sample);
        if alone { self.end_sample(profile) } else { LineResult::Ignored }
    }

    fn end_sample(&mut self, profile: &mut ProfileBuilder) -> LineResult {
        let Some(sample) = self.sample.take() else { return LineResult::Ignored };
        if !sample.is_counted || sample.frames.is_empty() {
            return LineResult::Ignored;
        }
        let stack = std::iter::once(&sample.thread).chain(sample.frames.iter().rev());
        match profile.add(stack.map(String::as_str), sample.period, 1) {
            true => LineResult::Read,
            false => LineResult::TooHeavy,
        }
    }
}

impl ScriptSample {
    fn push(&mut self, line: &str) -> LineResult {
        let Some((function, module)) = frame(line) else {
            return LineResult::Unreadable("is no frame of a sample");
        };
        // `(deleted)` and the like name processes.
        if !function.starts_with('(') {
            self.frames.push(function_name(function, module));
        }
        LineResult::Read
    }
}

/// The words of `V8 Worker 24636/25607 [000] 94564.109216:  257597 cycles:u:`. The name of the thread may have
/// spaces; behind it come its numbers.
fn heading(line: &str) -> Option<Heading<'_>> {
    let (thread, rest) = thread_of(line)?;
    let mut parts = rest.splitn(3, ':').skip(1);
    let event = parts.next();
    let mut words = event.into_iter().flat_map(|event| event.rsplit(' '));
    let event = words.next();
    let period = words.next().and_then(|word| word.parse().ok());
    // `u:` ends the name of the event: `cycles:u:`.
    let behind = parts.next().unwrap_or_default();
    let frame = behind.find([':', ' ']).map_or(behind, |place| &behind[place + 1..]);
    Some(Heading { thread, event, period, frame: frame.trim() })
}

/// Splits at the first word of digits that is not the first word.
fn thread_of(line: &str) -> Option<(&str, &str)> {
    let mut start = line.find(' ')? + 1;
    while let Some(length) = line[start..].find(' ') {
        let word = &line[start..start + length];
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        if word.split('/').all(is_number) {
            return Some((line[..start - 1].trim(), &line[start + length + 1..]));
        }
        start += length + 1;
    }
    None
}

/// Function and module of `55d5c3a1 parser::read+0x1c (/usr/bin/parser)`.
fn frame(line: &str) -> Option<(&str, &str)> {
    let (_address, rest) = line.trim_start().split_once(' ')?;
    let (function, module) = rest.rsplit_once(' ')?;
    let module = module.strip_prefix('(')?.strip_suffix(')')?;
    let function = function.trim();
    let offset = function.rsplit_once("+0x");
    let is_offset = |text: &str| text.bytes().all(|it| it.is_ascii_hexdigit());
    Some((offset.filter(|(_, it)| is_offset(it)).map_or(function, |(name, _)| name), module))
}

fn function_name(function: &str, module: &str) -> String {
    if function == "[unknown]" && module != "[unknown]" {
        let file = module.rsplit('/').next().unwrap_or(module);
        return format!("[{file}]").replace(';', ":");
    }
    without_parameters(&function.replace(';', ":")).to_owned()
}

/// Without the parameters of C++ functions: from the first parenthesis that is in no bracket. Go methods such
/// as `http.(*Client).Do` and C++'s `(anonymous namespace)` stay.
fn without_parameters(function: &str) -> &str {
    let mut depth = 0;
    for (place, character) in function.char_indices() {
        match character {
            '<' | '{' | '[' => depth += 1,
            '>' | '}' | ']' | ')' => depth -= 1,
            '(' => {
                let (before, behind) = function.split_at(place);
                let stays = before.ends_with('.') || behind.starts_with("(anonymous namespace)");
                if depth == 0 && !stays {
                    return before;
                }
                depth += 1;
            }
            _ => {}
        }
    }
    function
}
