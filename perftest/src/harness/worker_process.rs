//! A fresh process of a test executable that measures one test for us.

use crate::config::WORKER;
use perftest_core::model::Measurement;
use perftest_store::protocol::{FromParent, FromWorker, Line};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Time for the process to start, build its input and warm up, besides the measurements.
const STARTING: Duration = Duration::from_secs(60);

/// A worker process. Killed when dropped, if it still runs.
pub(crate) struct WorkerProcess {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Result<FromWorker, String>>,
}

impl WorkerProcess {
    /// Starts a test executable for the test of this name, in our own directory and environment.
    ///
    /// # Errors
    /// A message when it cannot be started.
    pub(crate) fn start(executable: &Path, test: &str) -> Result<Self, String> {
        let mut child = Command::new(executable)
            .args([test, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"])
            .env(WORKER, test)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("a fresh process could not be started: {error}"))?;
        let (requests, output) = (child.stdin.take(), child.stdout.take());
        let (Some(requests), Some(output)) = (requests, output) else {
            return Err("a fresh process has no pipes to talk through".to_owned());
        };
        Ok(Self { child, requests, answers: answers_of(output) })
    }

    /// Lets the worker take `count` measurements of `iterations` each, which may take `longest`
    /// besides the time for starting. May be called again.
    ///
    /// # Errors
    /// A message when the worker fails, ends, hangs or speaks another version.
    pub(crate) fn measure(
        &mut self,
        count: u32,
        iterations: u64,
        longest: Duration,
    ) -> Result<Vec<Measurement>, String> {
        let request = FromParent::Measure { count, iterations: Some(iterations) };
        self.send(&request)?;
        let mut measurements = Vec::new();
        while measurements.len() < count as usize {
            match self.answer(STARTING + longest)? {
                FromWorker::Measured(measurement) => measurements.push(measurement),
                FromWorker::Hello { .. } => {}
                FromWorker::Failed { why } => return Err(format!("in a fresh process {why}")),
                FromWorker::Bye => return Err(self.ended()),
            }
        }
        Ok(measurements)
    }

    /// Lets the worker end by itself, for a moment; else it is ended.
    pub(crate) fn end(mut self) {
        if self.send(&FromParent::Bye).is_err() {
            return;
        }
        while let Ok(message) = self.answer(Duration::from_secs(2)) {
            if message == FromWorker::Bye {
                break;
            }
        }
    }

    fn send(&mut self, message: &FromParent) -> Result<(), String> {
        let sent = self.requests.write_all(message.encode().as_bytes());
        sent.and_then(|()| self.requests.flush()).map_err(|_| self.ended())
    }

    fn answer(&mut self, longest: Duration) -> Result<FromWorker, String> {
        match self.answers.recv_timeout(longest) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("a fresh process gave no answer for {} s", longest.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> String {
        match self.child.wait() {
            Ok(status) => format!("a fresh process ended too early ({status})"),
            Err(error) => format!("a fresh process ended too early ({error})"),
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the worker's lines as they come; what the body itself prints is passed over.
fn answers_of(output: ChildStdout) -> Receiver<Result<FromWorker, String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let answer = match FromWorker::decode(&String::from_utf8_lossy(&line)) {
                Ok(Line::Stray) => continue,
                Ok(Line::Message(message)) => Ok(message),
                Err(error) => Err(error.to_string()),
            };
            if sender.send(answer).is_err() {
                break;
            }
        }
    });
    receiver
}
