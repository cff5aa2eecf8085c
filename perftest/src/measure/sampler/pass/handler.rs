//! The signal handler: writes registers and stack of the interrupted thread into the file.
//!
//! The handler allocates nothing, locks nothing and follows no pointer into the sampled program. The kernel
//! copies the stack and stops at its end. Stacks are followed later, by the process that reads the file.

#![allow(unsafe_code)] // A signal handler; each block explains its safety.

use super::super::state::SampledState;
use super::timer::{ThreadTimer, now_ns, this_tid};
use crate::measure::usage::clock_ns;
use perftest_process::samples::{
    HEADER_BYTES, MOST_DATA, RecordHeader, RecordKind, SLOT_BYTES, SampledRegisters,
};
use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Most threads that are sampled at a time.
pub(super) const MOST_THREADS: usize = 4_096;
/// Longest interval, in mean intervals: an exponential one is longer once in nine million times.
const LONGEST_INTERVALS: u64 = 16;
/// Most records of a file.
const MOST_RECORDS: u64 = 131_072;
/// Most records before all but names are left out: names come last, and without them no sample has its thread.
const MOST_WITH_SAMPLES: u64 = 98_304;

/// A thread that used less processor time between two samples was blocked, apart from the samples themselves.
const BLOCKED_CPU_NS: u64 = 30_000;
/// After so many samples of a blocked thread, and so much time, its timer stays off: each sample interrupts system
/// calls such as `epoll_wait`. The end of a shorter wait would be found too late on a busy machine, and count for
/// the wait.
const SAMPLES_BEFORE_PARKING: u32 = 4;
const BLOCKED_BEFORE_PARKING_NS: u64 = 50_000_000;

/// Whether samples are taken now.
pub(super) static IS_ARMED: AtomicBool = AtomicBool::new(false);
/// Whether the timers run on processor time.
pub(super) static IS_CPU: AtomicBool = AtomicBool::new(false);
/// Mean time between two samples of a thread.
pub(super) static PERIOD_NS: AtomicU64 = AtomicU64::new(0);
/// Records without a place.
pub(super) static LOST: AtomicU64 = AtomicU64::new(0);
static FILE: AtomicI32 = AtomicI32::new(-1);
static NEXT_RECORD: AtomicU64 = AtomicU64::new(0);
/// The threads by the number in their timers. A timer is bound to its thread: after the end of a thread none of
/// its signals arrives, so another thread may have the place.
pub(super) static THREADS: [SampledThread; MOST_THREADS] =
    [const { SampledThread::none() }; MOST_THREADS];

/// What the handler knows of a thread. Only the handler on this thread and the keeper of the threads write it.
#[derive(Debug)]
pub(super) struct SampledThread {
    /// Number in the file, from 1; 0 for a free place.
    pub(super) number: AtomicU64,
    /// The kernel's number of the thread; 0 for a free place.
    pub(super) tid: AtomicI32,
    pub(super) timer: AtomicUsize,
    /// End of the time that is already counted, on the monotonic clock.
    pub(super) counted_ns: AtomicU64,
    /// The same on the thread's processor clock, after the last sample.
    pub(super) counted_cpu_ns: AtomicU64,
    /// Samples so far.
    pub(super) samples: AtomicU64,
    /// When the timer expires, on its own clock.
    due_ns: AtomicU64,
    /// The mean interval when it was armed.
    pub(super) armed_period_ns: AtomicU64,
    /// Blocked for some samples: the timer is off until the thread's processor clock moves.
    pub(super) is_parked: AtomicBool,
    /// Samples in a row in which the thread was blocked.
    pub(super) blocked_samples: AtomicU32,
    /// Time of the first of them.
    blocked_since_ns: AtomicU64,
    /// State of the generator of intervals.
    pub(super) random: AtomicU64,
    /// The stack pointer of the newest sample.
    pub(super) stack_pointer: AtomicU64,
    /// End of the memory that the stack is in; the largest number before it is known.
    pub(super) stack_end: AtomicU64,
}

impl SampledThread {
    const fn none() -> Self {
        Self {
            number: AtomicU64::new(0),
            tid: AtomicI32::new(0),
            timer: AtomicUsize::new(0),
            counted_ns: AtomicU64::new(0),
            counted_cpu_ns: AtomicU64::new(0),
            samples: AtomicU64::new(0),
            due_ns: AtomicU64::new(0),
            armed_period_ns: AtomicU64::new(0),
            is_parked: AtomicBool::new(false),
            blocked_samples: AtomicU32::new(0),
            blocked_since_ns: AtomicU64::new(0),
            random: AtomicU64::new(0),
            stack_pointer: AtomicU64::new(0),
            stack_end: AtomicU64::new(u64::MAX),
        }
    }

