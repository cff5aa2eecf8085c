//! The simulated machine as time passes.

use crate::phases::Switch;
use crate::world::{CodeEffect, Interference};
use crate::{Random, World};
use perftest_core::model::{MachineState, Probes, Reading, ThrottleState};

const CLOCK_GHZ: f64 = 4.0;
const REFERENCE_NS: f64 = 9_000.0;
/// Deviation of one reading of the probes.
const CLOCK_READING: f64 = 0.002;
const REFERENCE_READING: f64 = 0.003;
/// A drift over hours need not be looked at more often.
const DRIFT_STEP_NS: f64 = 1e9;
const HOUR_NS: f64 = 3_600e9;
const THROTTLED_NS: f64 = 60e9;
const THROTTLED_CLOCK: f64 = 0.75;

/// One machine at one moment.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedMachine {
    pub(crate) world: &'static World,
    pub(crate) random: Random,
    pub(crate) now_ns: f64,
    seed: u64,
    interference: Option<Switch>,
    slow_processes: Option<Switch>,
    /// Logarithm of the processor's clock over its usual one.
    drift: f64,
    drifted_ns: f64,
}

impl SimulatedMachine {
    /// The machine at some moment of its life.
    pub(crate) fn new(world: &'static World, seed: u64) -> Self {
        let mut random = Random::of(&[seed]);
        let now_ns = random.between(0.0, HOUR_NS);
        let mut switch = |phases| Switch::new(phases, now_ns, &mut random);
        let interference = world.interference.map(|it| switch(it.phases));
        let slow_processes = world.slow_processes.map(|it| switch(it.phases));
        let drift = world.drift.map_or(0.0, |it| it.deviation * random.normal());
        Self {
            world,
            random,
            now_ns,
            seed,
            interference,
            slow_processes,
            drift,
            drifted_ns: now_ns,
        }
    }

    /// The same machine, of which the future is another one.
    pub(crate) fn with_future(&self, seed: u64) -> Self {
        Self { random: Random::of(&[self.seed, seed]), ..self.clone() }
    }

    pub(crate) fn pass_ns(&mut self, ns: f64) {
        self.now_ns += ns;
        let passed_ns = self.now_ns - self.drifted_ns;
        let Some(drift) = self.world.drift.filter(|_| passed_ns >= DRIFT_STEP_NS) else {
            return;
        };
        let kept = (-passed_ns / drift.time_ns).exp();
        let fresh = drift.deviation * (1.0 - kept * kept).sqrt();
        self.drift = kept * self.drift + fresh * self.random.normal();
        self.drifted_ns = self.now_ns;
    }

    /// The processor's clock over its usual one.
    pub(crate) fn clock(&self) -> f64 {
        self.drift.exp() * if self.is_throttled() { THROTTLED_CLOCK } else { 1.0 }
    }

    /// What others do now.
    pub(crate) fn effect(&mut self) -> Option<CodeEffect> {
        let Interference { effect, .. } = self.world.interference?;
        let switch = self.interference.as_mut()?;
        switch.is_on(self.now_ns, &mut self.random).then_some(effect)
    }

    /// How many times slower a process is that is started now.
    pub(crate) fn slowness_of_process(&mut self) -> f64 {
        let Some((slow, switch)) = self.world.slow_processes.zip(self.slow_processes.as_mut())
        else {
            return 1.0;
        };
        let is_slow =
            switch.is_on(self.now_ns, &mut self.random) && self.random.chance(slow.probability);
        if is_slow { self.random.between(slow.slower.0, slow.slower.1) } else { 1.0 }
    }

    /// The readings of the probes now; none where the world has no counters.
    pub(crate) fn probe(&mut self) -> Probes {
        if !self.world.has_counters {
            return Probes::default();
        }
        let contention = match self.effect() {
            Some(CodeEffect::Contention { reference, .. }) => reference,
            _ => 1.0,
        };
        let clock = self.clock();
        let mut reading = |deviation: f64| 1.0 + deviation * self.random.normal();
        Probes {
            clock_ghz: Some(CLOCK_GHZ * clock * reading(CLOCK_READING)),
            reference_ns: Some(REFERENCE_NS / clock * contention * reading(REFERENCE_READING)),
            ..Probes::default()
        }
    }

    /// What the sensors say now.
    pub(crate) fn look(&mut self) -> MachineState {
        if !self.world.has_counters {
            return MachineState::default();
        }
        let Probes { clock_ghz, reference_ns, .. } = self.probe();
        let value = |value: Option<f64>| value.map_or_else(Reading::default, whole);
        MachineState {
            taken_ms: whole(self.now_ns / 1e6),
            effective_khz: value(clock_ghz.map(|ghz| ghz * 1e6)),
            reference_ns: value(reference_ns),
            throttling: self.throttling(),
            ..MachineState::default()
        }
    }

