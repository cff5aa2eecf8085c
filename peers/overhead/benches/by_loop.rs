//! The function that the last argument names, under no harness: prints the nanoseconds of a call,
//! the median of loops of a millisecond. The loop itself is in it.

use peer_overhead as functions;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LOOPS: usize = 101;
const LOOP: Duration = Duration::from_millis(1);

fn main() {
    match std::env::args().next_back().as_deref() {
        Some("empty") => print(functions::empty),
        Some("independent") => print(functions::independent),
        Some("about_1_ns") => print(functions::about_1_ns),
        Some("about_50_ns") => print(functions::about_50_ns),
        Some("about_1_us") => print(functions::about_1_us),
        _ => panic!("the last argument names no function"),
    }
}

fn print<T>(function: impl Fn() -> T) {
    let mut calls = 1;
    while time(calls, &function) < LOOP {
        calls *= 2;
    }
    let mut loops: Vec<Duration> = (0..LOOPS).map(|_| time(calls, &function)).collect();
    loops.sort_unstable();
    println!("{}", loops[LOOPS / 2].as_nanos() as f64 / f64::from(calls));
}

fn time<T>(calls: u32, function: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(function());
    }
    start.elapsed()
}
