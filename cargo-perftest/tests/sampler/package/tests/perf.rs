//! Tests whose profiles are known.

use perftest::{Bencher, black_box, perf_test};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

perftest::main!();

#[global_allocator]
static ALLOCATOR: perftest::CountingAllocator = perftest::CountingAllocator::new();

/// Spins without a system call that leaves the process.
#[inline(never)]
fn spin(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        black_box((0..200_u64).fold(1, |a, b| black_box(a) ^ b));
    }
}

#[inline(never)]
fn nap(time: Duration) {
    thread::sleep(time);
    black_box(());
}

#[inline(never)]
fn call_the_kernel(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        for _ in 0..20 {
            let _ = black_box(fs::metadata("/"));
        }
    }
}

#[inline(never)]
fn wait_for_lock(lock: &Mutex<()>) {
    drop(black_box(lock.lock()));
}

/// Times of the four parts, written down from time to time: the process may end at any moment.
struct Truth {
    file: Option<PathBuf>,
    times: [Duration; 4],
    written: Instant,
}

impl Truth {
    fn new() -> Self {
        let file = std::env::var_os("TRUTH").map(PathBuf::from);
        Self { file, times: [Duration::ZERO; 4], written: Instant::now() }
    }

    fn time(&mut self, part: usize, work: impl FnOnce()) {
        let began = Instant::now();
        work();
        self.times[part] += began.elapsed();
    }

    fn write(&mut self) {
        if self.written.elapsed() < Duration::from_millis(200) {
            return;
        }
        self.written = Instant::now();
        if let Some(file) = &self.file {
            let lines = self.times.map(|time| format!("{}\n", time.as_nanos()));
            let _ = fs::write(file, lines.concat());
        }
    }
}

/// The holder of a lock has it for 2 ms of each request.
fn lock_holder() -> (Arc<Mutex<()>>, mpsc::Sender<mpsc::Sender<()>>) {
    let lock = Arc::new(Mutex::new(()));
    let (sender, requests) = mpsc::channel::<mpsc::Sender<()>>();
    let own = Arc::clone(&lock);
    let holder = thread::Builder::new().name("holder".into()).spawn(move || {
        for ready in requests {
            let held = own.lock();
            let _ = ready.send(());
            thread::sleep(Duration::from_millis(2));
            drop(held);
        }
    });
    drop(holder);
    (lock, sender)
}

fn parts(truth: &mut Truth, lock: &Mutex<()>, holder: &mpsc::Sender<mpsc::Sender<()>>) {
    truth.time(0, || spin(Duration::from_millis(2)));
    truth.time(1, || nap(Duration::from_millis(3)));
    truth.time(2, || call_the_kernel(Duration::from_millis(1)));
    let (ready, is_held) = mpsc::channel();
    let _ = holder.send(ready);
    let _ = is_held.recv();
    truth.time(3, || wait_for_lock(lock));
    truth.write();
}

/// Rounds of an iteration: so many that the pass has no blocks without samples, whose shares may be others.
fn rounds_of_iteration() -> u32 {
    std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(25)
}

#[perf_test]
fn known_shares(b: &mut Bencher) {
    let mut truth = Truth::new();
    let (lock, holder) = lock_holder();
    b.iter(|| (0..rounds_of_iteration()).for_each(|_| parts(&mut truth, &lock, &holder)));
}

/// The same, begun every 10 ms sharp.
#[perf_test]
fn locked_to_a_period(b: &mut Bencher) {
    let mut truth = Truth::new();
    let (lock, holder) = lock_holder();
    let began = Instant::now();
    b.iter(|| {
        for _ in 0..rounds_of_iteration() {
            let period = 10_000_000 - began.elapsed().as_nanos() as u64 % 10_000_000;
            thread::sleep(Duration::from_nanos(period));
            parts(&mut truth, &lock, &holder);
        }
    });
}

