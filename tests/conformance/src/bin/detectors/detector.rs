//! The detectors that are compared, all with one fixed setting.

use perftest_analysis::detect::{
    ChangePoints, Jetpack, StepKind, StepSearch, change_points, ed_pelt, rqq_pelt,
    settled_change_points,
};
use perftest_conformance::detect::{
    Chromeperf, EDivisive, Otava, Perfherder, TooLong, WindowWeights,
};
use perftest_core::model::Sample;
use perftest_core::stats::Random;

/// A detector by its name.
pub(crate) struct Detector {
    pub(crate) name: &'static str,
    /// The first values after each change of a series.
    pub(crate) find: fn(&Sample) -> Result<Vec<usize>, TooLong>,
}

/// Those that search a whole history at once, ours first.
pub(crate) const SEARCHES: [Detector; 4] = [
    Detector { name: "change_points (ours)", find: |series| Ok(places(&change_points(series))) },
    Detector {
        name: "settled_change_points (ours)",
        find: |series| Ok(places(&settled_change_points(series))),
    },
    Detector { name: "ED-PELT, distance 20", find: |series| Ok(ed_pelt(series, 20)) },
    Detector { name: "RqqPelt, distance 20", find: |series| Ok(rqq_pelt(series, 20)) },
];

/// Those of dashboards, with the settings they are shipped with unless they are given. Rules
/// about a single point or window are slid over the series.
pub(crate) const DASHBOARDS: [Detector; 7] = [
    Detector {
        name: "Skia Perf, original, radius 7, threshold 50",
        find: |series| Ok(skia(series, StepKind::Original, 7, 50.0)),
    },
    Detector {
        name: "Skia Perf, cohen, radius 10, threshold 4 (chosen)",
        find: |series| Ok(skia(series, StepKind::Cohen, 10, 4.0)),
    },
    Detector {
        name: "Jetpack",
        find: |series| Ok(Jetpack::default().change_points(series.values())),
    },
    Detector {
        name: "Chromeperf",
        find: |series| Chromeperf::default().change_points(series.values()),
    },
    Detector {
        name: "E-divisive (MongoDB)",
        find: |series| EDivisive::default().change_points(series.values(), &mut Random::new(SEED)),
    },
    Detector {
        name: "Otava",
        find: |series| {
            let changes = Otava::default().changes(series.values())?;
            Ok(changes.iter().map(|change| change.index).collect())
        },
    },
    Detector {
        name: "Perfherder",
        find: |series| {
            let revisions: Vec<[f64; 1]> = series.values().iter().map(|value| [*value]).collect();
            let changes = Perfherder::default().changes(&revisions, WindowWeights::Linear);
            Ok(changes.iter().map(|change| change.index).collect())
        },
    },
];

/// Of the lots that E-divisive draws.
const SEED: u64 = 1;

/// The clearest point of each area. The least deviation is the usual one of its instances.
fn skia(series: &Sample, kind: StepKind, radius: usize, threshold: f32) -> Vec<usize> {
    let values: Vec<f32> = series.values().iter().map(|value| *value as f32).collect();
    let search = StepSearch { kind, radius, threshold, min_deviation: 0.001 };
    search.areas(&values).iter().map(|area| area.peak).collect()
}

fn places(found: &ChangePoints) -> Vec<usize> {
    found.lasting.iter().map(|change| change.index).collect()
}
