//! Samples of a worker become a profile.

use super::frame_trim::{OUTSIDE, TestFrames};
use super::loaded_files::{LoadedFile, loaded_files};
use super::sample_state::SampleState;
use super::stack_walker::StackWalker;
use super::symbols::{FunctionFrame, Symbols};
use super::{iteration_of, overhead_of};
use perftest_analysis::profile::{Profile, ProfileBuilder};
use perftest_process::protocol::{SampledClock, SamplingPlan, SamplingReport};
use perftest_process::samples::{RecordHeader, RecordKind, RecordReader, maps_file};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

/// A share of the time that is worth a note.
const NOTABLE: f64 = 0.02;
/// With fewer samples no share is exact to 10 points.
const FEW_SAMPLES: u64 = 100;
/// Of an overhead above this the reader should know.
const LARGEST_OVERHEAD: f64 = 0.01;
/// A pass with less processor time has nothing to sample.
const IDLE_CPU_NS: u64 = 20_000_000;
/// Below this share of the processor time something is missing.
const SEEN_CPU: f64 = 0.9;

/// One stack of one thread, before its thread has a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ThreadStack {
    thread: u64,
    stage: u64,
    tag: u64,
    tag_value: u64,
    /// The outermost first.
    frames: Vec<String>,
}

/// Weight, and how many samples it stands for.
#[derive(Debug, Default, Clone, Copy)]
struct StackWeight {
    ns: u64,
    /// A part of one for a short wait.
    samples: f64,
}

/// Time in which something was missing.
#[derive(Debug, Default)]
struct MissingTime {
    all_ns: u64,
    debug_info_ns: u64,
    callers_ns: u64,
    loop_ns: u64,
}

/// Reads the samples in `file`, of a worker of `executable`. `profile_name` is the profile of the build.
///
/// # Errors
/// When the file cannot be read or has no samples; the message is for the user.
pub(super) fn read_samples(
    file: &Path,
    executable: &Path,
    profile_name: &str,
    plan: SamplingPlan,
    report: &SamplingReport,
) -> Result<Profile, String> {
    let unreadable = |error: io::Error| format!("the samples cannot be read: {error}");
    let map = fs::read_to_string(maps_file(file)).map_err(unreadable)?;
    let files = loaded_files(&map);
    let mut reader = RecordReader::open(file, report.records).map_err(unreadable)?;
    let mut stacks = Stacks::new(&files, executable, plan);
    while let Some((header, data)) = reader.next_record().map_err(unreadable)? {
        stacks.add(&header, &data);
    }
    let samples: f64 = stacks.weights.values().map(|weight| weight.samples).sum();
    let samples = samples.round() as u64;
    if samples == 0 {
        let is_idle = plan.clock == SampledClock::Cpu && report.cpu_ns < IDLE_CPU_NS;
        return Err(if is_idle {
            "no sample was taken: the test used hardly any processor time. Record it with --wall"
                .into()
        } else {
            "no sample was taken: its threads ended before their first one. Give more --time or a higher --rate"
                .into()
        });
    }
    let notes = stacks.notes(samples, reader.incomplete, profile_name, report);
    Ok(stacks.profile(notes, report))
}

struct Stacks<'a> {
    files: &'a [LoadedFile],
    /// The number of the test executable among the files.
    executable: Option<usize>,
    walker: StackWalker,
    symbols: Symbols<'a>,
    plan: SamplingPlan,
    weights: HashMap<ThreadStack, StackWeight>,
    /// The stack of the newest sample of each thread.
    newest: HashMap<u64, ThreadStack>,
    names: HashMap<(RecordKind, u64), String>,
    missing: MissingTime,
}

impl<'a> Stacks<'a> {
    fn new(files: &'a [LoadedFile], executable: &Path, plan: SamplingPlan) -> Self {
        Self {
            files,
            executable: files.iter().position(|file| file.is_at(executable)),
            walker: StackWalker::new(files),
            symbols: Symbols::new(files),
            plan,
            weights: HashMap::new(),
            newest: HashMap::new(),
            names: HashMap::new(),
            missing: MissingTime::default(),
        }
    }

    fn add(&mut self, header: &RecordHeader, data: &[u8]) {
        match header.kind {
            RecordKind::Sample => self.add_sample(header, data),
            RecordKind::Blocked => self.add_blocked(header),
            RecordKind::ThreadName | RecordKind::StageName | RecordKind::TagName => {
                let name = String::from_utf8_lossy(data).into_owned();
                self.names.insert((header.kind, header.number), name);
            }
        }
    }

    fn add_sample(&mut self, header: &RecordHeader, data: &[u8]) {
        let weight = StackWeight { ns: header.weight_ns, samples: 1.0 };
        let stack = ThreadStack {
            thread: header.number,
            stage: header.stage,
            tag: header.tag,
            tag_value: header.tag_value,
            frames: self.frames(header, data),
        };
        let added = self.weights.entry(stack.clone()).or_default();
        added.ns += weight.ns;
        added.samples += weight.samples;
        self.newest.insert(header.number, stack);
    }

    /// A blocked thread stays where it was. As many samples as would have seen it stand for that time.
    fn add_blocked(&mut self, header: &RecordHeader) {
        let Some(stack) = self.newest.get(&header.number) else { return };
        let weight = self.weights.entry(stack.clone()).or_default();
        weight.ns += header.weight_ns;
        weight.samples += header.weight_ns as f64 * f64::from(self.plan.rate_hz) / 1e9;
        self.missing.all_ns += header.weight_ns;
    }

