//! What weekend load makes detectors say: the last table of seasons in `docs/evidence/change-points.md`.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../perftest-analysis/tests/season/made.rs"]
mod made;
#[path = "../../../perftest-analysis/src/noise.rs"]
mod noise;

use made::{Schedule, history, weekend_load};
use perftest_analysis::detect::{Season, change_points, ed_pelt};
use perftest_conformance::detect::Otava;
use perftest_core::model::Sample;

#[test]
#[ignore = "prints a table, and takes a while without optimisation"]
fn what_weekend_load_makes_detectors_say() {
    type Changes = fn(&Sample) -> Vec<usize>;
    let ours: Changes = |values| {
        let found = change_points(values);
        let ends = found.temporary.iter().flat_map(|it| [it.values.start, it.values.end]);
        found.lasting.iter().map(|change| change.index).chain(ends).collect()
    };
    let otava: Changes = |values| {
        let changes = Otava::default().changes(values.values()).unwrap();
        changes.iter().map(|change| change.index).collect()
    };
    let detectors: [(&str, Changes); 3] = [
        ("change_points (ours)", ours),
        ("ED-PELT, distance 20", |it| ed_pelt(it, 20)),
        ("Otava", otava),
    ];
    const SEEDS: u64 = 20;
    for rate in [3_u32, 6, 12, 24] {
        for (name, changes) in detectors {
            let (mut reported, mut found) = ([0; 2], [0; 2]);
            for seed in 0..SEEDS {
                let at = 72 * rate as usize;
                for step in [1.0, 1.05] {
                    let load =
                        |place, time| weekend_load(time) * if place >= at { step } else { 1.0 };
                    let (times_ms, raw) =
                        history(Schedule::AnyTime(f64::from(rate)), 120, seed, load);
                    let season = Season::recognised(&times_ms, &raw).unwrap().unwrap();
                    let rest = season.removed_from(&times_ms, &raw);
                    for (index, values) in [raw, rest].iter().enumerate() {
                        let changes = changes(values);
                        match step {
                            1.0 => reported[index] += changes.len(),
                            _ => {
                                found[index] +=
                                    usize::from(changes.iter().any(|it| it.abs_diff(at) <= 5))
                            }
                        }
                    }
                }
            }
            let each = reported.map(|count| count as f64 / SEEDS as f64);
            let share = found.map(|count| 100 * count / SEEDS as usize);
            println!(
                "| {rate} | {name} | {:.1} | {:.1} | {}% | {}% |",
                each[0], each[1], share[0], share[1]
            );
        }
    }
}
