//! What a program prints, waited for no longer than is granted.

use crate::reader_thread::start_reader;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// Time for a process that has nothing left to do.
pub(crate) const ENDING: Duration = Duration::from_secs(2);

const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// How a program ended that was waited for.
pub(crate) struct ProgramOutput {
    /// Its standard output.
    pub text: String,
    /// Its status; `None` when it closed its standard output and did not end: it was killed then.
    pub status: Option<ExitStatus>,
}

/// Runs a program without input. `None` when its standard output was still open after `longest`: the
/// program is killed then.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn program_output(
    command: &mut Command,
    longest: Duration,
) -> std::io::Result<Option<ProgramOutput>> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let text = child.stdout.take().and_then(|it| all_text_of(it).recv_timeout(longest).ok());
    let status = wait_at_most(&mut child, if text.is_some() { ENDING } else { Duration::ZERO });
    // It was killed if it had not ended.
    let _ = child.wait();
    Ok(text.map(|text| ProgramOutput { text, status }))
}

/// The text of a stream, once it ends.
pub(crate) fn all_text_of(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    start_reader(Box::new(move |sender| {
        let mut bytes = Vec::new();
        // What was printed counts, however the stream ends.
        let _ = stream.read_to_end(&mut bytes);
        // Nobody may be waiting any more.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    }))
}

/// The status of a process; one that has not ended after `longest` is killed and has none.
pub(crate) fn wait_at_most(child: &mut Child, longest: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + longest;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(BETWEEN_LOOKS),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
    let _ = child.kill();
    None
}