    /// The frames of a sample, the outermost first.
    fn frames(&mut self, header: &RecordHeader, data: &[u8]) -> Vec<String> {
        let walked = self.walker.walk(&header.registers, data);
        let mut functions: Vec<FunctionFrame> = Vec::new();
        for address in walked.addresses.iter().rev() {
            functions.extend(self.symbols.at(*address).iter().cloned());
        }
        let file = functions.last().and_then(|sampled| sampled.file);
        let state = SampleState::of(file.map(|file| &self.files[file]), &header.registers);
        let trimmed = TestFrames::of(&functions);
        let weight = header.weight_ns;
        self.missing.all_ns += weight;
        let mut frames = Vec::new();
        let kept = match trimmed {
            TestFrames::Measured(kept) => kept,
            TestFrames::Outside(kept) => {
                self.missing.loop_ns += weight;
                frames.push(OUTSIDE.to_owned());
                kept
            }
            TestFrames::OtherThread(kept) => {
                if !walked.is_complete {
                    self.missing.callers_ns += weight;
                    frames.push("[callers unknown]".to_owned());
                }
                kept
            }
        };
        let is_of_executable =
            |it: &&FunctionFrame| it.file.is_some() && it.file == self.executable;
        if kept.iter().filter(is_of_executable).any(|function| function.lacks_debug_info) {
            self.missing.debug_info_ns += weight;
        }
        frames.extend(kept.iter().map(|function| function.name.clone()));
        // A processor-time sample of a waiting thread is one of a thread that is about to wait.
        if self.plan.clock == SampledClock::Wall || state == SampleState::InKernel {
            frames.extend(state.frame().map(str::to_owned));
        }
        if frames.is_empty() {
            frames.push("[the measured loop itself]".to_owned());
        }
        frames
    }

    fn name_of(&self, kind: RecordKind, number: u64) -> Option<&str> {
        self.names.get(&(kind, number)).map(String::as_str)
    }

    fn profile(self, notes: Vec<String>, report: &SamplingReport) -> Profile {
        let mut builder = ProfileBuilder::default();
        for (stack, weight) in &self.weights {
            let thread = self.name_of(RecordKind::ThreadName, stack.thread).unwrap_or("[thread]");
            let stage = self.name_of(RecordKind::StageName, stack.stage);
            let stage = stage.map(|name| format!("stage {name}"));
            let tag = self.name_of(RecordKind::TagName, stack.tag);
            let tag = tag.map(|name| format!("{name}={}", stack.tag_value));
            let state = stage.iter().chain(&tag).map(String::as_str);
            let frames = stack.frames.iter().map(String::as_str);
            // The sum of some minutes in nanoseconds is far below what can be counted.
            let _ = builder.add(
                [thread].into_iter().chain(state).chain(frames),
                weight.ns,
                weight.samples.round() as u64,
            );
        }
        builder.add_remarks(notes);
        builder.set_iteration(iteration_of(report));
        builder.finish()
    }

    /// What a reader should know.
    fn notes(
        &self,
        samples: u64,
        incomplete: u64,
        profile_name: &str,
        report: &SamplingReport,
    ) -> Vec<String> {
        let missing = &self.missing;
        let share = |ns: u64| ns as f64 / (missing.all_ns as f64).max(1.0);
        let percent = |ns: u64| format!("{:.0}%", 100.0 * share(ns));
        let mut notes = Vec::new();
        let executable = self.executable.map_or("the test executable", |it| &self.files[it].name);
        let is_stripped = self.executable.is_some_and(|it| !self.files[it].has_symbols);
        if is_stripped {
            notes.push(format!(
                "{executable} is stripped: its functions have no names. Remove `strip` from \
                 [profile.{profile_name}] in Cargo.toml."
            ));
        } else if share(missing.debug_info_ns) > NOTABLE {
            notes.push(format!(
                "{} of the time is in stacks without debug information: inlined functions count for \
                 their callers. Write debug = \"limited\" below [profile.{profile_name}] in Cargo.toml.",
                percent(missing.debug_info_ns)
            ));
        }
        if share(missing.callers_ns) > NOTABLE {
            notes.push(format!(
                "{} of the time is in stacks whose callers are not all found.",
                percent(missing.callers_ns)
            ));
        }
        if share(missing.loop_ns) > NOTABLE {
            notes.push(format!(
                "{} of the time is outside the measured loop, below {OUTSIDE}: in set-up, in drops, \
                 or in the harness.",
                percent(missing.loop_ns)
            ));
        }
        if samples < FEW_SAMPLES {
            notes.push(format!(
                "there are only {samples} samples: no share is exact to 10 points. Give more --time."
            ));
        }
        let lost = report.lost + incomplete;
        if lost > 0 {
            notes.push(format!("{lost} samples had no room in the file and are lost."));
        }
        if report.refused_threads > 0 {
            notes.push(format!(
                "{} threads are not sampled: the system gave them no timer (`ulimit -i` shows the limit), or \
                 there are more than 4,096.",
                report.refused_threads
            ));
        }
        if report.unsampled_threads > 0 {
            notes.push(format!(
                "{} threads are not sampled: they block signals.",
                report.unsampled_threads
            ));
        }
        if let Some(overhead) = overhead_of(report).filter(|it| *it > LARGEST_OVERHEAD) {
            notes.push(format!(
                "the samples slowed the test by {:.1}%; --rate {} disturbs it less.",
                100.0 * overhead,
                (self.plan.rate_hz / 2).max(1)
            ));
        }
        let seen = missing.all_ns as f64 / (report.cpu_ns as f64).max(1.0);
        if self.plan.clock == SampledClock::Cpu && seen < SEEN_CPU {
            notes.push(format!(
                "{:.0}% of the processor time is in no sample: it is of threads that ended before \
                 their first sample, of child processes, or of the time since the last samples.",
                100.0 * (1.0 - seen)
            ));
        }
        notes
    }
}