/// Rounds of `unescape`, in percent of the usual ones.
fn rounds() -> u64 {
    std::env::var("UNESCAPE").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// So many steps of a generator: nothing in it is a call, and nothing can be left out.
macro_rules! steps {
    ($count:expr, $shift:expr) => {{
        let (mut state, mut left) = (black_box(0x9e37_79b9_7f4a_7c15_u64), $count);
        while left > 0 {
            state ^= state << $shift;
            state ^= state >> 7;
            state ^= state << 17;
            left -= 1;
        }
        state
    }};
}

#[inline(never)]
fn unescape(rounds: u64) -> u64 {
    steps!(rounds * 200, 13)
}

#[inline(never)]
fn parse() -> u64 {
    steps!(20_000, 11)
}

#[inline(never)]
fn render() -> u64 {
    steps!(20_000, 12)
}

#[perf_test]
fn three_functions(b: &mut Bencher) {
    let rounds = rounds();
    b.iter(|| parse() ^ unescape(rounds) ^ render());
}

#[perf_test]
fn parses_what_it_unescaped(b: &mut Bencher) {
    let rounds = rounds();
    b.with_setup(|| unescape(rounds)).iter(|_| parse());
}

/// Steps that take about so many microseconds.
#[perf_test(args = [1, 5, 50])]
fn microseconds(b: &mut Bencher, micros: u64) {
    let count = black_box(micros * 500);
    b.iter(|| steps!(count, 13));
}

#[perf_test]
fn sleeps_and_spins(b: &mut Bencher) {
    let mut truth = Truth::new();
    b.iter(|| {
        for _ in 0..rounds_of_iteration() {
            truth.time(0, || spin(Duration::from_millis(5)));
            truth.time(1, || nap(Duration::from_millis(5)));
            truth.write();
        }
    });
}

/// One of fifty iterations takes 122 ms, the others 2 ms, or more on a busy machine.
#[perf_test]
fn sometimes_slow(b: &mut Bencher) {
    let mut iteration = 0_u32;
    b.iter(|| {
        spin(Duration::from_millis(2));
        iteration += 1;
        if iteration % 50 == 0 {
            nap(Duration::from_millis(120));
        }
    });
}

#[inline(never)]
fn blocked_in_a_channel(receiver: &mpsc::Receiver<()>) {
    let _ = black_box(receiver.recv());
}

#[perf_test]
fn two_blocked_threads(b: &mut Bencher) {
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock();
    let (_sender, receiver) = mpsc::channel();
    let waiting = Arc::clone(&lock);
    let _ = thread::Builder::new().name("locker".into()).spawn(move || wait_for_lock(&waiting));
    let _ = thread::Builder::new().name("listener".into()).spawn(move || blocked_in_a_channel(&receiver));
    b.iter(|| spin(Duration::from_millis(1)));
    drop(held);
}

#[inline(always)]
fn inlined(a: u64) -> u64 {
    steps!(5_000 + (a & 1), 13)
}

#[inline(never)]
fn around_inlined(a: u64) -> u64 {
    inlined(black_box(a)) ^ 1
}

#[perf_test]
fn with_an_inlined_function(b: &mut Bencher) {
    b.iter(|| around_inlined(black_box(3)));
}

#[perf_test]
fn tags_and_stages(b: &mut Bencher) {
    b.iter_stages(|stages| {
        stages.stage("first", || {
            for request in [7, 8] {
                let _tag = perftest::tag("request", request);
                spin(Duration::from_millis(1));
            }
        });
        stages.stage("second", || spin(Duration::from_millis(1)));
    });
}

#[perf_test]
fn a_command(b: &mut Bencher) {
    b.command(|| {
        let mut command = Command::new("sleep");
        command.arg("0.2");
        command
    });
}

#[inline(never)]
fn encode() -> usize {
    black_box((0..1_000_u64).map(Box::new).collect::<Vec<_>>()).len()
}

/// Nearly all of its time is that of allocations.
#[perf_test]
fn allocates(b: &mut Bencher) {
    b.iter(encode);
}

#[perf_test]
fn beside_a_thread_without_a_name(b: &mut Bencher) {
    let (_sender, receiver) = mpsc::channel();
    let _ = thread::spawn(move || blocked_in_a_channel(&receiver));
    b.iter(|| spin(Duration::from_millis(1)));
}

/// One case. The first time a pool of one thread is made for it, where that is asked.
fn case_with_a_pool() -> [u32; 1] {
    static POOL: Once = Once::new();
    if std::env::var_os("POOL").is_some() {
        POOL.call_once(|| {
            let (sender, receiver) = mpsc::channel();
            std::mem::forget(sender);
            let pool = thread::Builder::new().name("pool-that-serves-cases".into());
            let _ = pool.spawn(move || blocked_in_a_channel(&receiver));
        });
    }
    [1]
}

#[perf_test(args = case_with_a_pool())]
fn beside_a_pool(b: &mut Bencher, _case: u32) {
    b.iter(|| spin(Duration::from_millis(1)));
}

#[perf_test(args = [16, 1_000])]
fn beside_a_crowd(b: &mut Bencher, threads: u32) {
    let (sender, receiver) = mpsc::channel::<()>();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..threads {
        let receiver = Arc::clone(&receiver);
        let thread = thread::Builder::new().name("crowd".into()).stack_size(64 << 10);
        let _ = thread.spawn(move || receiver.lock().map(|receiver| receiver.recv().is_ok()).ok());
    }
    b.iter(|| spin(Duration::from_millis(1)));
    drop(sender);
}

#[perf_test]
fn threads_that_come_and_go(b: &mut Bencher) {
    b.iter(|| {
        let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| spin(Duration::from_millis(2)))).collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    });
}

