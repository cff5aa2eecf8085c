//! The perf tests of an executable, which the tool asks for.

use super::handshake::{LIST_VARIABLE, start_in_mode};
use super::listed_test::ListedTest;
use super::message::{ProtocolError, read_message, unknown_message};
use crate::program_output::program_output;
use perftest_core::model::BenchmarkId;
use std::process::Command;
use std::time::Duration;

impl ListedTest {
    /// Returns the perf tests of the executable that `command` starts; may be empty.
    ///
    /// # Errors
    /// A message when it cannot be started, crashes, does not end within `longest`, or reports an error. Another
    /// failure is no error: a test target without perf tests need not know the question.
    pub fn ask(mut command: Command, longest: Duration) -> Result<Vec<Self>, String> {
        let name = command.get_program().display().to_string();
        command.args(["--list", "--format", "terse"]);
        start_in_mode(&mut command, LIST_VARIABLE, "1");
        match program_output(&mut command, longest) {
            Ok(Some(output)) if output.has_crashed() => Err(format!(
                "`{name}` crashed when it was to list its tests: run it with --list; a shared library that is not \
                 found needs LD_LIBRARY_PATH"
            )),
            Ok(Some(output)) => Self::all_in(&output.text),
            Ok(None) => {
                let seconds = longest.as_secs_f64();
                Err(format!("`{name}` was to list its tests and did not end within {seconds:.1} s"))
            }
            Err(error) => Err(format!("`{name}` could not be started: {error}")),
        }
    }

    fn all_in(text: &str) -> Result<Vec<Self>, String> {
        let decoded = text.lines().filter_map(|line| Self::decode(line).transpose());
        decoded.map(|test| test.map_err(|error| error.to_string())).collect()
    }

    /// Decodes one line, with or without its end. `None` for other output.
    ///
    /// # Errors
    /// When the line is a message of another version or an incomplete one.
    pub fn decode(line: &str) -> Result<Option<Self>, ProtocolError> {
        let Some((kind, fields)) = read_message(line)? else {
            return Ok(None);
        };
        match kind.as_str() {
            "test" => {}
            "failed" => return Err(ProtocolError::new(fields.need("why")?)),
            _ => return Err(unknown_message(&kind)),
        }
        let name: String = fields.need("name")?;
        let ordinary: Option<String> = fields.get("ordinary")?;
        Ok(Some(Self {
            // A test without cases has one name.
            ordinary: ordinary.unwrap_or_else(|| name.clone()),
            name,
            benchmark: BenchmarkId::from_recorded(fields.need::<String>("bench")?),
            formerly: fields.get::<String>("formerly")?.map(BenchmarkId::from_recorded),
            is_ignored: fields.need("ignored")?,
            tolerance: fields.get("tolerance")?,
            is_report_only: fields.get_or_default("report_only")?,
            programs: fields.get("programs")?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::FromWorker;

    #[test]
    fn a_test_reads_back_exactly_among_other_lines() {
        let test = |name: &str, tolerance: Option<f64>| ListedTest {
            name: name.to_owned(),
            ordinary: name.to_owned(),
            benchmark: BenchmarkId::from_recorded(format!("codec::perf::{name}")),
            formerly: tolerance.map(|_| BenchmarkId::from_recorded("codec::perf::before")),
            is_ignored: tolerance.is_none(),
            is_report_only: tolerance.is_some(),
            programs: tolerance.map(|_| vec!["/t/debug/tool".to_owned()]),
            tolerance,
        };
        let tests = [test("encode", Some(0.1 + 0.2)), test("\"ü", None)];
        let of_unknown = ListedTest { programs: Some(Vec::new()), ..test("start", None) };
        assert_eq!(ListedTest::all_in(&of_unknown.encode()).unwrap(), [of_unknown]);
        let text = format!("plain: test\n{}half a line{}", tests[0].encode(), tests[1].encode());
        assert_eq!(ListedTest::all_in(&text).unwrap(), tests);
    }

    #[test]
    fn an_executable_that_cannot_tell_its_tests_is_not_one_without_tests() {
        let failed = FromWorker::Failed { why: "perftest.toml:3: unknown key".into() };
        let asked = ListedTest::all_in(&failed.encode());
        assert!(asked.unwrap_err().contains("perftest.toml:3"));
    }

    #[test]
    fn an_executable_that_cannot_be_started_is_named() {
        let asked = ListedTest::ask(Command::new("/nowhere/perf"), Duration::ZERO);
        assert!(asked.unwrap_err().contains("`/nowhere/perf`"));
    }
}
