//! Samples of a worker become a profile.

use super::frame_trim::{OUTSIDE, TestFrames, is_called_by_tests};
use super::iteration_of;
use super::loaded_files::{LoadedFile, loaded_files};
use super::recording::SampleRecording;
use super::sample_notes::{MissingTime, sample_notes};
use super::sample_state::SampleState;
use super::stack_walker::StackWalker;
use super::symbols::{FunctionFrame, Symbols};
use perftest_analysis::profile::{IterationClass, Profile, ProfileBuilder};
use perftest_process::protocol::SampledClock;
use perftest_process::samples::{
    BatchTime, RecordHeader, RecordKind, SampleRecordReader, batch_times, duration_class, maps_file,
};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

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
#[derive(Debug, Default, Clone)]
struct StackWeight {
    ns: u64,
    /// The parts in iterations of known durations, by [`duration_class`].
    by_duration: BTreeMap<u64, u64>,
    /// A part of one for a short wait.
    samples: f64,
}

/// The newest sample of a thread.
#[derive(Debug)]
struct NewestSample {
    stack: ThreadStack,
    /// What follows of its batch, where the times of the batch are known.
    rest_of_batch: Option<RestOfBatch>,
}

#[derive(Debug, Clone, Copy)]
struct RestOfBatch {
    ns: u64,
    /// The duration of its iterations, as a class.
    duration: u64,
}

/// Reads the samples in `file`.
///
/// # Errors
/// When the file cannot be read or has no samples; the message is for the user.
pub(super) fn read_samples(
    file: &Path,
    recording: &SampleRecording<'_>,
) -> Result<Profile, String> {
    let unreadable = |error: io::Error| format!("the samples cannot be read: {error}");
    let map = fs::read_to_string(maps_file(file)).map_err(unreadable)?;
    let files = loaded_files(&map);
    let mut stacks = Stacks::new(&files, *recording);
    stacks.batches = batch_times(file, recording.report.records).map_err(unreadable)?;
    let mut reader =
        SampleRecordReader::open(file, recording.report.records).map_err(unreadable)?;
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
    Ok(stacks.profile(notes, recording.report.lost + reader.incomplete))
}

fn no_samples(recording: &SampleRecording<'_>) -> String {
    let SampleRecording { plan, report, slower_than, .. } = recording;
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

/// How many samples a thread would have had in a wait of so many nanoseconds. Among many threads each is sampled less often than at this rate;
/// workers of older versions do not report how often.
fn samples_of_wait(ns: u64, period_ns: u64, rate_hz: u32) -> f64 {
    let shortest_ns = 1e9 / f64::from(rate_hz);
    ns as f64 / (period_ns as f64).max(shortest_ns)
}

/// Spreads time over the durations of all iterations, as long as each took together.
fn spread(ns: u64, recording: SampleRecording<'_>) -> Vec<(u64, u64)> {
    let by_ns = &recording.report.iterations_by_ns;
    let whole: f64 = by_ns.iter().map(|(each, count)| *each as f64 * *count as f64).sum();
    if ns == 0 || whole <= 0.0 {
        return Vec::new();
    }
    let part = |(each, count): &(u64, u64)| {
        (*each, (ns as f64 * (*each as f64 * *count as f64 / whole)).floor() as u64)
    };
    by_ns.iter().map(part).collect()
}

struct Stacks<'a> {
    files: &'a [LoadedFile],
    /// The number of the test executable among the files.
    executable: Option<usize>,
    walker: StackWalker,
    symbols: Symbols<'a>,
    recording: SampleRecording<'a>,
    /// By the numbers of their first iterations.
    batches: HashMap<u64, BatchTime>,
    weights: HashMap<ThreadStack, StackWeight>,
    /// The newest sample of each thread.
    newest: HashMap<u64, NewestSample>,
    names: HashMap<(RecordKind, u64), String>,
    missing: MissingTime,
}

