//! Weights of quantiles, kept for the next sample of the same size.

use perftest_core::stats::QuantileGrid;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Baselines have at most this many values. The weights of larger samples take more room, and rarely come again.
const MOST_VALUES: usize = 300;

/// Grids by the size of their samples and their number of steps.
#[derive(Debug, Default)]
pub(crate) struct QuantileGrids {
    known: Mutex<HashMap<(usize, usize), Arc<QuantileGrid>>>,
}

impl QuantileGrids {
    pub(super) fn of(&self, size: usize, steps: usize) -> Arc<QuantileGrid> {
        if size > MOST_VALUES {
            return Arc::new(QuantileGrid::new(size, steps));
        }
        // Grids are added whole, also where another thread panicked.
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grid) = known().get(&(size, steps)) {
            return Arc::clone(grid);
        }
        let grid = Arc::new(QuantileGrid::new(size, steps));
        known().insert((size, steps), Arc::clone(&grid));
        grid
    }
}
