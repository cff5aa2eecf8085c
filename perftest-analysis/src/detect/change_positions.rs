//! The positions of changes during a division.

use std::ops::Range;

/// The positions of changes, ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ChangePositions {
    /// The first values of new levels.
    pub(super) lasting: Vec<usize>,
    /// The values that differ for a while only, without overlaps.
    pub(super) temporary: Vec<Range<usize>>,
}

impl ChangePositions {
    /// Returns the indices in a range that are not part of a temporary change.
    pub(super) fn places(&self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let first = self.temporary.partition_point(|values| values.end <= range.start);
        let mut cuts = self.temporary[first..].iter().peekable();
        range.filter(move |place| {
            while cuts.next_if(|values| values.end <= *place).is_some() {}
            cuts.peek().is_none_or(|values| !values.contains(place))
        })
    }

    /// Sorts temporary changes; joins those that overlap or touch.
    pub(super) fn join_temporary(&mut self) {
        self.temporary.sort_unstable_by_key(|values| values.start);
        self.temporary.dedup_by(|later, before| {
            let overlaps = later.start <= before.end;
            if overlaps {
                before.end = before.end.max(later.end);
            }
            overlaps
        });
    }
}
