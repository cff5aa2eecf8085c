//! The histories in a store, and errors for the unreadable ones.

use crate::{Series, StoreError, WithDamage};

/// The readable histories of a store.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted by benchmark, testbed and metric.
    pub series: WithDamage<Vec<Series>>,
    /// The errors, one for each place, such as a file.
    pub unreadable: Vec<StoreError>,
}

impl Listing {
    /// Returns the histories if all of them can be read.
    ///
    /// # Errors
    /// The first error.
    pub fn whole(self) -> Result<WithDamage<Vec<Series>>, StoreError> {
        self.unreadable.into_iter().next().map_or(Ok(self.series), Err)
    }
}
