//! Fresh processes of this executable, side by side with the last one that was good.

use super::isolation::{Isolation, OthersWatch, QuietWatch};
use super::known::Known;
use super::session::{Session, now_ms};
use super::tape::{FreshProcess, Request};
use super::valgrind::{ValgrindCounts, longest_answer};
use crate::perf_test::PerfTest;
use crate::provenance::entropy;
use perftest_core::judge::Confirmation;
use perftest_core::model::{InstructionCounter, Instructions, Recorded, RunId};
use perftest_machine::{Countable, Counter};
use perftest_store::{
    Launch, UnpackedExecutable, WorkerCommand, WorkerProcess, count_instructions, valgrind_version,
};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// A batch may take so many times as long in a fresh process.
const PATIENCE: u32 = 3;

/// Measures a test again in fresh processes.
pub(super) struct Confirming<'a> {
    session: &'a Session,
    test: &'a PerfTest,
    known: &'a Known,
    /// Longest time that a worker may give no measurement, or not begin.
    longest: Duration,
    /// The longest batch that was asked for, as it was measured here.
    longest_batch: Duration,
    old: Old,
    /// Fresh processes that measured.
    asked: usize,
    /// Counts their instructions, where valgrind has to.
    valgrind: Option<ValgrindCounts<'a>>,
}

/// The last good executable, looked for when the first fresh process is asked for.
enum Old {
    Unsought,
    None,
    Ready(OldExecutable),
    /// It cannot testify, with the reason.
    Silent(String),
}

struct OldExecutable {
    unpacked: UnpackedExecutable,
    launch: Launch,
    commit: String,
}

/// What the last good executable brings beside its measurements.
#[derive(Debug, Default)]
pub(super) struct OldSide {
    /// Its commit; empty when not known or when none testified.
    pub commit: String,
    /// Of an iteration, in both executables.
    pub instructions: Option<Instructions>,
    /// Why it could not testify, or its instructions not be counted.
    pub silence: Option<String>,
}

/// What two processes measured in alternation; the old one's, or why there is nothing of it.
type Pair = (Recorded, Option<Result<Recorded, String>>);

impl<'a> Confirming<'a> {
    pub(super) fn new(
        session: &'a Session,
        test: &'a PerfTest,
        known: &'a Known,
        longest: Duration,
    ) -> Self {
        // One measurement may take as long as all may together, on a machine that is held up.
        let longest = WorkerCommand::LONGEST_START + longest;
        let valgrind = ValgrindCounts::of(session, test);
        let longest_batch = Duration::ZERO;
        Self {
            session,
            test,
            known,
            longest,
            longest_batch,
            old: Old::Unsought,
            asked: 0,
            valgrind,
        }
    }

    /// Lets a fresh process, and one of the old executable, measure; the answer to the trial, where
    /// they cannot.
    pub(super) fn ask(&mut self, request: &Request) -> Result<FreshProcess, Confirmation> {
        self.longest_batch = self.longest_batch.max(request.longest_batch);
        let longest = WorkerCommand::LONGEST_START + PATIENCE * self.longest_batch;
        self.longest = self.longest.max(longest);
        let isolation = self.session.isolation;
        if !isolation.wait_for_quiet() {
            return Err(Confirmation::NotAlone);
        }
        if matches!(self.old, Old::Unsought) {
            self.old = self.find_old();
        }
        let watch = QuietWatch::start();
        let others = OthersWatch::start(&self.session.machine().sensors);
        let (mut judged, old) = match self.measure(request.measurements, request.iterations) {
            Err(why) => return Err(Confirmation::Unavailable(why)),
            Ok(_) if isolation == Isolation::Neighbours && !watch.was_quiet() => {
                return Err(Confirmation::NotAlone);
            }
            Ok(pair) => pair,
        };
        self.asked += 1;
        let mut witness = old.and_then(|old| self.heard(old));
        self.count_instructions(request, &mut judged, witness.as_mut());
        let id = RunId::new(now_ms(), entropy());
        Ok(FreshProcess { id, judged, witness, others_cpus: others.others_cpus() })
    }

    /// Adds the instructions of both that valgrind counts, as far as it can.
    fn count_instructions(
        &mut self,
        request: &Request,
        judged: &mut Recorded,
        witness: Option<&mut Recorded>,
    ) {
        let Some(valgrind) = &mut self.valgrind else {
            return;
        };
        let mut count = |executable: &Path| {
            valgrind.count_once(executable, request.iterations, request.longest_batch)
        };
        judged.values.extend(this_executable().ok().and_then(|it| count(&it)));
        if let (Some(witness), Old::Ready(old)) = (witness, &self.old) {
            witness.values.extend(count(old.unpacked.path()));
        }
    }

    /// Ends it. The instructions of an iteration are counted in both executables, over so many
    /// iterations, where the old one testified and they can be counted; with `None` nobody asks.
    pub(super) fn close(self, iterations: Option<u64>) -> OldSide {
        let counted = iterations.map_or(Ok(None), |iterations| self.instructions(iterations));
        let (instructions, unheard) = match counted {
            Ok(instructions) => (instructions, None),
            Err(why) => (None, Some(why)),
        };
        OldSide { commit: self.commit(), instructions, silence: self.silence().or(unheard) }
    }

    fn commit(&self) -> String {
        match &self.old {
            Old::Ready(old) => old.commit.clone(),
            _ => String::new(),
        }
    }

