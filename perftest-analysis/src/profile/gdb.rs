//! What gdb prints for `thread apply all bt`, once or again and again: the profiler that needs no profiler.
//!
//! ```text
//! Thread 2 (Thread 0x7f3a (LWP 4712) "worker"):
//! #0  0x00007f3a in poll (fds=0x7ffe, nfds=1) at ../sysdeps/poll.c:29
//! #1  mio::poll::Poll::poll (self=0x7ffe) at src/poll.rs:340
//! ```
//! The outermost frame is the name of the thread where gdb prints one. Each stack is one sample.

use super::{LineResult, ProfileBuilder, StackLines};

/// A thread without a name.
const UNNAMED: &str = "[thread]";

/// Reads one stack after the other.
#[derive(Debug, Default)]
pub(super) struct GdbLines {
    thread: Option<String>,
    /// From the inside to the outside.
    frames: Vec<String>,
}

impl StackLines for GdbLines {
    fn read_line(&mut self, line: &str, profile: &mut ProfileBuilder) -> LineResult {
        let line = line.trim_end();
        if line.starts_with("Thread ") && line.ends_with(':') {
            let end = self.end_stack(profile);
            let name = line.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
            self.thread =
                Some(name.map_or_else(|| UNNAMED.to_owned(), |(name, _)| name.replace(';', ":")));
            return end;
        }
        if line.starts_with("Backtrace stopped:") {
            profile.notes.incomplete_stacks += 1;
            return LineResult::Ignored;
        }
        let Some((number, frame)) = line.strip_prefix('#').and_then(|rest| rest.split_once(' '))
        else {
            return LineResult::Ignored;
        };
        let Ok(number) = number.parse::<usize>() else {
            return LineResult::Unreadable("has no number of a frame behind its #");
        };
        let end = if number == 0 { self.end_stack(profile) } else { LineResult::Ignored };
        if number != self.frames.len() {
            return LineResult::Unreadable("is not the next frame of its stack");
        }
        self.frames.push(function_name(frame.trim_start()));
        end
    }

    /// gdb ends no stack, so the last one may lack its outer frames.
    fn finish(&mut self, profile: &mut ProfileBuilder) -> LineResult {
        self.end_stack(profile)
    }
}

impl GdbLines {
    fn end_stack(&mut self, profile: &mut ProfileBuilder) -> LineResult {
        if self.frames.is_empty() {
            return LineResult::Ignored;
        }
        let frames = std::mem::take(&mut self.frames);
        let stack = self.thread.iter().chain(frames.iter().rev());
        match profile.add(stack.map(String::as_str), 1, 1) {
            true => LineResult::Read,
            false => LineResult::TooHeavy,
        }
    }
}

/// The function of `0x00007f3a in poll (fds=0x7ffe, nfds=1) at ../sysdeps/poll.c:29`.
fn function_name(frame: &str) -> String {
    let address = frame.strip_prefix("0x").and_then(|rest| rest.split_once(" in "));
    let is_hexadecimal = |text: &str| text.bytes().all(|it| it.is_ascii_hexdigit());
    let called =
        address.filter(|(digits, _)| is_hexadecimal(digits)).map_or(frame, |(_, rest)| rest);
    match before_arguments(called) {
        "??" => "[unknown]".to_owned(),
        name => name.replace(';', ":"),
    }
}

/// The arguments begin at the first ` (` that is in no bracket: `<(A, B) as Trait>::f (self=0x1)`.
fn before_arguments(called: &str) -> &str {
    let mut depth = 0_i32;
    let mut before = ' ';
    for (place, character) in called.char_indices() {
        match character {
            '(' if depth <= 0 && before == ' ' && place > 0 => return called[..place].trim_end(),
            '<' | '{' | '[' | '(' => depth += 1,
            // The arrow of `fn(u8) -> u8` closes nothing.
            '>' if before == '-' => {}
            '>' | '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        before = character;
    }
    called
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_what_is_before_its_arguments() {
        let cases = [
            ("0x00007f3a in poll (fds=0x7, nfds=1) at a.c:29", "poll"),
            ("main () at a.rs:1", "main"),
            (
                "<(A, B) as c::D<fn(u8) -> u8>>::e<(u8, u8)> (self=...)",
                "<(A, B) as c::D<fn(u8) -> u8>>::e<(u8, u8)>",
            ),
            (
                "core::ops::FnOnce::call_once{{vtable.shim}} () at b.rs:2",
                "core::ops::FnOnce::call_once{{vtable.shim}}",
            ),
            ("(anonymous namespace)::f (x=1)", "(anonymous namespace)::f"),
            ("0x0000000000000000 in ?? ()", "[unknown]"),
            ("<signal handler called>", "<signal handler called>"),
        ];
        for (frame, name) in cases {
            assert_eq!(function_name(frame), name, "{frame}");
        }
    }
}
