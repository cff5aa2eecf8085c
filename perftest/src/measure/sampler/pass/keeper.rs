//! Finds the threads of this process, gives each a timer, and counts the time of those that stay blocked.

use super::handler::{
    IS_ARMED, IS_CPU, MOST_THREADS, PERIOD_NS, SampledThread, THREADS, write_bytes,
};
use super::memory_map::MemoryMap;
use super::timer::{ThreadTimer, cpu_clock_of, now_ns};
use crate::measure::usage::clock_ns;
use perftest_core::list::IntoList;
use perftest_process::samples::{RecordHeader, RecordKind};
use perftest_store::directory;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Threads that are sampled at the full rate. With more each one is sampled less often, so that the samples of
/// all together have a bound.
const AT_FULL_RATE: u64 = 8;
/// The search for new threads takes at most this part of a processor.
const SEARCH_SHARE: u32 = 100;
/// Shortest time between two searches.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
/// Searches in which the name of a thread is read again: at first it has that of its creator.
const SEARCHES_FOR_NAME: u32 = 3;
/// Source: `TASK_COMM_LEN` of the kernel, without the zero at its end.
const MOST_NAME_BYTES: usize = 15;
/// The name of threads without one.
const UNNAMED: &str = "[thread]";
/// A parked thread uses less to go back to its wait.
const BACK_TO_WAIT_NS: u64 = 30_000;

/// The sampled threads of this process.
#[derive(Debug)]
pub(super) struct Keeper {
    signal: libc::c_int,
    /// The thread of the test.
    test: libc::pid_t,
    /// Threads of the harness, which are not sampled.
    ignored: Vec<libc::pid_t>,
    /// Only threads whose names begin with this.
    beginning: String,
    /// Threads with their numbers in the system.
    sampled: Vec<(libc::pid_t, KeptThread)>,
    /// Threads so far.
    count: u64,
    period_ns: u64,
    next_search_ns: u64,
    /// Threads that could not be given a timer.
    pub(super) refused: u64,
    /// Threads that lived and never were in a sample, though they should have been.
    pub(super) unsampled: u64,
}

/// A thread and its place among [`THREADS`].
#[derive(Debug)]
struct KeptThread {
    place: usize,
    number: u64,
    name: String,
    /// The processor time when the thread was found parked; `None` while it is not.
    parked_cpu_ns: Option<u64>,
    /// Searches since it was found.
    searches: u32,
    /// Time in which samples could be taken.
    armed_ns: u64,
    armed_since_ns: u64,
}

impl KeptThread {
    fn thread(&self) -> &'static SampledThread {
        &THREADS[self.place]
    }
}

impl Keeper {
    pub(super) fn new(
        signal: libc::c_int,
        test: libc::pid_t,
        ignored: Vec<libc::pid_t>,
        period_ns: u64,
        beginning: String,
    ) -> Self {
        Self {
            signal,
            test,
            ignored,
            beginning: in_system(&beginning).to_owned(),
            sampled: Vec::new(),
            count: 0,
            period_ns,
            next_search_ns: 0,
            refused: 0,
            unsampled: 0,
        }
    }

    /// The threads so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Finds the threads, and returns whether the system gave no timer to any of them.
    pub(super) fn is_refused(&mut self) -> bool {
        self.search();
        self.count == 0 && self.refused > 0
    }

    /// Ignores this thread.
    pub(super) fn ignore(&mut self, tid: libc::pid_t) {
        self.ignored.push(tid);
    }

    /// Does what is due, and returns the time until the next call.
    pub(super) fn turn(&mut self) -> Duration {
        if !IS_ARMED.load(Ordering::Relaxed) {
            return SHORTEST_PAUSE;
        }
        let now = now_ns();
        if now >= self.next_search_ns {
            self.search();
            let searched = now_ns();
            let took = Duration::from_nanos(searched - now);
            let pause = (took * SEARCH_SHARE).max(SHORTEST_PAUSE);
            self.next_search_ns = searched + pause.as_nanos() as u64;
        }
        self.find_ends_of_stacks();
        let is_any_parked = self.wake_parked();
        let pause = Duration::from_nanos(self.next_search_ns.saturating_sub(now_ns()));
        let half = Duration::from_nanos(self.period_ns / 2);
        if is_any_parked { pause.min(half) } else { pause }
    }

