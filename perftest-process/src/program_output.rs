//! The output of a program, with a limit on the wait.

use crate::reader_thread::{TextReceiver, start_reader};
use perftest_store::WaitedTime;
use std::io::Read;
#[cfg(any(test, feature = "tool"))]
use std::ops::Range;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Time for a process to end after its work.
pub(crate) const ENDING: Duration = Duration::from_secs(2);

/// A program that closed its output ends within some tens of microseconds; one that does not is looked at less often.
const FIRST_LOOK: Duration = Duration::from_micros(50);
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

/// The end of a program.
pub(crate) struct ProgramOutput {
    /// Its standard output.
    pub text: String,
    /// Its status; `None` if it closed its standard output without ending, and was killed.
    pub status: Option<ExitStatus>,
}

#[cfg(any(test, feature = "tool"))]
impl ProgramOutput {
    /// Returns whether a signal or an exception of Windows ended the program, or the loader could not start it.
    pub(crate) fn has_crashed(&self) -> bool {
        self.status.is_some_and(|status| status.code().is_none_or(|code| self.is_of_crash(code)))
    }

    fn is_of_crash(&self, code: i32) -> bool {
        const OF_LOADER: i32 = 127;
        /// The codes of errors that Windows reports, as for a library that is missing. A program may end with -1 itself.
        const EXCEPTIONS: Range<u32> = 0xC000_0000..0xD000_0000;
        let is_exception = EXCEPTIONS.contains(&code.cast_unsigned());
        is_exception || (code == OF_LOADER && self.text.is_empty())
    }
}

/// Runs a program without input. Returns `None` if its standard output is still open after
/// `longest`, and kills the program.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn program_output(
    command: &mut Command,
    longest: Duration,
) -> std::io::Result<Option<ProgramOutput>> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let text = child.stdout.take().and_then(|it| all_text_of(it).wait(longest).ok());
    let status = wait_at_most(&mut child, if text.is_some() { ENDING } else { Duration::ZERO });
    // A process that had not ended was killed.
    let _ = child.wait();
    Ok(text.map(|text| ProgramOutput { text, status }))
}

/// Sends the text of a stream when it ends. A new thread reads the stream, so its writer never
/// waits.
pub(crate) fn all_text_of(mut stream: impl Read + Send + 'static) -> TextReceiver {
    start_reader(Box::new(move |sender| {
        let mut bytes = Vec::new();
        // The bytes so far count, however the stream ends.
        let _ = stream.read_to_end(&mut bytes);
        sender.send(String::from_utf8_lossy(&bytes).into_owned());
    }))
}

/// Returns the status of a process. Kills it after `longest` of [`WaitedTime`], and then returns `None`. The last look is
/// behind that time: a process that has ended by then is not killed.
pub fn wait_at_most(child: &mut Child, longest: Duration) -> Option<ExitStatus> {
    let mut waited = WaitedTime::start();
    let mut pause = FIRST_LOOK;
    loop {
        let is_over = waited.until_now() >= longest;
        match child.try_wait() {
            Ok(None) if is_over => {
                let _ = child.kill();
                return None;
            }
            Ok(None) => {
                std::thread::sleep(pause);
                pause = (2 * pause).min(BETWEEN_LOOKS);
            }
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_signal_and_a_refusal_of_the_loader_are_crashes_and_another_failure_is_none() {
        let has_crashed = |script: &str| {
            let mut command = Command::new("sh");
            let output = program_output(command.args(["-c", script]), Duration::from_secs(60));
            output.unwrap().unwrap().has_crashed()
        };
        assert!(has_crashed("kill -KILL $$") && has_crashed("exit 127"));
        assert!(!has_crashed("exit 2") && !has_crashed("echo tests; exit 127"));
    }

    #[test]
    #[cfg(unix)]
    fn a_process_that_has_ended_is_not_killed_however_late_it_is_looked_at() {
        let start = |script: &str| Command::new("sh").args(["-c", script]).spawn().unwrap();
        let mut ended = start("exit 3");
        ended.wait().unwrap();
        let status = wait_at_most(&mut ended, Duration::ZERO);
        assert_eq!(status.and_then(|it| it.code()), Some(3));
        let mut running = start("exec sleep 600");
        assert_eq!(wait_at_most(&mut running, Duration::ZERO), None);
        assert_eq!(running.wait().unwrap().code(), None, "it was killed");
    }

    #[test]
    fn an_exception_of_windows_is_a_crash() {
        let output = ProgramOutput { text: "a: test".to_owned(), status: None };
        // STATUS_ACCESS_VIOLATION and STATUS_DLL_NOT_FOUND.
        for code in [0xC000_0005_u32, 0xC000_0135] {
            assert!(output.is_of_crash(code.cast_signed()), "{code:x}");
        }
        assert!([0, 1, 101, 255, -1].iter().all(|code| !output.is_of_crash(*code)));
    }
}