    /// Lets the timer expire after a random time; `now` is the time of its clock.
    ///
    /// The time is exponential: the next instant is as likely as any other, whatever the thread does. With a
    /// shortest interval, what a thread does just after each sample would never be seen, and a sample can wake it.
    pub(super) fn arm(&self, now_ns: u64) {
        let period = PERIOD_NS.load(Ordering::Relaxed).max(2);
        let below_one = (self.next_random() >> 11) as f64 / (1_u64 << 53) as f64;
        let interval = -(-below_one).ln_1p() * period as f64;
        let interval = (interval as u64).clamp(1, LONGEST_INTERVALS * period);
        self.due_ns.store(now_ns + interval, Ordering::Relaxed);
        self.armed_period_ns.store(period, Ordering::Relaxed);
        let timer = ThreadTimer::of_number(self.timer.load(Ordering::Relaxed));
        timer.expire_after(Duration::from_nanos(interval));
    }

    /// The time that a sample at this time of the timer's clock stands for: the mean interval, and the time for
    /// which the signal had to wait, because nothing could expire meanwhile.
    fn weight_ns(&self, now_ns: u64) -> u64 {
        let late = now_ns.saturating_sub(self.due_ns.load(Ordering::Relaxed));
        self.armed_period_ns.load(Ordering::Relaxed) + late
    }

    fn next_random(&self) -> u64 {
        let mut random = self.random.load(Ordering::Relaxed) | 1;
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        self.random.store(random, Ordering::Relaxed);
        random
    }
}

/// Takes this file, open for writing, for the records.
pub(super) fn write_to(file: RawFd) {
    FILE.store(file, Ordering::Relaxed);
}

/// Records so far, complete or not.
pub(super) fn record_count() -> u64 {
    NEXT_RECORD.load(Ordering::Relaxed).min(MOST_RECORDS)
}

/// Installs the handler for a signal that nothing else handles, and returns the signal.
///
/// The handler stays for the rest of the process: a signal may still be pending when the last timer is gone.
pub(super) fn install() -> io::Result<c_int> {
    let taken = || io::Error::other("all real-time signals are taken");
    let signal =
        (libc::SIGRTMIN()..=libc::SIGRTMAX()).rev().find(|it| is_free(*it)).ok_or_else(taken)?;
    // SAFETY: all-zero bytes are a valid `sigaction`: no flags, an empty mask, the default action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_expiry as *const () as usize;
    // Not on the alternate stack: it may be too small, and another handler may be using it.
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler has the signature that SA_SIGINFO requires, and the pointer is to a local variable.
    let code = unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    if code == 0 { Ok(signal) } else { Err(io::Error::last_os_error()) }
}

fn is_free(signal: c_int) -> bool {
    // SAFETY: all-zero bytes are a valid `sigaction`, as in `install`.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local variable. No new action is given, so the call changes nothing.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_DFL
}

