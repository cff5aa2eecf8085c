//! valgrind as a counter of instructions: it executes a program itself, and needs no counter of the
//! processor.

use crate::program_output::program_output;
use perftest_core::text::Text;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

/// Longest time of `valgrind --version`.
const LONGEST_VERSION: Duration = Duration::from_secs(20);

/// The command that starts valgrind: cachegrind without its caches counts each instruction, and is
/// the fastest tool that does. It writes no file.
pub(crate) const VALGRIND: &[&str] = &[
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
    "--vgdb=no",
];

/// Returns the answer of `valgrind --version`: `valgrind-3.24.0`.
///
/// # Errors
/// A message when valgrind is missing, with the way to get it.
pub fn valgrind_version() -> Result<String, String> {
    match program_output(Command::new(VALGRIND[0]).arg("--version"), LONGEST_VERSION) {
        Ok(Some(output)) if output.status.is_some_and(|status| status.success()) => {
            Ok(output.text.trim().to_owned())
        }
        Ok(Some(output)) => {
            let status = output.status.map_or("it did not end".to_owned(), |it| it.to_string());
            Err(format!("valgrind does not run ({status})"))
        }
        Ok(None) => {
            let seconds = LONGEST_VERSION.as_secs();
            Err(format!("`valgrind --version` did not end within {seconds} s"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err("valgrind is not installed; most systems have a package `valgrind`".to_owned())
        }
        Err(error) => Err(format!("valgrind does not run: {error}")),
    }
}

/// Returns the instructions of a process from its start to its end, read from valgrind's final
/// output. `None` if the count is missing.
///
/// ```text
/// ==9466== I   refs:      309,482
/// ```
pub(crate) fn instructions_in(last_words: &str) -> Option<u64> {
    let count = |line: &str| {
        // Other lines on standard error come from the program.
        let said = line.trim().strip_prefix("==")?.cut_at("==")?.1;
        let (name, count) = said.cut(':')?;
        let is_total = name.words().eq(["I", "refs"]);
        is_total.then(|| count.trim().replaced(",", "").parse().ok())?
    };
    last_words.lines().rev().find_map(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_as_older_and_newer_versions_write_it() {
        let older = "==9466== Command: ./a 1000\n==9466== \n==9466== I   refs:      350,302,544\n";
        assert_eq!(instructions_in(older), Some(350_302_544));
        assert_eq!(instructions_in("==7== \n==7== I refs:        309,482\n"), Some(309_482));
    }

    #[test]
    fn what_the_program_prints_is_no_total() {
        for other in [
            "",
            "I   refs:      1,000",
            "==1== D   refs:      1,000",
            "==1== LLi misses:    1,000",
            "==1== I   refs:",
            "==1== I   refs:      many",
            "==1",
        ] {
            assert_eq!(instructions_in(other), None, "{other}");
        }
        let beside = "==1== I refs: 12\nI refs: 1,000\n==1== I wonder: 3\n";
        assert_eq!(instructions_in(beside), Some(12));
    }
}