    /// Events are counted when they begin, their time when they end.
    fn throttling(&self) -> ThrottleState {
        let events = |begun_ns: f64| {
            let hour = (self.now_ns / HOUR_NS) as u64;
            hour + u64::from(self.now_ns >= self.throttled_from_ns(hour) + begun_ns)
        };
        let ended = if self.world.throttled_minutes { events(THROTTLED_NS) } else { 0 };
        let begun = if self.world.throttled_minutes { events(0.0) } else { 0 };
        ThrottleState {
            package_events: Reading::Value(begun),
            package_ms: whole(ended as f64 * THROTTLED_NS / 1e6),
            ..ThrottleState::default()
        }
    }

    fn is_throttled(&self) -> bool {
        if !self.world.throttled_minutes {
            return false;
        }
        let from_ns = self.throttled_from_ns((self.now_ns / HOUR_NS) as u64);
        (from_ns..from_ns + THROTTLED_NS).contains(&self.now_ns)
    }

    /// When the throttled minute of this hour begins.
    fn throttled_from_ns(&self, hour: u64) -> f64 {
        let place = Random::of(&[self.seed, hour]).between(0.0, HOUR_NS - THROTTLED_NS);
        hour as f64 * HOUR_NS + place
    }
}

fn whole(value: f64) -> Reading<u64> {
    Reading::Value(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_core::model::{Environment, Tag};

    fn machine(world: &str) -> SimulatedMachine {
        SimulatedMachine::new(World::named(world).unwrap(), 5)
    }

    /// The logarithms of the clock at moments so far apart.
    fn clocks(world: &str, step_ns: f64) -> Vec<f64> {
        let mut machine = machine(world);
        let mut look = |_| {
            machine.pass_ns(step_ns);
            machine.clock().ln()
        };
        (0..20_000).map(&mut look).collect()
    }

    fn deviation(values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / values.len() as f64).sqrt()
    }

    #[test]
    fn a_drift_is_wide_over_days_and_narrow_over_minutes() {
        let days = clocks("drift", 24.0 * HOUR_NS);
        assert!((deviation(&days) - 0.02).abs() < 0.001, "{}", deviation(&days));
        let minutes = clocks("drift", 60e9);
        let steps: Vec<f64> = minutes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(deviation(&steps) < 0.004, "{}", deviation(&steps));
    }

    #[test]
    fn one_minute_of_sixty_is_throttled_and_counted() {
        let slow = clocks("throttled-minute", 7e9);
        let share = slow.iter().filter(|clock| **clock < -0.2).count() as f64 / slow.len() as f64;
        assert!((share - 1.0 / 60.0).abs() < 0.002, "{share}");
        let mut machine = machine("throttled-minute");
        let before = machine.look();
        machine.pass_ns(2.0 * HOUR_NS);
        let environment = Environment::between(before, machine.look());
        assert!(environment.tags.contains(&Tag::Throttled));
    }

    #[test]
    fn probes_tell_of_a_shared_core_and_only_then() {
        let mut machine = machine("neighbour-long");
        let mut readings = [Vec::new(), Vec::new()];
        for _ in 0..2_000 {
            machine.pass_ns(100e6);
            let is_shared = machine.effect().is_some();
            readings[usize::from(is_shared)].push(machine.probe().reference_ns.unwrap());
        }
        let [alone, shared] = readings;
        assert!(alone.len() > 3 * shared.len() && shared.len() > 200);
        let highest = alone.iter().copied().fold(0.0, f64::max);
        assert!(shared.iter().all(|reference_ns| *reference_ns > highest));
    }

    #[test]
    fn what_is_not_reported_is_in_no_reading() {
        let mut machine = machine("throttled-untold");
        assert_eq!(machine.probe(), Probes::default());
        assert_eq!(machine.look(), MachineState::default());
    }

    #[test]
    fn slow_processes_are_as_many_alone_as_in_clusters_but_not_as_close() {
        let started = |world: &str| -> Vec<bool> {
            let mut machine = machine(world);
            let mut start = |_| {
                machine.pass_ns(400e6);
                machine.slowness_of_process() > 1.0
            };
            (0..40_000).map(&mut start).collect()
        };
        let share =
            |slow: &[bool]| slow.iter().filter(|it| **it).count() as f64 / slow.len() as f64;
        let after_slow = |slow: &[bool]| -> f64 {
            let next: Vec<bool> =
                slow.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
            share(&next)
        };
        let (alone, clusters) = (started("slow-processes"), started("slow-clusters"));
        assert!((share(&alone) - 0.05).abs() < 0.01 && (share(&clusters) - 0.05).abs() < 0.01);
        assert!(after_slow(&alone) < 0.08 && after_slow(&clusters) > 0.3);
    }
}
