//! The detectors that are compared, all with one fixed setting.

use perftest_core::detect::{
    ChangePoints, change_points, ed_pelt, rqq_pelt, settled_change_points,
};
use perftest_core::model::Sample;

/// A detector by its name.
pub(crate) struct Detector {
    pub(crate) name: &'static str,
    /// The first values after each change of a series.
    pub(crate) find: fn(&Sample) -> Vec<usize>,
}

/// Ours first. A further one needs its line here and nothing else.
pub(crate) const DETECTORS: [Detector; 4] = [
    Detector { name: "change_points (ours)", find: |series| places(&change_points(series)) },
    Detector {
        name: "settled_change_points (ours)",
        find: |series| places(&settled_change_points(series)),
    },
    Detector { name: "ED-PELT, distance 20", find: |series| ed_pelt(series, 20) },
    Detector { name: "RqqPelt, distance 20", find: |series| rqq_pelt(series, 20) },
];

fn places(found: &ChangePoints) -> Vec<usize> {
    found.lasting.iter().map(|change| change.index).collect()
}
