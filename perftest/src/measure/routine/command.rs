//! A routine that is a whole process.

use super::Routine;
use super::child::{self, ExitedChild};
use super::peak_memory::{forget_own_peak, own_peak_bytes};
use super::stand_ins::with_stand_ins;
use crate::measure::Failure;
use crate::measure::stopwatch::{Stopwatch, Timing};
use crate::measure::usage::UsageReading;
use perftest_core::list::IntoList;
use perftest_core::model::{Metric, ProcessValue, Sample};
use perftest_process::LastLines;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time to read the last output of an ended process: its remaining children may hold its standard
/// error open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Starts the process that `command` describes, and waits until it has ended.
pub(crate) struct CommandRoutine<F> {
    command: F,
    /// Values of each process so far, if the system reports them.
    process_values: [(Metric, Vec<f64>); 3],
    /// Why the peak memory of a process is unknown.
    why_no_peak: Option<String>,
    /// The programs so far, each once.
    programs: Vec<PathBuf>,
}

impl<F: FnMut() -> Command> CommandRoutine<F> {
    pub(crate) fn new(command: F) -> Self {
        let process_values = [Metric::user_time(), Metric::system_time(), Metric::peak_resident()];
        Self {
            command,
            process_values: process_values.map(|metric| (metric, Vec::new())),
            why_no_peak: None,
            programs: Vec::new(),
        }
    }

    fn remember_program(&mut self, program: &Path) {
        if self.programs.iter().all(|it| it != program) {
            self.programs.push(program.to_owned());
        }
    }

    fn run_once(&mut self, stopwatch: &Stopwatch) -> Result<(f64, ExitedChild), Failure> {
        let command = (self.command)();
        self.remember_program(Path::new(command.get_program()));
        let mut command = with_stand_ins(command).map_err(Failure::Command)?;
        let name = format!("{command:?}");
        let failed = |error: io::Error| Failure::Command(format!("{name} cannot run: {error}"));
        let errors = detach(&mut command).map_err(failed)?;
        let last_lines = LastLines::of(errors);
        let mut ended = None;
        forget_own_peak();
        let wall_ns = stopwatch.time_once(|| ended = Some(child::run(&mut command)));
        // This closes our end of the pipe, and the reader of the last lines waits for that.
        drop(command);
        let ended = ended.expect("it was run just now").map_err(failed)?;
        let ended = ended.beside_own_peak(own_peak_bytes());
        if ended.status.success() {
            return Ok((wall_ns, ended));
        }
        let said = last_lines.wait(LAST_WORDS);
        let separator = if said.is_empty() { "" } else { ":\n" };
        Err(Failure::Command(format!("{name} failed with {ended}{separator}{said}")))
    }
}

impl<F: FnMut() -> Command> Routine for CommandRoutine<F> {
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        let (mut wall_ns, mut used) = (0.0, UsageReading::default());
        for _ in 0..iterations {
            let (once_ns, ended) = self.run_once(stopwatch)?;
            wall_ns += once_ns;
            used = ended.used.with(used);
            let ns = |time: Duration| time.as_nanos() as f64;
            let (user, system) = ended.times.unzip();
            let peak = ended.peak.and_then(|peak| peak.bytes());
            let known = [user.map(ns), system.map(ns), peak.map(|bytes| bytes as f64)];
            self.process_values
                .iter_mut()
                .zip(known)
                .for_each(|((_, values), value)| values.extend(value));
            let why_no_peak = ended.peak.and_then(|peak| peak.why_unknown());
            self.why_no_peak = self.why_no_peak.take().or(why_no_peak);
        }
        Ok(Timing { used, ..Timing::without_usage(wall_ns) })
    }

    /// Each process is one measurement.
    fn most_iterations(&self) -> u64 {
        1
    }

    /// Returns the medians over all processes, or nothing where some have no value.
    fn values(&self) -> Vec<ProcessValue> {
        let has_values =
            |metric: &Metric| self.why_no_peak.is_none() || *metric != Metric::peak_resident();
        let known = self.process_values.iter().filter(|(metric, _)| has_values(metric));
        let middle = known.filter_map(|(metric, values)| {
            Some(ProcessValue { metric: metric.clone(), value: Sample::median_of(values)? })
        });
        middle.into_list()
    }

    fn unmeasurable(&self) -> Vec<(String, String)> {
        let why = self.why_no_peak.iter();
        why.map(|why| (Metric::peak_resident().name, why.clone())).into_list()
    }

    fn programs(&self) -> &[PathBuf] {
        &self.programs
    }

    /// A process has its own allocator and threads.
    fn counts_per_iteration(&self) -> bool {
        false
    }
}

