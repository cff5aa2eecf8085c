//! Bodies that work in threads. `THREADS_WORK` is read when this is built: percent of the usual work.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

use rayon::prelude::*;
use tokio::runtime::{Builder, Runtime};

/// Percent of the usual work.
const WORK: usize = match option_env!("THREADS_WORK") {
    None => 100,
    Some(text) => number(text.as_bytes()),
};

const fn number(digits: &[u8]) -> usize {
    let (mut number, mut index) = (0, 0);
    while index < digits.len() {
        number = number * 10 + (digits[index] - b'0') as usize;
        index += 1;
    }
    number
}

fn scaled(usual: usize) -> usize {
    usual * WORK / 100
}

/// A chain of multiplications, a nanosecond or so each.
fn multiply(steps: usize) -> u64 {
    let step = |x: u64, index| {
        x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(index as u64) ^ (x >> 29)
    };
    (0..steps).fold(black_box(1), step)
}

/// Two threads hand a turn to each other, under a mutex with a condition variable.
pub fn mutex_ping_pong() -> usize {
    let table = (Mutex::new(0), Condvar::new());
    let turns = scaled(200);
    thread::scope(|scope| {
        scope.spawn(|| play(&table, 1, turns));
        play(&table, 0, turns)
    })
}

fn play((taken, is_taken): &(Mutex<usize>, Condvar), first: usize, turns: usize) -> usize {
    let mut played = 0;
    for turn in (first..turns).step_by(2) {
        let free = taken.lock().expect("nobody panics");
        *is_taken.wait_while(free, |taken| *taken != turn).expect("nobody panics") += 1;
        is_taken.notify_one();
        played += 1;
    }
    played
}

/// Two threads that work under one lock.
pub fn contended_lock() -> u64 {
    let sum = Mutex::new(0_u64);
    let add =
        || (0..scaled(2_000)).for_each(|_| *sum.lock().expect("nobody panics") ^= multiply(10));
    thread::scope(|scope| {
        scope.spawn(add);
        scope.spawn(add);
    });
    sum.into_inner().expect("nobody panics")
}

/// The threads of rayon.
pub fn rayon_sum() -> u64 {
    (0..64).into_par_iter().map(|_| multiply(scaled(2_000))).reduce(|| 0, u64::wrapping_add)
}

/// A channel of crossbeam with little room, from one thread to the other.
pub fn channel() -> u64 {
    let (sender, receiver) = crossbeam_channel::bounded(16);
    thread::scope(|scope| {
        scope.spawn(move || (0..scaled(1_000)).try_for_each(|_| sender.send(multiply(20))));
        receiver.iter().fold(0, |sum: u64, it| sum ^ it)
    })
}

/// A thread that is started for each call.
pub fn thread_per_call() -> u64 {
    thread::spawn(|| multiply(scaled(200_000))).join().expect("it does not panic")
}

/// A runtime of tokio with two workers.
pub fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().expect("threads can be started")
}

/// Twenty tasks on the workers of a runtime.
pub fn tokio_tasks(runtime: &Runtime) -> u64 {
    runtime.block_on(async {
        let tasks: Vec<_> =
            (0..20).map(|_| tokio::spawn(async { multiply(scaled(20_000)) })).collect();
        let mut sum = 0;
        for task in tasks {
            sum ^= task.await.expect("it does not panic");
        }
        sum
    })
}

/// A thread that spins until this is dropped.
pub struct Spinner {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    /// Starts it.
    pub fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let spin = move || {
            while !seen.load(Ordering::Relaxed) {
                spin_loop();
            }
        };
        Self { is_over, thread: Some(thread::spawn(spin)) }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

/// Work on the measuring thread alone.
pub fn alone() -> u64 {
    multiply(scaled(20_000))
}