impl<'a> Stacks<'a> {
    fn new(files: &'a [LoadedFile], recording: SampleRecording<'a>) -> Self {
        let executable = files.iter().position(|file| file.is_at(recording.executable));
        Self {
            files,
            executable,
            walker: StackWalker::new(files),
            symbols: Symbols::new(files, executable),
            recording,
            batches: HashMap::new(),
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
        let batch = self.batches.get(&header.iteration).copied();
        let is_slow = |least: Duration| {
            batch.is_some_and(|batch| u128::from(batch.iteration_ns) >= least.as_nanos())
        };
        if !self.recording.slower_than.is_none_or(is_slow) {
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
        let rest_of_batch = batch.map(|batch| RestOfBatch {
            ns: batch.batch_ns.saturating_sub(header.batch_ns),
            duration: duration_class(batch.iteration_ns),
        });
        if let Some(RestOfBatch { duration, .. }) = rest_of_batch {
            *weight.by_duration.entry(duration).or_default() += header.weight_ns;
        }
        self.newest.insert(header.number, NewestSample { stack, rest_of_batch });
    }

    /// A blocked thread stays where it was. As many samples as its timer would have taken stand for that time. A wait that
    /// is longer than its batch is in later iterations, too: in all durations, as long as each, and in all stages. Stages
    /// are of the process, so that part has none; a tag is of the thread, which still has it.
    fn add_blocked(&mut self, header: &RecordHeader) {
        let Some(newest) = self.newest.get_mut(&header.number) else {
            self.missing.faster_ns += header.weight_ns;
            return;
        };
        let rate_hz = self.recording.plan.rate_hz;
        let mut within_ns = header.weight_ns;
        if let Some(rest) = &mut newest.rest_of_batch {
            within_ns = within_ns.min(rest.ns);
            rest.ns -= within_ns;
        }
        let behind_ns = header.weight_ns - within_ns;
        if within_ns > 0 {
            let weight = self.weights.entry(newest.stack.clone()).or_default();
            weight.ns += within_ns;
            weight.samples += samples_of_wait(within_ns, header.period_ns, rate_hz);
            if let Some(RestOfBatch { duration, .. }) = newest.rest_of_batch {
                *weight.by_duration.entry(duration).or_default() += within_ns;
            }
        }
        if behind_ns > 0 {
            let stack = ThreadStack { stage: 0, ..newest.stack.clone() };
            let weight = self.weights.entry(stack).or_default();
            weight.ns += behind_ns;
            weight.samples += samples_of_wait(behind_ns, header.period_ns, rate_hz);
            for (duration, part) in spread(behind_ns, self.recording) {
                *weight.by_duration.entry(duration).or_default() += part;
            }
        }
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
        functions.retain(|function| !is_called_by_tests(function));
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

    /// The profile of all stacks; `lost` records are missing.
    fn profile(self, notes: Vec<String>, lost: u64) -> Profile {
        let mut builder = ProfileBuilder::default();
        let by_ns = &self.recording.report.iterations_by_ns;
        let class = |(from_ns, iterations): &(u64, u64)| IterationClass {
            from_ns: *from_ns,
            iterations: *iterations,
        };
        // Of some iterations the others are not known.
        let is_of_all = self.recording.slower_than.is_none();
        let classes: Vec<IterationClass> =
            if is_of_all { by_ns.iter().map(class).collect() } else { Vec::new() };
        let places: HashMap<u64, u32> = classes.iter().map(|it| it.from_ns).zip(0..).collect();
        builder.set_classes(classes);
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
            let by_class = weight.by_duration.iter();
            let by_class = by_class.filter_map(|(ns, weight)| Some((*places.get(ns)?, *weight)));
            let _ = builder.add_by_class(&by_class.collect::<Vec<_>>());
        }
        builder.add_remarks(notes);
        let iteration = || iteration_of(self.recording.report, lost);
        builder.set_iteration(is_of_all.then(iteration).flatten());
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_process::protocol::{SamplingPlan, SamplingReport};

    #[test]
    fn a_wait_has_as_many_samples_as_the_timer_of_its_thread_would_have_taken() {
        let wait = |period_ns| samples_of_wait(1_000_000_000, period_ns, 500);
        assert_eq!(wait(2_000_000), 500.0);
        assert_eq!(wait(6_000_000).round(), 167.0);
        assert_eq!(wait(0), 500.0, "of a worker that does not report it");
    }

    #[test]
    fn a_wait_beyond_its_batch_is_in_no_stage() {
        let plan = SamplingPlan {
            clock: SampledClock::Wall,
            rate_hz: 1_000,
            time: Duration::from_secs(1),
            threads: String::new(),
        };
        let recording = SampleRecording {
            plan: &plan,
            report: &SamplingReport::default(),
            slower_than: None,
            executable: Path::new(""),
            profile: "release",
        };
        let mut stacks = Stacks::new(&[], recording);
        let stack = |stage| ThreadStack {
            thread: 1,
            stage,
            tag: 3,
            tag_value: 4,
            frames: vec!["recv".to_owned()],
        };
        let rest_of_batch = Some(RestOfBatch { ns: 1_000_000, duration: 2_000_000 });
        stacks.newest.insert(1, NewestSample { stack: stack(2), rest_of_batch });
        for _ in 0..2 {
            let header = RecordHeader::new(RecordKind::Blocked, 1);
            stacks.add_blocked(&RecordHeader { weight_ns: 200_000_000, ..header });
        }
        let weight =
            |stage| (stacks.weights[&stack(stage)].ns, stacks.weights[&stack(stage)].samples);
        assert_eq!([weight(2), weight(0)], [(1_000_000, 1.0), (399_000_000, 399.0)]);
    }
}
