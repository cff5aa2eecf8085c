//! Many lifetimes of many worlds.

use crate::{Figures, LifetimeDecision, World, decisions};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Lifetimes that a thread takes at a time.
const CHUNK: u64 = 50;

/// The decisions of one lifetime: a line for each history, with one for each slowdown.
type LifetimeResult = Vec<Vec<LifetimeDecision>>;

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
        let chunks = self.decisions.div_ceil(CHUNK).max(1);
        let jobs: Vec<(&'static World, u64)> = self
            .worlds
            .iter()
            .flat_map(|world| (0..chunks).map(move |chunk| (*world, chunk)))
            .collect();
        let lived = on_all_processors(&jobs, |(world, chunk)| self.chunk(world, *chunk));
        let by_world = self.worlds.iter().zip(lived.chunks(chunks as usize));
        by_world.flat_map(|(world, chunks)| self.cells_of(world, &chunks.concat())).collect()
    }

    fn cells_of(&self, world: &'static World, lifetimes: &[LifetimeResult]) -> Vec<Cell> {
        let places = self.histories.iter().enumerate().flat_map(|(line, history)| {
            self.slowdowns
                .iter()
                .enumerate()
                .map(move |(column, slowdown)| (line, column, *history, *slowdown))
        });
        let cell = |(line, column, history, slowdown): (usize, usize, usize, f64)| {
            let decided: Vec<LifetimeDecision> =
                lifetimes.iter().map(|it| it[line][column]).collect();
            Cell { world, history, slowdown, figures: Figures::of(&decided) }
        };
        places.map(cell).collect()
    }

    fn chunk(&self, world: &'static World, chunk: u64) -> Vec<LifetimeResult> {
        let numbers = chunk * CHUNK..self.decisions.min((chunk + 1) * CHUNK);
        let lifetime =
            |number| decisions(world, [self.seed, number], &self.histories, &self.slowdowns);
        numbers.map(lifetime).collect()
    }
}

/// The results of all jobs in their order. Each thread takes the next one as soon as it is free.
pub(crate) fn on_all_processors<J: Sync, R: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let indices = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = indices.map_while(|index| Some((index, jobs.get(index)?)));
        taken.map(|(index, job)| (index, work(job))).collect::<Vec<(usize, R)>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(take)).collect();
        started.into_iter().flat_map(|it| it.join().expect("a simulation ends")).collect()
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_jobs() {
        let jobs: Vec<u64> = (0..200).collect();
        let squares: Vec<u64> = jobs.iter().map(|job| job * job).collect();
        assert_eq!(on_all_processors(&jobs, |job| job * job), squares);
        assert_eq!(on_all_processors(&[], |job: &u64| *job), []);
    }

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
