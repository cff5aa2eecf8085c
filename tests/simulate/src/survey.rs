//! Many lifetimes of many worlds.

use crate::{Decision, Figures, World, decisions};
use std::thread;

/// Lifetimes that a thread takes at a time.
const CHUNK: u64 = 50;

/// What is to be simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Decisions of each kind.
    pub decisions: u64,
    /// Runs of history, ascending.
    pub histories: Vec<usize>,
    /// How many times slower the code is made.
    pub slowdowns: Vec<f64>,
    /// The worlds.
    pub worlds: Vec<&'static World>,
    /// Another seed, other machines.
    pub seed: u64,
}

/// The decisions of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Where.
    pub world: &'static World,
    /// Runs of history.
    pub history: usize,
    /// How many times slower the code was made.
    pub slowdown: f64,
    /// What they came to.
    pub figures: Figures,
}

impl Survey {
    /// Simulates on all processors. The answer does not depend on how many there are.
    pub fn cells(&self) -> Vec<Cell> {
        self.worlds.iter().flat_map(|world| self.cells_of(world)).collect()
    }

    fn cells_of(&self, world: &'static World) -> Vec<Cell> {
        let lifetimes = self.lifetimes(world);
        let places = self.histories.iter().enumerate().flat_map(|(line, history)| {
            self.slowdowns
                .iter()
                .enumerate()
                .map(move |(column, slowdown)| (line, column, *history, *slowdown))
        });
        let cell = |(line, column, history, slowdown): (usize, usize, usize, f64)| {
            let decided: Vec<Decision> = lifetimes.iter().map(|it| it[line][column]).collect();
            Cell { world, history, slowdown, figures: Figures::of(&decided) }
        };
        places.map(cell).collect()
    }

    /// The decisions of each lifetime, in the order of their numbers.
    fn lifetimes(&self, world: &'static World) -> Vec<Vec<Vec<Decision>>> {
        let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let chunks = self.decisions.div_ceil(CHUNK);
        let live = |thread: u64| -> Vec<(u64, Vec<Vec<Vec<Decision>>>)> {
            let own = (thread..chunks).step_by(threads as usize);
            own.map(|chunk| (chunk, self.chunk(world, chunk))).collect()
        };
        let live = &live;
        let mut lived: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> =
                (0..threads).map(|thread| scope.spawn(move || live(thread))).collect();
            started.into_iter().flat_map(|it| it.join().expect("a simulation ends")).collect()
        });
        lived.sort_unstable_by_key(|(chunk, _)| *chunk);
        lived.into_iter().flat_map(|(_, lifetimes)| lifetimes).collect()
    }

    fn chunk(&self, world: &'static World, chunk: u64) -> Vec<Vec<Vec<Decision>>> {
        let numbers = chunk * CHUNK..self.decisions.min((chunk + 1) * CHUNK);
        let lifetime =
            |number| decisions(world, [self.seed, number], &self.histories, &self.slowdowns);
        numbers.map(lifetime).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_cell_for_each_world_history_and_slowdown_with_all_its_decisions() {
        let survey = Survey {
            decisions: 60,
            histories: vec![5, 8],
            slowdowns: vec![1.0, 2.0],
            worlds: vec![World::named("steady").unwrap()],
            seed: 1,
        };
        let cells = survey.cells();
        let kinds: Vec<(usize, f64)> = cells.iter().map(|it| (it.history, it.slowdown)).collect();
        assert_eq!(kinds, [(5, 1.0), (5, 2.0), (8, 1.0), (8, 2.0)]);
        assert!(cells.iter().all(|it| it.figures.decisions == 60));
        assert_eq!(survey.cells(), cells);
    }
}
