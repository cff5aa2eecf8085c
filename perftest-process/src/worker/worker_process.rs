//! A fresh process of a test executable that measures one test for us.

use super::handshake::start_in_mode;
use super::message::read_message;
use super::protocol::{FromParent, FromWorker, WORKER_VARIABLE};
use crate::last_lines::LastLines;
use crate::program_output::{ENDING, wait_at_most};
use crate::reader_thread::{TextReceiver, start_reader};
use perftest_core::model::{ProcessRecord, Take};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Longest message. A longer line belongs to the body, and is skipped in pieces.
const LONGEST_LINE: u64 = 1 << 20;
/// The command for a worker process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The test executable.
    pub executable: PathBuf,
    /// The working directory of its tests.
    pub directory: PathBuf,
    /// The name of the test in the executable's list.
    pub test: String,
    /// The names of ordinary tests, one of which runs it in an executable of the usual harness.
    pub ordinary: Vec<String>,
    /// Test threads of the usual harness. With one it calls the test on the main thread, with more
    /// on a separate thread: a worker measures on the same kind of thread as the test.
    pub test_threads: u16,
    /// Further variables beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// Longest time to start, and then to build the input and warm up.
    pub longest_start: Duration,
}

impl WorkerCommand {
    /// The default of [`longest_start`](Self::longest_start).
    pub const LONGEST_START: Duration = Duration::from_secs(60);

