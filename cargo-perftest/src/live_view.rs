//! How far a test runner is, on the last line of a terminal, below what the runner prints.

use crate::cargo::cannot_start;
use crate::exit::Result;
use crate::report::can_redraw;
use indicatif::{ProgressBar, ProgressStyle};
use perftest_process::TestOutcome;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Time between two looks. Tests measure meanwhile: a look costs some microseconds.
const LOOK: Duration = Duration::from_millis(250);
/// Longest wait for the last lines of a runner that has ended: a body may have left a process behind
/// that keeps its output open.
const LAST_LINES: Duration = Duration::from_secs(2);
const READ: usize = 8 << 10;

/// Where the lines that a runner prints on its standard output are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownOn {
    Stdout,
    /// Programs read standard output, and get nothing but answers.
    Stderr,
}

/// Whether the runner must be asked for colours, because it prints into a pipe of ours.
pub(crate) fn is_coloured() -> bool {
    can_redraw() && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Starts the runner of so many tests and waits for its end. Shows whole lines of its output as they come,
/// and on a terminal below them how many tests have ended, by the file of `outcomes`.
///
/// Where the reader of the output goes away, as in `| head`, the tests go on: some runners would fail then.
pub(crate) fn run_shown(
    runner: &mut Command,
    tests: usize,
    outcomes: &Path,
    shown_on: ShownOn,
) -> Result<ExitStatus> {
    let is_watched = can_redraw();
    // A terminal does not go away, and without progress the runner may write to it.
    let is_given = |is_terminal: bool| !is_watched && is_terminal;
    let (given_stdout, given_stderr) =
        (is_given(io::stdout().is_terminal()), is_given(io::stderr().is_terminal()));
    runner.stdout(match shown_on {
        ShownOn::Stdout if given_stdout => Stdio::inherit(),
        ShownOn::Stderr if given_stderr => io::stderr().into(),
        ShownOn::Stdout | ShownOn::Stderr => Stdio::piped(),
    });
    runner.stderr(if given_stderr { Stdio::inherit() } else { Stdio::piped() });
    let mut child = runner.spawn().map_err(|error| cannot_start(&error))?;
    let bar = if is_watched { progress_bar(tests) } else { ProgressBar::hidden() };
    let stdout = child.stdout.take().map(|stdout| match shown_on {
        ShownOn::Stdout => pass_on(stdout, io::stdout(), &bar),
        ShownOn::Stderr => pass_on(stdout, io::stderr(), &bar),
    });
    let stderr = child.stderr.take().map(|stderr| pass_on(stderr, io::stderr(), &bar));
    let is_over = Arc::new(AtomicBool::new(false));
    let follower = follow(OutcomeTail::new(outcomes), bar.clone(), Arc::clone(&is_over));
    let status = child.wait();
    is_over.store(true, Ordering::Relaxed);
    wait_for_last_lines([stdout, stderr].into_iter().flatten());
    // It never panics.
    let _ = follower.join();
    bar.finish_and_clear();
    status.map_err(|error| cannot_start(&error))
}

fn progress_bar(tests: usize) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(tests).unwrap_or(u64::MAX));
    let template = "[{bar:20}] {pos}/{len} tests {wide_msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.tick();
    bar
}

/// Copies whole lines, so that none is torn by the bar.
fn pass_on(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    bar: &ProgressBar,
) -> JoinHandle<()> {
    let bar = bar.clone();
    thread::spawn(move || {
        let (mut pending, mut read) = (Vec::new(), vec![0; READ]);
        // Output that cannot be read any more has ended. Where what is shown has no reader, the runner goes on.
        while let Ok(count @ 1..) = from.read(&mut read) {
            pending.extend_from_slice(&read[..count]);
            if let Some(end) = pending.iter().rposition(|byte| *byte == b'\n') {
                let lines: Vec<u8> = pending.drain(..=end).collect();
                bar.suspend(|| to.write_all(&lines).and_then(|()| to.flush())).ok();
            }
        }
        bar.suspend(|| to.write_all(&pending).and_then(|()| to.flush())).ok();
    })
}