mod masked {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn sigfillset(set: *mut [u64; 16]) -> c_int;
        fn pthread_sigmask(how: c_int, set: *const [u64; 16], old: *mut [u64; 16]) -> c_int;
    }

    /// Blocks all signals on this thread.
    pub fn block_signals() {
        let mut set = [0; 16];
        // SAFETY: the set is as large as that of the C library, and 0 is `SIG_BLOCK`.
        unsafe {
            sigfillset(&mut set);
            pthread_sigmask(0, &set, std::ptr::null_mut());
        }
    }
}

#[perf_test]
fn beside_a_thread_that_blocks_signals(b: &mut Bencher) {
    let (_sender, receiver) = mpsc::channel();
    let _ = thread::Builder::new().name("deaf".into()).spawn(move || {
        masked::block_signals();
        blocked_in_a_channel(&receiver);
    });
    b.iter(|| spin(Duration::from_millis(1)));
}

mod limited {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
    }

    /// Lets this process have no pending signal, and so no timer.
    pub fn refuse_timers() {
        // SAFETY: the limit is as large as that of the C library, and 11 is `RLIMIT_SIGPENDING`.
        unsafe { setrlimit(11, &[0; 2]) };
    }
}

#[perf_test]
fn without_timers(b: &mut Bencher) {
    limited::refuse_timers();
    b.iter(|| spin(Duration::from_millis(1)));
}

#[perf_test]
fn hangs_after_a_while(b: &mut Bencher) {
    let began = Instant::now();
    b.iter(|| {
        spin(Duration::from_millis(1));
        if began.elapsed() > Duration::from_millis(1_500) {
            thread::sleep(Duration::from_secs(600));
        }
    });
}

#[perf_test]
fn aborts_after_a_while(b: &mut Bencher) {
    let began = Instant::now();
    b.iter(|| {
        spin(Duration::from_millis(1));
        if began.elapsed() > Duration::from_millis(1_500) {
            std::process::abort();
        }
    });
}

/// Writes a note when it is dropped, and takes its time.
struct Parting(PathBuf);

impl Drop for Parting {
    fn drop(&mut self) {
        let mut note = fs::File::create(&self.0).unwrap();
        note.write_all(b"left").unwrap();
        spin(Duration::from_millis(300));
    }
}

#[perf_test]
fn panics_after_a_while(b: &mut Bencher) {
    let began = Instant::now();
    let _parting = Parting(std::env::temp_dir().join("note"));
    b.iter(|| {
        spin(Duration::from_millis(1));
        assert!(began.elapsed() < Duration::from_millis(1_500), "no more work");
    });
}
