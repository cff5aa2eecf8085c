//! Samples of a worker become a profile.

use super::frame_trim::{OUTSIDE, TestFrames};
use super::iteration_of;
use super::loaded_files::{LoadedFile, loaded_files};
use super::recording::Recording;
use super::sample_notes::{MissingTime, sample_notes};
use super::sample_state::SampleState;
use super::stack_walker::StackWalker;
use super::symbols::{FunctionFrame, Symbols};
use perftest_analysis::profile::{Profile, ProfileBuilder};
use perftest_process::protocol::SampledClock;
use perftest_process::samples::{RecordHeader, RecordKind, RecordReader, maps_file};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

/// A pass with less processor time has nothing to sample.
const IDLE_CPU_NS: u64 = 20_000_000;

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

/// Reads the samples in `file`.
///
/// # Errors
/// When the file cannot be read or has no samples; the message is for the user.
pub(super) fn read_samples(file: &Path, recording: &Recording<'_>) -> Result<Profile, String> {
    let unreadable = |error: io::Error| format!("the samples cannot be read: {error}");
    let map = fs::read_to_string(maps_file(file)).map_err(unreadable)?;
    let files = loaded_files(&map);
    let mut stacks = Stacks::new(&files, *recording);
    if recording.slower_than.is_some() {
        stacks.slow = slow_batches(file, recording).map_err(unreadable)?;
    }
    let mut reader = RecordReader::open(file, recording.report.records).map_err(unreadable)?;
    while let Some((header, data)) = reader.next_record().map_err(unreadable)? {
        stacks.add(&header, &data);
    }
    let samples: f64 = stacks.weights.values().map(|weight| weight.samples).sum();
    let samples = samples.round() as u64;
    if samples == 0 {
        return Err(no_samples(recording));
    }
    let executable = stacks.executable.map(|number| &files[number]);
    let notes = sample_notes(recording, &stacks.missing, executable, samples, reader.incomplete);
    Ok(stacks.profile(notes))
}

/// The first iterations of the batches whose iterations are slow.
fn slow_batches(file: &Path, recording: &Recording<'_>) -> io::Result<HashSet<u64>> {
    let least_ns = recording.slower_than.unwrap_or_default().as_nanos();
    let mut slow = HashSet::new();
    let mut reader = RecordReader::open(file, recording.report.records)?;
    while let Some((header, _)) = reader.next_record()? {
        if header.kind == RecordKind::Batch && u128::from(header.weight_ns) >= least_ns {
            slow.insert(header.iteration);
        }
    }
    Ok(slow)
}

fn no_samples(recording: &Recording<'_>) -> String {
    let Recording { plan, report, slower_than, .. } = recording;
    if !plan.threads.is_empty() && report.threads == 0 {
        return format!("no thread had a name that begins with `{}`", plan.threads);
    }
    if let Some(least) = slower_than {
        return format!("no sample is in an iteration of {least:?} or more. Give more --time");
    }
    if plan.clock == SampledClock::Cpu && report.cpu_ns < IDLE_CPU_NS {
        return "no sample was taken: the test used hardly any processor time. Record it with --wall"
            .into();
    }
    "no sample was taken: its threads ended before their first one. Give more --time or a higher --rate"
        .into()
}

struct Stacks<'a> {
    files: &'a [LoadedFile],
    /// The number of the test executable among the files.
    executable: Option<usize>,
    walker: StackWalker,
    symbols: Symbols<'a>,
    recording: Recording<'a>,
    /// The first iterations of the batches that count, if not all do.
    slow: HashSet<u64>,
    weights: HashMap<ThreadStack, StackWeight>,
    /// The stack of the newest sample of each thread.
    newest: HashMap<u64, ThreadStack>,
    names: HashMap<(RecordKind, u64), String>,
    missing: MissingTime,
}

impl<'a> Stacks<'a> {
    fn new(files: &'a [LoadedFile], recording: Recording<'a>) -> Self {
        Self {
            files,
            executable: files.iter().position(|file| file.is_at(recording.executable)),
            walker: StackWalker::new(files),
            symbols: Symbols::new(files),
            recording,
            slow: HashSet::new(),
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
            RecordKind::Batch => {}
            RecordKind::ThreadName | RecordKind::StageName | RecordKind::TagName => {
                let name = String::from_utf8_lossy(data).into_owned();
                self.names.insert((header.kind, header.number), name);
            }
        }
    }

    fn add_sample(&mut self, header: &RecordHeader, data: &[u8]) {
        if self.recording.slower_than.is_some() && !self.slow.contains(&header.iteration) {
            self.missing.faster_ns += header.weight_ns;
            // The wait that follows is of the same iteration.
            self.newest.remove(&header.number);
            return;
        }
        let stack = ThreadStack {
            thread: header.number,
            stage: header.stage,
            tag: header.tag,
            tag_value: header.tag_value,
            frames: self.frames(header, data),
        };
        let weight = self.weights.entry(stack.clone()).or_default();
        weight.ns += header.weight_ns;
        weight.samples += 1.0;
        self.newest.insert(header.number, stack);
    }

    /// A blocked thread stays where it was. As many samples as would have seen it stand for that time.
    fn add_blocked(&mut self, header: &RecordHeader) {
        let Some(stack) = self.newest.get(&header.number) else {
            self.missing.faster_ns += header.weight_ns;
            return;
        };
        let weight = self.weights.entry(stack.clone()).or_default();
        weight.ns += header.weight_ns;
        weight.samples += header.weight_ns as f64 * f64::from(self.recording.plan.rate_hz) / 1e9;
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
        if self.recording.plan.clock == SampledClock::Wall || state == SampleState::InKernel {
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

    fn profile(self, notes: Vec<String>) -> Profile {
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
        // Of some iterations the time of all is not known.
        let is_of_all = self.recording.slower_than.is_none();
        builder.set_iteration(is_of_all.then(|| iteration_of(self.recording.report)).flatten());
        builder.finish()
    }
}
