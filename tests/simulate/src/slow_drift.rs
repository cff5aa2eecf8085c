//! How often a drift from the first runs is reported, where there is one and where there is none.

use crate::machine::SimulatedMachine;
use crate::process::{Process, SimulatedBuild};
use crate::session::blank_run;
use crate::survey::on_all_processors;
use crate::{Family, Phases, Random, SlowProcesses, World};
use perftest_core::judge::{Drift, Policy};
use perftest_core::model::{Anchor, Direction, History, Lineage, Run};

/// Without a drift.
const HISTORIES: u64 = 200;
/// Of a drift of 0.3% a run.
const DRIFTS: u64 = 40;
/// Runs of a history.
const RUNS: usize = 110;
/// Measurements of a run.
const MEASUREMENTS: usize = 15;
/// From one run to the next.
const BETWEEN_RUNS_NS: f64 = 2.0 * 3_600e9;

/// Returns the true level, as a ratio to the anchor's, at which a drift is first reported; `None` if none is. Each run
/// takes `growth` times as long as the one before.
fn reported_at(world: &'static World, seed: u64, growth: f64) -> Option<f64> {
    let mut runs = unjudged_runs(world, seed, growth);
    let later = runs.split_off(Anchor::RUNS);
    let anchor = Anchor { history: History { runs }, accepted_ratio: 1.0 };
    let mut newest = History::default();
    let mut is_reported = |run: Run| {
        newest.runs.drain(..newest.runs.len().saturating_sub(29));
        newest.runs.push(run);
        let (lineage, policy) = (Lineage::default(), Policy::default());
        Drift::between(&anchor, &newest, &lineage, Direction::Lower, &policy)
            .is_some_and(|drift| drift.is_beyond_limit())
    };
    let place = later.into_iter().position(&mut is_reported)?;
    let levels = |places: std::ops::Range<usize>| places.map(|it| growth.powi(it as i32));
    let of_anchor = levels(0..Anchor::RUNS).sum::<f64>() / Anchor::RUNS as f64;
    Some(growth.powi((Anchor::RUNS + place) as i32) / of_anchor)
}

/// Runs of one machine, all of which count: no verdict leaves one out.
fn unjudged_runs(world: &'static World, seed: u64, growth: f64) -> Vec<Run> {
    let mut machine = SimulatedMachine::new(world, Random::of(&[world.seed(), seed]).bits());
    let mut run = |number: usize| {
        machine.pass_ns(BETWEEN_RUNS_NS);
        let build = SimulatedBuild::new(number as u64, world.layouts, &mut machine.random);
        let begun_ns = machine.now_ns;
        let mut process = Process::warm(&mut machine, build.slowed(growth.powi(number as i32)));
        let measurements = (0..MEASUREMENTS).map(|_| process.measure(&mut machine)).collect();
        Run { measurements, counts_for_baseline: true, ..blank_run(build, begun_ns) }
    };
    (0..RUNS).map(&mut run).collect()
}

/// Worlds in which runs have modes, and more with modes of values or of processes.
fn worlds_of_modes() -> Vec<&'static World> {
    let named = ["bimodal", "multimodal", "neighbour-long", "layouts", "slow-clusters"];
    let named = named.map(|name| World::named(name).unwrap());
    let world = |world: World| -> &'static World { Box::leak(Box::new(world)) };
    let steady = *World::named("steady").unwrap();
    let values = |name, modes| world(World { name, within: Family::Modes(modes), ..steady });
    let processes = |name, probability| {
        let (phases, slower) = (Phases::ALWAYS, (1.3, 1.3));
        let slow_processes = Some(SlowProcesses { phases, probability, slower });
        world(World { name, slow_processes, ..steady })
    };
    let more = [
        values("values 50% x1.3", &[(0.5, 1.0), (0.5, 1.3)]),
        values("values 40% x1.4", &[(0.6, 1.0), (0.4, 1.4)]),
        processes("processes 10% x1.3", 0.1),
        processes("processes 30% x1.3", 0.3),
        processes("processes 50% x1.3", 0.5),
    ];
    named.into_iter().chain(more).collect()
}

/// The levels at which drifts are reported in each world, in ascending order.
fn reported_in(worlds: &[&'static World], histories: u64, growth: f64) -> Vec<Vec<f64>> {
    let of_world = |world: &&'static World| {
        let mut levels: Vec<f64> =
            (0..histories).filter_map(|seed| reported_at(world, seed, growth)).collect();
        levels.sort_by(f64::total_cmp);
        levels
    };
    on_all_processors(worlds, of_world)
}

#[test]
fn of_two_hundred_histories_with_modes_and_without_a_drift_at_most_two_report_one() {
    let worlds = worlds_of_modes();
    for (world, levels) in worlds.iter().zip(reported_in(&worlds, HISTORIES, 1.0)) {
        assert!(levels.len() <= 2, "{}: {} of {HISTORIES}", world.name, levels.len());
    }
}

#[test]
fn a_drift_of_three_permille_a_run_is_reported_below_a_tenth_though_processes_are_slow_now_and_then()
 {
    let worlds = ["steady", "spikes", "drift", "slow-processes", "slow-clusters"];
    let worlds = worlds.map(|name| World::named(name).unwrap());
    for (world, levels) in worlds.iter().zip(reported_in(&worlds, DRIFTS, 1.003)) {
        assert_eq!(levels.len() as u64, DRIFTS, "{}", world.name);
        let median = levels[levels.len() / 2];
        assert!(median < 1.10, "{}: {median:.3}", world.name);
    }
}