extern "C" fn on_expiry(_signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the kernel gives a valid `siginfo_t`. Signals of timers have a value; others may have
    // any bytes in its place, which are only compared as a number.
    let (code, value) = unsafe { ((*info).si_code, (*info).si_value().sival_ptr as usize) };
    // Another process may send this signal, too, with any value: then the place is of no thread, or of another.
    let Some(thread) = THREADS.get(value).filter(|_| code == libc::SI_TIMER) else { return };
    let is_own = thread.tid.load(Ordering::Relaxed) == this_tid();
    if !is_own || !IS_ARMED.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the call takes nothing, and is allowed in a signal handler.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: the location of this thread's error number is valid as long as the thread. The interrupted code gets
    // the number back at the end.
    let interrupted_errno = unsafe { *errno };
    // SAFETY: with SA_SIGINFO the kernel gives a valid context of the interrupted code, which nobody else uses
    // before the handler returns.
    let registers = unsafe { registers(&*context.cast::<libc::ucontext_t>()) };
    sample(thread, registers);
    // SAFETY: the location is still that of this thread.
    unsafe { *errno = interrupted_errno };
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> SampledRegisters {
    let register = |number: c_int| context.uc_mcontext.gregs[number as usize] as u64;
    SampledRegisters {
        instruction: register(libc::REG_RIP),
        stack: register(libc::REG_RSP),
        frame: register(libc::REG_RBP),
        link: 0,
        result: register(libc::REG_RAX),
    }
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> SampledRegisters {
    let machine = &context.uc_mcontext;
    SampledRegisters {
        instruction: machine.pc,
        stack: machine.sp,
        frame: machine.regs[29],
        link: machine.regs[30],
        result: machine.regs[0],
    }
}

/// How much to copy of a stack with this pointer. The thread may have gone to another stack, above the end of the one
/// that it had first; the kernel stops where the memory ends.
fn bytes_of_stack(pointer: u64, end: u64) -> usize {
    let room = end.checked_sub(pointer).filter(|room| *room > 0);
    room.map_or(MOST_DATA, |room| MOST_DATA.min(room as usize))
}

/// Takes a sample of the calling thread and arms its timer again.
fn sample(thread: &SampledThread, registers: SampledRegisters) {
    let cpu_now = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default();
    let used = cpu_now.saturating_sub(thread.counted_cpu_ns.load(Ordering::Relaxed));
    let is_cpu = IS_CPU.load(Ordering::Relaxed);
    let stack_bytes = bytes_of_stack(registers.stack, thread.stack_end.load(Ordering::Relaxed));
    let stack = registers.stack as *const c_void;
    let record = NewRecord::begin(RecordKind::Sample);
    let data_bytes = record.write_data(stack, stack_bytes);
    // The copy may take a while. That time belongs to this sample: the next one may be somewhere else.
    let now = now_ns();
    thread.counted_ns.store(now, Ordering::Relaxed);
    let state = SampledState::now();
    record.end(RecordHeader {
        weight_ns: thread.weight_ns(if is_cpu { cpu_now } else { now }),
        iteration: state.iteration,
        batch_ns: now.saturating_sub(state.batch_began_ns),
        stage: state.stage,
        tag: state.tag,
        tag_value: state.tag_value,
        registers,
        data_bytes,
        ..RecordHeader::new(RecordKind::Sample, thread.number.load(Ordering::Relaxed))
    });
    thread.stack_pointer.store(registers.stack, Ordering::Relaxed);
    thread.samples.fetch_add(1, Ordering::Relaxed);
    let blocked = thread.blocked_samples.load(Ordering::Relaxed) + 1;
    let blocked = if used < BLOCKED_CPU_NS { blocked } else { 0 };
    thread.blocked_samples.store(blocked, Ordering::Relaxed);
    if blocked <= 1 {
        thread.blocked_since_ns.store(now, Ordering::Relaxed);
    }
    let blocked_ns = now.saturating_sub(thread.blocked_since_ns.load(Ordering::Relaxed));
    let is_long = blocked >= SAMPLES_BEFORE_PARKING && blocked_ns >= BLOCKED_BEFORE_PARKING_NS;
    let is_parked = !is_cpu && is_long;
    let cpu_now = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(cpu_now);
    thread.counted_cpu_ns.store(cpu_now, Ordering::Relaxed);
    if is_parked {
        thread.is_parked.store(true, Ordering::Release);
    } else {
        thread.arm(if is_cpu { cpu_now } else { now_ns() });
    }
}

/// Writes a record with a copy of these bytes.
pub(super) fn write_bytes(header: RecordHeader, bytes: &[u8]) {
    let record = NewRecord::begin(header.kind);
    let data_bytes = record.write_data(bytes.as_ptr().cast(), bytes.len().min(MOST_DATA));
    record.end(RecordHeader { data_bytes, ..header });
}

/// A record that is being written. The header comes last, so that a record with a header is complete.
struct NewRecord {
    /// Where it is in the file; `None` if it has no room.
    place: Option<libc::off_t>,
}

impl NewRecord {
    fn begin(kind: RecordKind) -> Self {
        let most = match kind {
            // The time of a blocked thread would count for the last sample that had room.
            RecordKind::Sample | RecordKind::Batch | RecordKind::Blocked => MOST_WITH_SAMPLES,
            _ => MOST_RECORDS,
        };
        // Only a record with room takes a number, so that the room for names is left.
        let next = |number| (number < most).then_some(number + 1);
        let number = NEXT_RECORD.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        Self { place: number.ok().map(|number| (number * SLOT_BYTES) as libc::off_t) }
    }

    /// Writes the memory at `data`, as far as it can be read, and returns the number of its bytes.
    fn write_data(&self, data: *const c_void, bytes: usize) -> u64 {
        let Some(place) = self.place else { return 0 };
        let place = place + HEADER_BYTES as libc::off_t;
        // SAFETY: the kernel checks the memory itself: it copies what can be read and never writes to it.
        let copied = unsafe { libc::pwrite(FILE.load(Ordering::Relaxed), data, bytes, place) };
        copied.max(0) as u64
    }

    fn end(self, header: RecordHeader) {
        let header = header.encode();
        let written = self.place.map(|place| {
            let file = FILE.load(Ordering::Relaxed);
            // SAFETY: the pointer and the length are those of a local array.
            unsafe { libc::pwrite(file, header.as_ptr().cast(), HEADER_BYTES, place) }
        });
        if written != Some(HEADER_BYTES as isize) {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_above_the_first_one_of_its_thread_is_copied_too() {
        assert_eq!(bytes_of_stack(0x7000, 0x7100), 0x100);
        assert_eq!(bytes_of_stack(0x7000, u64::MAX), MOST_DATA);
        assert_eq!([0x7000, 0x6000].map(|end| bytes_of_stack(0x7000, end)), [MOST_DATA; 2]);
    }
}