/// Moves the bar with every test that has ended, until the runner has.
fn follow(mut tail: OutcomeTail, bar: ProgressBar, is_over: Arc<AtomicBool>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut counts = EndedCounts::default();
        while !is_over.load(Ordering::Relaxed) {
            let ended = tail.read();
            ended.iter().for_each(|outcome| counts.add(outcome));
            if !ended.is_empty() {
                bar.set_message(counts.in_words());
                bar.set_position(counts.ended);
            }
            thread::sleep(LOOK);
        }
    })
}

fn wait_for_last_lines(readers: impl Iterator<Item = JoinHandle<()>>) {
    let deadline = Instant::now() + LAST_LINES;
    for reader in readers {
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// How many tests have ended, and the newest one.
#[derive(Debug, Default)]
struct EndedCounts {
    ended: u64,
    failed: u64,
    newest: String,
}

impl EndedCounts {
    fn add(&mut self, outcome: &TestOutcome) {
        self.ended += 1;
        self.failed += u64::from(outcome.has_failed);
        self.newest = perftest_core::words::one_line(outcome.benchmark.as_str()).into_owned();
    }

    fn in_words(&self) -> String {
        match (self.ended, self.failed) {
            (0, _) => String::new(),
            (_, 0) => format!("- {}", self.newest),
            (_, failed) => format!("- {failed} failed - {}", self.newest),
        }
    }
}

/// A file of outcomes, read as it grows.
#[derive(Debug)]
struct OutcomeTail {
    path: PathBuf,
    /// Bytes that were read.
    read: u64,
    /// The beginning of a line whose end is not written yet.
    pending: Vec<u8>,
}

impl OutcomeTail {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), read: 0, pending: Vec::new() }
    }

    /// The outcomes that were added since the last call; none while the file cannot be read.
    fn read(&mut self) -> Vec<TestOutcome> {
        let has_grown = self.path.metadata().is_ok_and(|it| it.len() > self.read);
        if has_grown && let Ok(mut file) = File::open(&self.path) {
            let mut bytes = Vec::new();
            let read =
                file.seek(SeekFrom::Start(self.read)).and_then(|_| file.read_to_end(&mut bytes));
            if read.is_ok() {
                self.read += bytes.len() as u64;
                self.pending.extend(bytes);
            }
        }
        let whole = self.pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.pending.drain(..whole).collect();
        String::from_utf8_lossy(&lines).lines().filter_map(TestOutcome::of_line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ended_test::EndedTest;
    use perftest_core::model::Reason;
    use std::fs;

    fn outcome(name: &str, reason: Reason) -> TestOutcome {
        EndedTest::judged(name, Some(reason), None).outcome.unwrap()
    }

    #[test]
    fn outcomes_are_read_once_each_as_the_file_grows() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("outcomes");
        let mut tail = OutcomeTail::new(&path);
        assert_eq!(tail.read(), []);
        let [one, other] = [outcome("a", Reason::Green), outcome("b", Reason::Red)];
        one.append_to(&path).unwrap();
        assert_eq!(tail.read(), [one]);
        assert_eq!(tail.read(), []);
        other.append_to(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        // A line that is written in two parts counts when it is whole.
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        assert_eq!(tail.read(), []);
        fs::write(&path, &text).unwrap();
        assert_eq!(tail.read(), [other]);
    }

    #[test]
    fn the_line_counts_what_failed_and_names_the_newest() {
        let mut counts = EndedCounts::default();
        assert_eq!(counts.in_words(), "");
        counts.add(&outcome("a", Reason::Green));
        assert_eq!((counts.ended, counts.in_words().as_str()), (1, "- a"));
        counts.add(&outcome("b\n\u{1b}[2Jc", Reason::Red));
        assert_eq!(counts.in_words(), "- 1 failed - b [2Jc");
    }

    /// Remembers each piece that is written.
    #[derive(Clone, Default)]
    struct Pieces(Arc<std::sync::Mutex<Vec<String>>>);

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_passed_on_whole_and_the_last_one_without_its_end() {
        /// Gives a few bytes at a time.
        struct Drops(&'static [u8]);
        impl Read for Drops {
            fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(4);
                room[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let pieces = Pieces::default();
        let text = b"test a ... ok\ntest b ... FAILED\nhalf";
        pass_on(Drops(text), pieces.clone(), &ProgressBar::hidden()).join().unwrap();
        let written = pieces.0.lock().unwrap().clone();
        assert_eq!(written, ["test a ... ok\n", "test b ... FAILED\n", "half"]);
    }
}
