//! Lists perf tests or their settings, if the process is asked for that; does nothing otherwise. The ordinary harness
//! lists all its tests and cannot tell perf tests apart. Only our own tools ask for this list.
//!
//! Constructors register the tests. Ours sees that the process is asked, but others may run after it. So the process
//! answers at its exit, and its arguments make any harness list its tests and end.

use super::arguments::{Arguments, HarnessCommand, ResultFormat};
use super::package::Packages;
use super::worker_command::this_executable;
use crate::config::{Config, ListQuestion, is_asked_for_settings};
use crate::measure::{before_main, end_with_parent, when_registered};
use crate::perf_test::PerfTest;
use crate::perf_tests::perf_tests;
use crate::settings::{SettingOrigin, Settings, SettingsRow, as_json, as_table};
use crate::sink::{self, CapturedSink};
use perftest_core::list::IntoList;
use perftest_process::protocol::FromWorker;
use perftest_process::{LIST_VARIABLE, ListedTest, start_in_mode};
use std::process::{Command, Stdio};

before_main!(before_main);

/// What the harness prints comes before this.
const SETTINGS_BEGIN: &str = "perftest settings:\n";

/// The values of `args` are the author's: the listing catches their panics.
extern "C" fn before_main() {
    if let Some(question) = ListQuestion::of_parent() {
        end_with_parent();
        when_registered(match question {
            ListQuestion::Tests => answer_tests,
            ListQuestion::Settings => answer_settings,
        });
    } else if is_asked_for_settings() && lists_no_tests() {
        match settings_of_child() {
            Ok((text, code)) => {
                sink::print_line(&text);
                std::process::exit(code);
            }
            Err(message) => {
                sink::complain(&message);
                std::process::exit(101);
            }
        }
    }
}

fn answer_tests() -> Result<(), ()> {
    answer(list().inspect_err(|why| {
        // The caller that requests the list reads only standard output.
        sink::print_line(&FromWorker::Failed { why: why.clone() }.encode());
    }))
}

fn answer_settings() -> Result<(), ()> {
    answer(list_effective().map(|text| format!("{SETTINGS_BEGIN}{text}")))
}

fn answer(text: Result<String, String>) -> Result<(), ()> {
    text.map(|text| sink::print_line(&text)).map_err(|message| sink::complain(&message))
}

/// Starts this executable as one that lists its tests and answers. Returns the text of the answer, and the exit code.
fn settings_of_child() -> Result<(String, i32), String> {
    let executable = this_executable()?;
    let mut command = Command::new(&executable);
    command.args(["--list", "--format", "terse", "--"]).args(command_line());
    start_in_mode(&mut command, LIST_VARIABLE, ListQuestion::SETTINGS);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{}: {error}", executable.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.split_once(SETTINGS_BEGIN).map_or("", |(_, text)| text);
    Ok((text.to_owned(), output.status.code().unwrap_or(101)))
}

fn list() -> Result<String, String> {
    let tests = perf_tests()?;
    let packages = Packages::of(tests, &Config::from_env()?)?;
    Ok(tests.iter().map(|test| listed(test, &packages.settings(test)).encode()).joined(""))
}

fn listed(test: &PerfTest, settings: &Settings) -> ListedTest {
    let tolerance = &settings.tolerance;
    ListedTest {
        name: test.listed_name(),
        ordinary: test.ordinary_name(),
        benchmark: test.benchmark(),
        formerly: test.former_benchmark(),
        is_ignored: test.ignore.is_some(),
        tolerance: (tolerance.origin != SettingOrigin::BuiltIn).then_some(tolerance.value.share()),
        is_report_only: settings.only_reports(),
        programs: test.programs.map(|it| it.iter().copied().map(str::to_owned).into_list()),
    }
}

/// The settings of the tests that the command line selects.
fn list_effective() -> Result<String, String> {
    let mut of_parent = std::env::args().skip_while(|it| it != "--").skip(1);
    let arguments = Arguments::parse(&mut of_parent)?;
    let config = Config::from_env()?;
    let tests = perf_tests()?;
    let packages = Packages::of(tests, &config)?;
    packages.warn_of_settings(tests, &config, &mut CapturedSink);
    // Before `main` it is not known whose names the runner has.
    let is_selected =
        |test: &&PerfTest| arguments.selects(&[&test.listed_name(), &test.ordinary_name()]);
    let selected = tests.iter().filter(is_selected);
    let row = |test| {
        SettingsRow::of(test, &packages.settings(test), packages.of_test(test).settings_file())
    };
    let rows: Vec<SettingsRow> = selected.map(row).into_list();
    Ok(match arguments.format {
        ResultFormat::Json => as_json(&rows),
        ResultFormat::Pretty | ResultFormat::Terse => as_table(&rows, &packages.settings_files()),
    })
}

/// Answers a runner that lists the tests first; `main` reports a wrong command line.
fn lists_no_tests() -> bool {
    let arguments = Arguments::parse(&mut command_line());
    arguments.is_ok_and(|arguments| arguments.command == HarnessCommand::Run)
}

/// The arguments of this process. Before `main` the standard library has none on some systems, as with musl.
fn command_line() -> impl Iterator<Item = String> {
    let mut arguments = std::env::args().into_list();
    if arguments.is_empty() {
        let text = std::fs::read("/proc/self/cmdline").unwrap_or_default();
        let parts =
            text.split_inclusive(|byte| *byte == 0).map(|it| it.strip_suffix(b"\0").unwrap_or(it));
        arguments = parts.map(|it| String::from_utf8_lossy(it).into_owned()).into_list();
    }
    arguments.into_iter().skip(1)
}