    /// Samples all threads from now on.
    pub(super) fn resume(&mut self) {
        self.search();
        IS_ARMED.store(true, Ordering::Relaxed);
        for (tid, kept) in &mut self.sampled {
            begin(*tid, kept);
        }
    }

    /// Samples no thread from now on.
    pub(super) fn pause(&mut self) {
        IS_ARMED.store(false, Ordering::Relaxed);
        let now = now_ns();
        for (_, kept) in &mut self.sampled {
            stop(kept, now);
        }
    }

    /// Ends the sampling and writes the names of the threads.
    pub(super) fn end(&mut self) {
        self.pause();
        std::mem::take(&mut self.sampled).into_iter().for_each(|(_, kept)| self.forget(kept));
    }

    /// Adds new threads and removes those that have ended.
    fn search(&mut self) {
        let alive = tids();
        let ended = self.sampled.extract_if(.., |(tid, _)| !alive.contains(tid)).into_list();
        ended.into_iter().for_each(|(_, kept)| self.forget(kept));
        for (tid, kept) in &mut self.sampled {
            kept.searches += 1;
            if kept.searches <= SEARCHES_FOR_NAME
                && let Some(name) = name_of(*tid, self.test)
            {
                kept.name = name;
            }
        }
        for tid in alive {
            let is_sampled = self.sampled.iter().any(|(other, _)| *other == tid);
            if is_sampled || self.ignored.contains(&tid) {
                continue;
            }
            // A thread with another name may get its own later.
            let name = name_of(tid, self.test).unwrap_or_default();
            if name.starts_with(&self.beginning) {
                self.add(tid, name);
            }
        }
        let crowd = (self.sampled.len() as u64).div_ceil(AT_FULL_RATE).max(1);
        PERIOD_NS.store(self.period_ns * crowd, Ordering::Relaxed);
    }

    fn add(&mut self, tid: libc::pid_t, name: String) {
        let place = (0..MOST_THREADS).find(|it| THREADS[*it].number.load(Ordering::Relaxed) == 0);
        let clock =
            if IS_CPU.load(Ordering::Relaxed) { cpu_clock_of(tid) } else { libc::CLOCK_MONOTONIC };
        let timer = place.and_then(|place| {
            Some((place, ThreadTimer::create(clock, self.signal, tid, place).ok()?))
        });
        let Some((place, timer)) = timer else {
            // A thread that has just ended is no refusal.
            if clock_ns(cpu_clock_of(tid)).is_some() {
                self.refused += 1;
                self.ignored.push(tid);
            }
            return;
        };
        self.count += 1;
        let thread = &THREADS[place];
        thread.timer.store(timer.number(), Ordering::Relaxed);
        thread.samples.store(0, Ordering::Relaxed);
        thread.stack_pointer.store(0, Ordering::Relaxed);
        thread.stack_end.store(u64::MAX, Ordering::Relaxed);
        let seed = now_ns().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tid as u64;
        thread.random.store(seed, Ordering::Relaxed);
        thread.tid.store(tid, Ordering::Relaxed);
        thread.number.store(self.count, Ordering::Release);
        let mut kept = KeptThread {
            place,
            number: self.count,
            name,
            parked_cpu_ns: None,
            searches: 0,
            armed_ns: 0,
            armed_since_ns: 0,
        };
        if IS_ARMED.load(Ordering::Relaxed) {
            begin(tid, &mut kept);
        }
        self.sampled.push((tid, kept));
    }

