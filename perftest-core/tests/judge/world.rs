//! Worlds of forty commits whose truth is known: slowdowns that are reverted or accepted, improvements, other tolerances,
//! acceptances that are taken back, changed files, and other work on the machine. No red of code as fast as before, and
//! no slowdown of twice the tolerance passes.

use crate::life::{Life, Place};

/// Counted runs after which the present cost is the level of the baseline.
const LEVEL: usize = 8;
const FIRST_NS: f64 = 100_000.0;

struct World {
    place: Place,
    life: Life,
    random: pragmastat::Rng,
    /// Cost of the newest commit that was not reverted, and number of its build.
    cost_ns: f64,
    build: u64,
    builds: u64,
    tolerance: f64,
    /// Counted runs of this cost.
    counted: usize,
    is_accepted: bool,
    /// Batches that other work spares, one of so many; `None` on a quiet machine.
    spared: Option<usize>,
    /// The events and decisions.
    log: String,
}

impl World {
    fn new(place: Place, seed: u64) -> Self {
        let mut life = Life::new(place, 0.01, seed);
        life.keep_builds();
        let mut world = Self {
            place,
            life,
            random: pragmastat::Rng::from_seed(7_777 + seed as i64),
            cost_ns: FIRST_NS,
            build: 0,
            builds: 0,
            tolerance: 0.05,
            counted: 0,
            is_accepted: false,
            spared: None,
            log: String::new(),
        };
        (0..LEVEL).for_each(|_| world.unchanged_commit(1));
        world
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random.uniform_f64()
    }

    fn happens(&mut self, share: f64) -> bool {
        self.random.uniform_f64() < share
    }

    fn one_of<T: Copy, const N: usize>(&mut self, all: [T; N]) -> T {
        all[self.between(0.0, N as f64) as usize % N]
    }

    /// Runs the checked out code, so many times as slow as the commits that stayed.
    fn run(&mut self, ratio: f64) {
        match self.spared {
            None => self.life.runs(1),
            Some(spared) => self.life.mostly_interrupted_runs(spared, 1),
        };
        let letter = self.life.newest_letter();
        self.log.push(letter);
        let counts = self.life.history.newest().is_some_and(|run| run.counts_for_baseline);
        self.counted += usize::from(counts && ratio == 1.0);
        assert!(letter != 'R' || ratio > 1.0, "a false red: {}", self.log);
        let is_slow = ratio >= 1.0 + 2.0 * self.tolerance;
        assert!(!is_slow || !"gism".contains(letter), "a slowdown passed: {}", self.log);
    }

    fn commit(&mut self, ratio: f64) {
        self.builds += 1;
        self.life.commit(self.cost_ns * ratio);
    }

    /// The code that is checked out stays.
    fn keep(&mut self, ratio: f64) {
        if ratio != 1.0 {
            self.counted = 0;
        }
        self.cost_ns *= ratio;
        self.build = self.builds;
    }

    fn unchanged_commit(&mut self, runs: usize) {
        self.log.push(' ');
        self.commit(1.0);
        self.keep(1.0);
        (0..runs).for_each(|_| self.run(1.0));
    }

    fn slowdown(&mut self) {
        let ratio = 1.0 + self.tolerance * self.between(2.2, 4.0);
        self.log += &format!(" {ratio:.2}x:");
        self.commit(ratio);
        self.run(ratio);
        if self.happens(0.4) {
            self.life.accept(1.02 * ratio, None);
            self.is_accepted = true;
            self.keep(ratio);
            self.log += " accepted:";
        } else {
            let runs = self.one_of([0, 1, 2]);
            (0..runs).for_each(|_| self.run(ratio));
            self.builds += 1;
            self.life.revert_to(self.build, self.cost_ns);
            self.log += " reverted:";
        }
        self.run(1.0);
    }

    fn improvement(&mut self) {
        let ratio = self.between(0.7, 0.85);
        self.log += &format!(" {ratio:.2}x:");
        self.commit(ratio);
        self.keep(ratio);
        self.run(1.0);
    }

    fn step(&mut self) {
        if self.happens(0.06) {
            self.tolerance = self.one_of([0.05, 0.1, 0.25]);
            self.life.tolerate(self.tolerance);
            self.log += &format!(" tolerance {}", self.tolerance);
        }
        if self.happens(0.08) {
            self.spared = self.one_of([None, Some(0), Some(5)]);
            self.log += &format!(" spared {:?}", self.spared);
        }
        let is_level = self.counted >= LEVEL;
        // Without merged runs a level that is no longer accepted is red again.
        if is_level && self.is_accepted && self.place != Place::Local && self.happens(0.1) {
            self.life.revoke();
            self.is_accepted = false;
            self.log += " revoked";
        }
        match self.random.uniform_f64() {
            kind if is_level && kind < 0.12 => self.slowdown(),
            kind if is_level && kind < 0.18 => self.improvement(),
            kind if kind < 0.3 => {
                self.builds += 1;
                self.life.changed_files(self.cost_ns);
                self.log += " changed:";
                self.run(1.0);
            }
            _ => {
                let runs = self.one_of([1, 2, 3]);
                self.unchanged_commit(runs);
            }
        }
    }
}

#[test]
fn in_forty_commits_no_red_is_false_and_no_slowdown_passes() {
    for place in [Place::Local, Place::Repository, Place::MergedInCi] {
        for seed in 1..=15 {
            let mut world = World::new(place, seed);
            (0..40).for_each(|_| world.step());
        }
    }
}
