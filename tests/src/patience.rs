//! Tries that outlast the machine's mood.

use crate::Outcome;
use std::iter;
use std::thread;
use std::time::{Duration, Instant};

/// Pauses and tries together. A neighbour's phase lasts from seconds to minutes.
const LONGEST: Duration = Duration::from_secs(240);
/// Tries that come at once.
const AT_ONCE: usize = 3;
/// Tries that are made however long they take: of a long one some may fall into the same phase.
const FEWEST: usize = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// Tries until it is so, and gives the last outcome, whether it is so or not: the first tries at
/// once, the others after pauses that grow, until about four minutes are over, at least five times.
///
/// Each try has to begin from the same state, for what an earlier one left behind was left in
/// another mood. What must never happen is to be asserted in the try, what only a quiet machine
/// shows is what is waited for.
pub fn patiently<T>(mut attempt: impl FnMut() -> T, is_so: impl Fn(&T) -> bool) -> T {
    let began = Instant::now();
    let mut pauses = pauses().zip(1..);
    loop {
        let outcome = attempt();
        let (pause, tries) = pauses.next().unwrap_or_default();
        let is_over = tries >= FEWEST && began.elapsed() + pause > LONGEST;
        if is_so(&outcome) || is_over {
            return outcome;
        }
        thread::sleep(pause);
    }
}

/// What the tool ends with when something cannot be asked or built: no mood of the machine.
const MISUSE: i32 = 2;

/// Tries [`patiently`] until the process ends with `code`, or with 2.
///
/// # Panics
/// When it never does, with everything that the last try printed.
#[track_caller]
pub fn until_it_ends_with(code: i32, run: impl FnMut() -> Outcome) -> Outcome {
    let is_over = |outcome: &Outcome| [Some(code), Some(MISUSE)].contains(&outcome.code);
    patiently(run, is_over).ended_with(code)
}

/// Tries [`patiently`] until standard output has all of `parts`.
///
/// # Panics
/// When it never has, with everything that the last try printed.
#[track_caller]
pub fn until_it_prints(parts: &[&str], run: impl FnMut() -> Outcome) -> Outcome {
    patiently(run, |outcome| outcome.has(parts)).prints(parts)
}

/// What is waited after each try.
fn pauses() -> impl Iterator<Item = Duration> {
    let growing = iter::successors(Some(Duration::from_secs(1)), |pause| Some(2 * *pause));
    let growing = growing.map(|pause| pause.min(LONGEST_PAUSE));
    iter::repeat_n(Duration::ZERO, AT_ONCE - 1).chain(growing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_so_is_tried_once_and_what_is_so_later_until_then() {
        for first_so in [1, 3] {
            let mut tries = 0;
            let attempt = || {
                tries += 1;
                tries
            };
            assert_eq!(patiently(attempt, |tries| *tries >= first_so), first_so);
        }
    }

    #[test]
    fn the_first_tries_come_at_once_and_the_others_after_pauses_that_grow() {
        let first: Vec<u64> = pauses().take(9).map(|pause| pause.as_secs()).collect();
        assert_eq!(first, [0, 0, 1, 2, 4, 8, 15, 15, 15]);
    }
}