    /// Builds the command. A `launcher`, a program with arguments, starts the process if it is not
    /// empty.
    pub(crate) fn under(&self, launcher: &[&str]) -> Command {
        let executable = self.executable.as_os_str();
        let mut words = launcher.iter().map(OsStr::new).chain([executable]);
        let mut command = Command::new(words.next().unwrap_or(executable));
        command
            .args(words)
            .args(&self.ordinary)
            .args(["--exact", "--include-ignored", "--nocapture"])
            .arg(format!("--test-threads={}", self.test_threads))
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        start_in_mode(&mut command, WORKER_VARIABLE, &self.test);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A worker process that is ready to measure. Dropping this kills it if it still runs.
///
/// After an error the worker cannot be used any more.
#[derive(Debug)]
pub struct WorkerProcess {
    channel: WorkerChannel,
    tuned_iterations: u64,
    takes: Vec<Take>,
}

impl WorkerProcess {
    /// Starts the process and waits until the test is warm.
    ///
    /// # Errors
    /// A message when the process cannot be started, fails, ends, hangs or has another version.
    pub fn start(command: &WorkerCommand) -> Result<Self, String> {
        let mut channel = WorkerChannel::greeted(command.under(&[]), command)?;
        let tuned_iterations = channel.prepared(command.longest_start)?;
        Ok(Self { channel, tuned_iterations, takes: Vec::new() })
    }

    /// Iterations of a batch of the usual length here.
    pub fn tuned_iterations(&self) -> u64 {
        self.tuned_iterations
    }

    /// Takes `count` more measurements of `iterations` each; `None` means the tuned number. Each
    /// may take `longest`.
    ///
    /// # Errors
    /// A message when the worker fails, ends, hangs or sends an unexpected message.
    pub fn measure(
        &mut self,
        count: u32,
        iterations: Option<u64>,
        longest: Duration,
    ) -> Result<(), String> {
        self.channel.send(&FromParent::Measure { count, iterations })?;
        for _ in 0..count {
            match self.channel.answer(longest)? {
                FromWorker::Measured(take) => self.takes.push(*take),
                other => return Err(out_of_turn(&other)),
            }
        }
        Ok(())
    }

    /// Iterations of the newest measurement: fewer than requested where the routine allows no more.
    pub(super) fn newest_iterations(&self) -> Option<u64> {
        self.takes.last().map(|take| take.measurement.iterations)
    }

    /// Lets the body end, which may take `longest`, and returns the measurements and the values of
    /// the whole process.
    ///
    /// # Errors
    /// A message when the rest of the body fails, ends the process, hangs or sends an unexpected
    /// message.
    pub fn end(mut self, longest: Duration) -> Result<ProcessRecord, String> {
        self.channel.send(&FromParent::Bye)?;
        match self.channel.answer(longest)? {
            FromWorker::Bye { values } => Ok(ProcessRecord { takes: self.takes, values }),
            other => Err(out_of_turn(&other)),
        }
    }
}

pub(crate) fn out_of_turn(message: &FromWorker) -> String {
    let said = match message {
        FromWorker::Hello { .. } => "began again",
        FromWorker::Prepared { .. } => "was ready again",
        FromWorker::Measured(_) => "measured without being asked",
        FromWorker::Counted { .. } => "counted without being asked",
        FromWorker::Sampled(_) => "took samples without being asked",
        FromWorker::Failed { why } => return format!("in a fresh process {why}"),
        FromWorker::Bye { .. } => "ended before it was asked to",
    };
    format!("a fresh process {said}")
}

/// A process and its two streams.
#[derive(Debug)]
pub(crate) struct WorkerChannel {
    /// The test of the worker, for messages.
    test: String,
    child: Child,
    requests: ChildStdin,
    /// Lines that are messages.
    answers: TextReceiver,
    last_lines: LastLines,
}

impl WorkerChannel {
    /// Starts a worker as `process`, and waits until it has found its test.
    pub(crate) fn greeted(process: Command, command: &WorkerCommand) -> Result<Self, String> {
        let mut channel = Self::open(process, &command.test)?;
        match channel.answer(command.longest_start)? {
            FromWorker::Hello { .. } => Ok(channel),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Waits until the test is warm, which may take `longest`. Returns the iterations of a batch of the usual length.
    pub(crate) fn prepared(&mut self, longest: Duration) -> Result<u64, String> {
        match self.answer(longest)? {
            FromWorker::Prepared { iterations } => Ok(iterations),
            other => Err(out_of_turn(&other)),
        }
    }

    /// Starts the worker process of `test`.
    fn open(mut command: Command, test: &str) -> Result<Self, String> {
        let mut child = command.spawn().map_err(|error| {
            let program = command.get_program().display();
            format!("a fresh process of `{program}` could not be started: {error}")
        })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(requests), Some(output), Some(errors)) = pipes else {
            return Err("a fresh process has no pipes to talk through".to_owned());
        };
        let (answers, last_lines) = (answers_of(output), LastLines::of(errors));
        Ok(Self { test: test.to_owned(), child, requests, answers, last_lines })
    }

    pub(crate) fn send(&mut self, message: &FromParent) -> Result<(), String> {
        let sent = self.requests.write_all(message.encode().as_bytes());
        sent.and_then(|()| self.requests.flush()).map_err(|_| {
            // The process may have sent its reason before it ended.
            let answer = self.answer(ENDING);
            answer.map_or_else(|why| why, |message| out_of_turn(&message))
        })
    }

    /// Waits for the next message, which may take `longest`.
    pub(crate) fn answer(&mut self, longest: Duration) -> Result<FromWorker, String> {
        match self.answers.wait(longest) {
            Ok(line) => match FromWorker::decode(&line) {
                Ok(Some(message)) => Ok(message),
                Ok(None) => self.answer(longest),
                Err(error) => Err(error.to_string()),
            },
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "a fresh process of `{}` gave no answer for {:.1} s and was ended",
                self.test,
                longest.as_secs_f64()
            )),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// Lets the process end by itself, and returns the last lines of its standard error.
    pub(crate) fn finish(mut self, longest: Duration) -> Result<String, String> {
        self.send(&FromParent::Bye)?;
        match wait_at_most(&mut self.child, longest) {
            Some(status) if status.success() => Ok(self.last_words()),
            _ => Err(self.ended()),
        }
    }

    /// Describes a process that is gone, or will be in a moment.
    fn ended(&mut self) -> String {
        let how = match wait_at_most(&mut self.child, ENDING) {
            Some(status) => format!("a fresh process ended too early ({status})"),
            None => "a fresh process closed its standard output and did not end".to_owned(),
        };
        match self.last_words() {
            words if words.is_empty() => how,
            words => format!("{how}; its last words:\n{words}"),
        }
    }

    /// Returns the last lines of its standard error when it has ended. Empty if a remaining child
    /// of it still holds the stream.
    fn last_words(&self) -> String {
        self.last_lines.wait(Duration::from_millis(500))
    }
}

impl Drop for WorkerChannel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the worker's messages as they arrive, and skips output of the body.
fn answers_of(output: ChildStdout) -> TextReceiver {
    start_reader(Box::new(move |sender| {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        while let Ok(1..) = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            let text = String::from_utf8_lossy(&line);
            let is_stray = matches!(read_message(&text), Ok(None));
            if !is_stray && !sender.send(text.into_owned()) {
                break;
            }
            line.clear();
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LIST_VARIABLE;
    use crate::protocol::{COUNTING_VARIABLE, PROGRAMS_VARIABLE, RIVAL_VARIABLE, SAMPLES_VARIABLE};

    fn worker() -> WorkerCommand {
        WorkerCommand {
            executable: PathBuf::from("test"),
            directory: PathBuf::new(),
            test: "a".to_owned(),
            ordinary: vec!["a".to_owned(), "a::_64".to_owned()],
            test_threads: 1,
            environment: vec![("MINE".into(), "1".into())],
            longest_start: WorkerCommand::LONGEST_START,
        }
    }

    #[test]
    fn a_worker_gets_every_name_that_its_ordinary_test_may_have() {
        let command = worker().under(&[]);
        let names: Vec<&OsStr> = command.get_args().take_while(|it| *it != "--exact").collect();
        assert_eq!(names, ["a", "a::_64"]);
    }

    #[test]
    fn an_order_that_stands_in_the_environment_by_accident_does_not_reach_a_worker() {
        let command = worker().under(&[]);
        let value = |name: &str| command.get_envs().find(|(key, _)| *key == OsStr::new(name));
        let others =
            [LIST_VARIABLE, COUNTING_VARIABLE, RIVAL_VARIABLE, SAMPLES_VARIABLE, PROGRAMS_VARIABLE];
        for name in others {
            assert_eq!(value(name), Some((OsStr::new(name), None)));
        }
        assert_eq!(value("MINE"), Some((OsStr::new("MINE"), Some(OsStr::new("1")))));
        assert_eq!(
            value(WORKER_VARIABLE),
            Some((OsStr::new(WORKER_VARIABLE), Some(OsStr::new("a"))))
        );
    }
}
