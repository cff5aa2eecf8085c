//! What a store has histories of, where some cannot be read.

use crate::{Series, StoreError, WithDamage};

/// The histories of a store, as far as they can be read.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted by benchmark, testbed and metric.
    pub series: WithDamage<Vec<Series>>,
    /// Why others cannot be read: an error for each place, such as a file.
    pub unreadable: Vec<StoreError>,
}

impl Listing {
    /// The histories, where all of them can be read.
    ///
    /// # Errors
    /// The first that cannot.
    pub fn whole(self) -> Result<WithDamage<Vec<Series>>, StoreError> {
        self.unreadable.into_iter().next().map_or(Ok(self.series), Err)
    }
}