    /// Ends the sampling of a thread and writes its name.
    fn forget(&mut self, mut kept: KeptThread) {
        stop(&mut kept, now_ns());
        let thread = kept.thread();
        ThreadTimer::of_number(thread.timer.load(Ordering::Relaxed)).delete();
        let header = RecordHeader::new(RecordKind::ThreadName, kept.number);
        match thread.samples.load(Ordering::Relaxed) {
            0 => {
                // Ten expiries without a sample are no accident. Processor time may not have run at all.
                let period = thread.armed_period_ns.load(Ordering::Relaxed);
                let is_missed = kept.armed_ns > 10 * period;
                self.unsampled += u64::from(is_missed && !IS_CPU.load(Ordering::Relaxed));
            }
            _ => write_bytes(header, kept.name.as_bytes()),
        }
        thread.tid.store(0, Ordering::Relaxed);
        thread.number.store(0, Ordering::Relaxed);
    }

    /// Where the stacks of new threads end: nothing behind them is copied.
    fn find_ends_of_stacks(&self) {
        let is_unknown = |kept: &&KeptThread| {
            let thread = kept.thread();
            let is_sampled = thread.stack_pointer.load(Ordering::Relaxed) != 0;
            is_sampled && thread.stack_end.load(Ordering::Relaxed) == u64::MAX
        };
        let mut unknown = self.sampled.iter().map(|(_, kept)| kept).filter(is_unknown).peekable();
        if unknown.peek().is_none() {
            return;
        }
        let map = MemoryMap::of_this_process();
        for kept in unknown {
            let thread = kept.thread();
            let end = map.end_of(thread.stack_pointer.load(Ordering::Relaxed));
            // Unknown to the map is no reason to look again and again.
            thread.stack_end.store(end.unwrap_or(u64::MAX - 1), Ordering::Relaxed);
        }
    }

    /// Arms the timers of parked threads that run again. Returns whether a thread is still parked.
    fn wake_parked(&mut self) -> bool {
        let mut is_any_parked = false;
        let now = now_ns();
        for (tid, kept) in &mut self.sampled {
            let thread = kept.thread();
            if !thread.is_parked.load(Ordering::Acquire) {
                continue;
            }
            let Some(cpu_now) = clock_ns(cpu_clock_of(*tid)) else { continue };
            let at_sample = thread.counted_cpu_ns.load(Ordering::Relaxed);
            let runs = match kept.parked_cpu_ns {
                Some(parked) => cpu_now != parked,
                None => cpu_now.saturating_sub(at_sample) > BACK_TO_WAIT_NS,
            };
            if !runs {
                kept.parked_cpu_ns = Some(cpu_now);
                is_any_parked = true;
                continue;
            }
            // It began to run at any time since the last look, and before it used this time of a processor.
            let used = cpu_now.saturating_sub(kept.parked_cpu_ns.unwrap_or(at_sample));
            count_blocked(kept, now.saturating_sub(used.max(self.period_ns / 4)));
            begin(*tid, kept);
        }
        is_any_parked
    }
}

/// Samples this thread from now on.
fn begin(tid: libc::pid_t, kept: &mut KeptThread) {
    let thread = kept.thread();
    kept.parked_cpu_ns = None;
    let now = now_ns();
    if kept.armed_since_ns == 0 {
        kept.armed_since_ns = now;
    }
    let counted = thread.counted_ns.load(Ordering::Relaxed);
    let is_counted = thread.is_parked.swap(false, Ordering::Relaxed);
    // What is counted as blocked is behind a parked thread; anybody else begins now.
    thread.counted_ns.store(if is_counted { counted } else { now }, Ordering::Relaxed);
    let cpu_now = clock_ns(cpu_clock_of(tid)).unwrap_or_default();
    thread.counted_cpu_ns.store(cpu_now, Ordering::Relaxed);
    thread.blocked_samples.store(0, Ordering::Relaxed);
    thread.arm(if IS_CPU.load(Ordering::Relaxed) { cpu_now } else { now });
}

