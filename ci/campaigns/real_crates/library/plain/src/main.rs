//! Times a body without perftest and prints the nanoseconds of one call.
//!
//!     plain NAME
//!     plain            prints the names

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

const WARM_UP: Duration = Duration::from_millis(8);
/// How long a batch is at least, and how many there are.
const BATCH: Duration = Duration::from_micros(500);
const BATCHES: usize = 25;

macro_rules! by_name {
    ($($name:ident),+) => {
        fn names() -> &'static [&'static str] {
            &[$(stringify!($name)),+]
        }

        fn nanoseconds_of(name: &str) -> Option<f64> {
            match name {
                $(stringify!($name) => Some(nanoseconds(real_crates::$name())),)+
                _ => None,
            }
        }
    };
}

real_crates::each_body!(by_name);

fn main() {
    let Some(name) = env::args().nth(1) else {
        return names().iter().for_each(|name| println!("{name}"));
    };
    match nanoseconds_of(&name) {
        Some(nanoseconds) => println!("{nanoseconds}"),
        None => panic!("there is no body {name}; there are {}", names().join(", ")),
    }
}

/// The middle of the batches.
fn nanoseconds<T>(mut body: impl FnMut() -> T) -> f64 {
    let begin = Instant::now();
    let mut calls = 0_u32;
    while calls == 0 || begin.elapsed() < WARM_UP {
        black_box(body());
        calls += 1;
    }
    let a_call = begin.elapsed() / calls;
    let calls = (BATCH.as_nanos() / a_call.as_nanos().max(1)).clamp(1, 1_000_000);
    let mut batches: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let begin = Instant::now();
            for _ in 0..calls {
                black_box(body());
            }
            begin.elapsed().as_nanos() as f64 / calls as f64
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[BATCHES / 2]
}