/// Cuts the process off from this one: a worker's own standard input and output carry messages.
fn detach(command: &mut Command) -> io::Result<PipeReader> {
    let (errors, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(writer);
    Ok(errors)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::clock::ClockKind;

    fn batch_of(script: &str) -> Result<Timing, Failure> {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let command = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", script]);
            shell
        };
        CommandRoutine::new(command).batch(1, &stopwatch)
    }

    fn failure_of(script: &str) -> String {
        batch_of(script).expect_err("the script fails").to_string()
    }

    #[test]
    fn a_process_tells_the_processor_time_it_used_and_none_of_our_thread() {
        let used = batch_of("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").unwrap().used;
        assert!(used.process_cpu_ns > Some(0), "{used:?}");
        assert_eq!(used.thread_cpu_ns, None);
    }

    #[test]
    fn the_user_and_system_time_and_the_memory_of_processes_are_known_once_for_all() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let mut spawned = CommandRoutine::new(|| Command::new("true"));
        assert_eq!(spawned.values(), []);
        spawned.batch(2, &stopwatch).unwrap();
        let values = spawned.values();
        let names: Vec<&str> = values.iter().map(|it| it.metric.name.as_str()).into_list();
        let has_peak = spawned.unmeasurable().is_empty();
        assert_eq!(names, ["user", "system", "peak_rss"][..2 + usize::from(has_peak)]);
    }

    /// A process with at least this much memory.
    fn holding(bytes: usize) -> Command {
        let mut command = Command::new("dd");
        command.args(["if=/dev/zero", "of=/dev/null", "count=1"]).arg(format!("bs={bytes}"));
        command
    }

    /// Returns the peak memory, and checks that a missing value has a reason.
    fn peak_of(command: impl FnMut() -> Command) -> Option<f64> {
        let mut spawned = CommandRoutine::new(command);
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        spawned.batch(1, &stopwatch).expect("the process ends with success");
        let peak = spawned.values().into_iter().find(|it| it.metric == Metric::peak_resident());
        let unmeasurable = spawned.unmeasurable();
        assert_eq!(
            peak.is_none(),
            unmeasurable.iter().any(|(name, _)| name == "peak_rss"),
            "{unmeasurable:?}"
        );
        peak.map(|it| it.value)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_test_has_in_memory_is_never_the_memory_of_its_process() {
        let small = |bytes: f64| bytes < 8e6;
        assert!(peak_of(|| Command::new("true")).is_none_or(small));
        let before = std::hint::black_box(vec![1_u8; 100 << 20]);
        assert_eq!(peak_of(|| Command::new("true")), None);
        assert_eq!(peak_of(|| holding(30 << 20)), None);
        let failed = CommandRoutine::new(|| Command::new("false"))
            .batch(1, &Stopwatch::calibrate(ClockKind::Monotonic));
        let words = failed.unwrap_err().to_string();
        assert!(words.contains("hardly more memory than the test process itself ("), "{words}");
        drop(before);
        let alone = peak_of(|| holding(30 << 20));
        // Other tests run beside it and use memory too.
        assert!(alone.is_none_or(|bytes| (30e6..40e6).contains(&bytes)), "{alone:?}");
    }

    #[test]
    fn a_process_that_fails_is_quoted_with_its_status_and_its_last_words() {
        let failure = failure_of("echo 'no such catalog' >&2; exit 7");
        for part in ["\"sh\"", "exit status: 7", "\nno such catalog"] {
            assert!(failure.contains(part), "{part}: {failure}");
        }
        let killed = failure_of("kill -9 $$");
        assert!(killed.contains("signal: 9") && killed.contains(" MiB"), "{killed}");
    }

    #[test]
    fn what_cannot_be_started_is_named() {
        let stopwatch = Stopwatch::calibrate(ClockKind::Monotonic);
        let mut missing = CommandRoutine::new(|| Command::new("no-such-program"));
        let failure = missing.batch(1, &stopwatch).unwrap_err().to_string();
        assert!(failure.contains("\"no-such-program\" cannot run"), "{failure}");
    }

    #[test]
    fn a_process_finds_its_standard_input_empty_and_its_output_goes_nowhere() {
        batch_of("if read line; then exit 1; fi; echo unseen").unwrap();
    }

    #[test]
    fn much_on_standard_error_holds_nobody_up() {
        let failure = failure_of(
            "i=0; while [ $i -lt 9000 ]; do echo 'warning: again' >&2; i=$((i+1)); done; \
             echo last >&2; exit 1",
        );
        assert!(failure.ends_with("warning: again\nlast"), "{failure}");
    }
}