    fn silence(&self) -> Option<String> {
        match &self.old {
            Old::Silent(why) => Some(format!("the last good executable cannot testify: {why}")),
            _ => None,
        }
    }

    /// An error says why they cannot be counted, to who has asked for a counter by name.
    fn instructions(&self, iterations: u64) -> Result<Option<Instructions>, String> {
        let Old::Ready(old) = &self.old else {
            return Ok(None);
        };
        let counted = |counter, longest| {
            let before = self.command(old.unpacked.path())?;
            let now = self.command(&this_executable()?)?;
            count_instructions(&before, &now, iterations, counter, longest)
        };
        match self.session.config.instructions {
            InstructionCounter::Valgrind => valgrind_version()
                .and_then(|_| {
                    counted(InstructionCounter::Valgrind, longest_answer(self.longest_batch))
                })
                .map(Some)
                .map_err(|why| format!("the instructions were not counted: {why}")),
            // On most machines nobody can, and the doctor says why.
            InstructionCounter::Processor => {
                let can_count = Counter::of_this_thread(Countable::Instructions).is_ok();
                let counted = || counted(InstructionCounter::Processor, self.longest).ok();
                Ok(can_count.then(counted).flatten())
            }
        }
    }

    /// The old executable's measurements. One that failed once is not asked again.
    fn heard(&mut self, old: Result<Recorded, String>) -> Option<Recorded> {
        old.map_err(|why| {
            if let Old::Ready(old) = &self.old {
                self.old = Old::Silent(format!("{why}{}", missing(&old.launch)));
            }
        })
        .ok()
    }

    /// Both take turns, the first and the last by the same one; which one, that alternates.
    fn measure(&self, count: u32, iterations: u64) -> Result<Pair, String> {
        let mut judged = self.start(&this_executable()?)?;
        let Old::Ready(old) = &self.old else {
            judged.measure(count, Some(iterations), self.longest)?;
            return Ok((judged.end(self.longest)?, None));
        };
        let mut old = Turns { process: self.start(old.unpacked.path()) };
        let old_begins = self.asked % 2 == 1;
        let half = count / 2;
        for (turn, count) in [half, half, count - half, count - half].into_iter().enumerate() {
            if matches!(turn, 0 | 3) == old_begins {
                old.measure(count, iterations, self.longest);
            } else {
                judged.measure(count, Some(iterations), self.longest)?;
            }
        }
        Ok((judged.end(self.longest)?, Some(old.end(self.longest))))
    }

    fn start(&self, executable: &Path) -> Result<WorkerProcess, String> {
        WorkerProcess::start(&self.command(executable)?)
    }

    fn command(&self, executable: &Path) -> Result<WorkerCommand, String> {
        worker_command(self.test, executable, self.longest)
    }

    fn find_old(&self) -> Old {
        let Some(executables) = self.session.executables(self.test) else {
            return Old::None;
        };
        let code = &self.session.provenance(self.test).code;
        let mut runs = self.known.history.members(&self.known.baseline);
        let found = runs.find_map(|run| {
            let is_other = run.code.text != code.text && run.code.executable != code.executable;
            let kept = executables.find(&run.code.executable).ok()??;
            is_other.then_some((kept, run.revision.commit.clone()))
        });
        let Some((kept, commit)) = found else {
            return Old::None;
        };
        executables.renew(&kept.hash);
        // Programs surely may run where this one does.
        let unpacked = place().and_then(|place| kept.unpack(&place).map_err(|it| it.to_string()));
        match unpacked {
            Ok(unpacked) => Old::Ready(OldExecutable { unpacked, launch: kept.launch, commit }),
            Err(why) => Old::Silent(why),
        }
    }
}

/// A process of the old executable, until it fails.
struct Turns {
    process: Result<WorkerProcess, String>,
}

impl Turns {
    fn measure(&mut self, count: u32, iterations: u64, longest: Duration) {
        let Ok(process) = &mut self.process else {
            return;
        };
        if let Err(why) = process.measure(count, Some(iterations), longest) {
            self.process = Err(why);
        }
    }

    fn end(self, longest: Duration) -> Result<Recorded, String> {
        self.process.and_then(|process| process.end(longest))
    }
}

/// How a fresh process of an executable that has this test is started.
pub(super) fn worker_command(
    test: &PerfTest,
    executable: &Path,
    longest_start: Duration,
) -> Result<WorkerCommand, String> {
    Ok(WorkerCommand {
        executable: executable.to_owned(),
        directory: std::env::current_dir().map_err(|error| error.to_string())?,
        test: test.listed_name(),
        ordinary: test.ordinary_name(),
        test_threads: if thread::current().name() == Some("main") { 1 } else { 2 },
        environment: Vec::new(),
        longest_start,
    })
}

pub(super) fn this_executable() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| error.to_string())
}

fn place() -> Result<PathBuf, String> {
    Ok(this_executable()?.parent().unwrap_or(Path::new(".")).to_owned())
}

/// What it had when it was kept and has not now.
fn missing(launch: &Launch) -> String {
    let is_missing = |name: &&String| std::env::var_os(name).is_none();
    let variables: Vec<&str> =
        launch.variables.iter().filter(is_missing).map(String::as_str).collect();
    let mut missing = String::new();
    if !launch.directory.is_dir() {
        missing.push_str(&format!("; it ran in {}, which is gone", launch.directory.display()));
    }
    if !variables.is_empty() {
        missing.push_str(&format!("; it had the variables {}", variables.join(", ")));
    }
    missing
}
