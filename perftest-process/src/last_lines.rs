//! The last lines of a process on standard error.

use crate::reader_thread::{TextReceiver, start_reader};
use perftest_core::list::IntoList;
use perftest_core::text::Text;
use std::io::Read;
use std::time::Duration;

/// Bytes that are kept from the end of the stream: room for the frames of a full backtrace, which are not shown.
const KEPT_BYTES: usize = 64 << 10;
/// Bytes that are read at once.
const READ_BYTES: usize = 4096;
/// Most lines that are shown.
const SHOWN_LINES: usize = 5;

/// The last lines of a stream. A thread reads the stream, so its writer never waits.
#[derive(Debug)]
pub struct LastLines {
    lines: TextReceiver,
}

impl LastLines {
    /// Starts to read on a new thread, until the stream ends.
    pub fn of(mut stream: impl Read + Send + 'static) -> Self {
        let lines = start_reader(Box::new(move |sender| {
            let (mut tail, mut buffer) = (Vec::new(), [0; READ_BYTES]);
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                tail.extend_from_slice(&buffer[..count]);
                tail.drain(..tail.len().saturating_sub(KEPT_BYTES));
            }
            sender.send(last_lines(&String::from_utf8_lossy(&tail)));
        }));
        Self { lines }
    }

    /// Returns the last lines that are not blank. Empty if there are none, or if the stream is
    /// still open after `longest`.
    pub fn wait(&self, longest: Duration) -> String {
        self.lines.wait(longest).unwrap_or_default()
    }
}

/// Returns the last lines without the frames of a panic, which stand below its message.
fn last_lines(text: &str) -> String {
    let mut is_in_frames = false;
    let is_shown = |line: &&str| {
        let is_below = is_in_frames && (line.starts_with(' ') || line.starts_with("note: "));
        is_in_frames = is_below || *line == "stack backtrace:";
        !is_in_frames && !line.trim().is_empty()
    };
    let lines: Vec<&str> = text.each_line().filter(is_shown).into_list();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].iter().joined("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_kept_and_blank_ones_are_none() {
        let printed = (0..9_000).map(|line| format!("{line}\n\n")).collect::<String>();
        let lines = LastLines::of(std::io::Cursor::new(printed));
        assert_eq!(lines.wait(Duration::from_secs(60)), "8995\n8996\n8997\n8998\n8999");
    }

    #[test]
    fn a_panic_is_shown_with_its_message_and_without_its_frames() {
        let printed = "thread 'main' panicked at tests/perf.rs:123:5:\nno server\nstack backtrace:\n   0: a::b\n   \
                       \x20          at ./a.rs:1:2\n   1: c\n   2: d\n   3: e\nnote: Some details are omitted.\n";
        let expected = "thread 'main' panicked at tests/perf.rs:123:5:\nno server";
        assert_eq!(last_lines(printed), expected);
        assert_eq!(
            last_lines(&format!("{printed}then it died\n")),
            format!("{expected}\nthen it died")
        );
    }

    #[test]
    fn a_panic_is_shown_with_its_message_however_many_frames_are_below_it() {
        let frames = "   0: some::function::of::the::standard::library\n".repeat(500);
        let printed = format!("thread 'main' panicked:\nno server\nstack backtrace:\n{frames}");
        let lines = LastLines::of(std::io::Cursor::new(printed));
        assert_eq!(lines.wait(Duration::from_secs(60)), "thread 'main' panicked:\nno server");
    }
}
