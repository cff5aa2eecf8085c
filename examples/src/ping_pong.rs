//! Two threads that hand a turn to each other, under a mutex.

use crate::slowdown::scale;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// How many times the turn changes hands in the usual [`input`].
pub const TURNS: usize = 200;

/// How many turns `factor` times the usual work has.
#[must_use]
pub fn input(factor: f64) -> usize {
    scale(TURNS, factor)
}

/// Whose turn it is, by the number of turns that were taken.
#[derive(Debug, Default)]
struct Table {
    taken: Mutex<usize>,
    is_taken: Condvar,
}

impl Table {
    /// Takes every second turn, beginning with `first`, until all `turns` are taken. How many these
    /// were.
    fn play(&self, first: usize, turns: usize) -> usize {
        let mut played = 0;
        for turn in (first..turns).step_by(2) {
            let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.is_taken.wait_while(taken, |taken| *taken != turn);
            *waited.unwrap_or_else(PoisonError::into_inner) += 1;
            self.is_taken.notify_one();
            played += 1;
        }
        played
    }
}

/// How many turns two threads took, in turn. The second thread is started for it.
#[must_use]
pub fn play(turns: usize) -> usize {
    let table = Table::default();
    thread::scope(|scope| {
        let other = scope.spawn(|| table.play(1, turns));
        let own = table.play(0, turns);
        own + other.join().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_turns_are_taken_once() {
        for turns in [0, 1, 2, 7, TURNS] {
            assert_eq!(play(turns), turns);
        }
    }

    #[test]
    fn a_slowdown_adds_turns() {
        assert_eq!((input(1.0), input(1.1), input(2.0)), (200, 220, 400));
    }
}