/// Samples this thread no more. Time since its last sample counts only if the thread was blocked in it.
fn stop(kept: &mut KeptThread, now: u64) {
    let thread = kept.thread();
    ThreadTimer::of_number(thread.timer.load(Ordering::Relaxed)).expire_after(Duration::ZERO);
    if thread.is_parked.swap(false, Ordering::Acquire) {
        count_blocked(kept, now);
    }
    if kept.armed_since_ns > 0 {
        kept.armed_ns += now.saturating_sub(kept.armed_since_ns);
        kept.armed_since_ns = 0;
    }
    kept.parked_cpu_ns = None;
}

/// Counts the time up to `end` for the last stack of a parked thread.
fn count_blocked(kept: &KeptThread, end: u64) {
    let thread = kept.thread();
    let counted = thread.counted_ns.load(Ordering::Relaxed);
    if end <= counted {
        return;
    }
    thread.counted_ns.store(end, Ordering::Relaxed);
    let period_ns = thread.armed_period_ns.load(Ordering::Relaxed);
    let header = RecordHeader::new(RecordKind::Blocked, kept.number);
    write_bytes(RecordHeader { weight_ns: end - counted, period_ns, ..header }, &[]);
}

/// The threads of this process.
pub(super) fn tids() -> Vec<libc::pid_t> {
    let entries = directory::entries(Path::new("/proc/self/task")).into_iter();
    entries.filter_map(|entry| entry.file_name()?.to_str()?.parse().ok()).into_list()
}

/// The beginning of the name of a thread as the system has it: of a name it keeps the first bytes.
fn in_system(mut name: &str) -> &str {
    while name.len() > MOST_NAME_BYTES {
        let last = name.char_indices().next_back();
        name = &name[..last.map_or(0, |(place, _)| place)];
    }
    name
}

/// The name of a thread in the file, beside the thread of the test. A thread without a name has that of its creator in
/// the system: of the first thread, which is that of the program and differs from build to build, or of the test's thread,
/// to which libtest gives the name of the test.
fn name_of(tid: libc::pid_t, test: libc::pid_t) -> Option<String> {
    if tid == test {
        return Some("main".to_owned());
    }
    let name = system_name_of(tid)?;
    let first = std::process::id() as libc::pid_t;
    let is_inherited =
        [first, test].into_iter().any(|it| system_name_of(it).as_ref() == Some(&name));
    Some(if is_inherited { UNNAMED.to_owned() } else { name })
}

fn system_name_of(tid: libc::pid_t) -> Option<String> {
    let name = fs::read(format!("/proc/self/task/{tid}/comm")).ok()?;
    let name = String::from_utf8_lossy(&name).trim_end().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::timer::this_tid;
    use super::*;
    use std::thread;

    /// The names of the calling thread as the thread of the test, of a thread without a name that it starts, and of one
    /// with a name.
    fn names() -> [Option<String>; 3] {
        let test = this_tid();
        let name = move || name_of(this_tid(), test);
        let unnamed = thread::spawn(name).join().unwrap();
        let named = thread::Builder::new().name("pool".to_owned()).spawn(name).unwrap();
        [name(), unnamed, named.join().unwrap()]
    }

    #[test]
    fn a_thread_is_found_by_the_whole_of_a_long_name() {
        for name in ["connection-handler", "encoder-für-größen", "pool", ""] {
            let thread = thread::Builder::new().name(name.to_owned());
            let found = thread.spawn(|| system_name_of(this_tid()).unwrap_or_default()).unwrap();
            let found = found.join().unwrap();
            assert!(found.starts_with(in_system(name)), "{found}, {}", in_system(name));
            assert!(in_system(name).len() >= name.len().min(14));
        }
    }

    #[test]
    fn the_thread_of_the_test_is_main_and_one_without_a_name_has_none_whatever_libtest_calls_its_thread()
     {
        let of_libtest = thread::Builder::new().name("frame::encode".to_owned()).spawn(names);
        for names in [names(), of_libtest.unwrap().join().unwrap()] {
            assert_eq!(
                names.each_ref().map(Option::as_deref),
                [Some("main"), Some("[thread]"), Some("pool")]
            );
        }
    }
}
