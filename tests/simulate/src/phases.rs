//! Interference that comes and goes.

use crate::Random;

/// After so many phases nothing is left of how it was before.
const FORGOTTEN: f64 = 50.0;

/// How long something is there and not there, in turn. Both last exponentially long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phases {
    /// Mean time it is there, in nanoseconds.
    pub on_ns: f64,
    /// Mean time it is not, in nanoseconds.
    pub off_ns: f64,
}

impl Phases {
    /// Always there.
    pub const ALWAYS: Self = Self { on_ns: 1e12, off_ns: 0.0 };

    /// Share of the time it is there.
    pub fn share(&self) -> f64 {
        self.on_ns / (self.on_ns + self.off_ns)
    }
}

/// The phases of one machine as time passes.
#[derive(Debug, Clone)]
pub(crate) struct Switch {
    phases: Phases,
    is_on: bool,
    until_ns: f64,
}

impl Switch {
    pub(crate) fn new(phases: Phases, now_ns: f64, random: &mut Random) -> Self {
        let is_on = random.chance(phases.share());
        let mut switch = Self { phases, is_on, until_ns: now_ns };
        switch.until_ns += switch.lasts_ns(random);
        switch
    }

    /// Whether it is there now. Time does not run backwards.
    pub(crate) fn is_on(&mut self, now_ns: f64, random: &mut Random) -> bool {
        let long_ns = FORGOTTEN * (self.phases.on_ns + self.phases.off_ns);
        if now_ns - self.until_ns > long_ns {
            *self = Self::new(self.phases, now_ns, random);
        }
        while self.until_ns <= now_ns {
            self.is_on = !self.is_on;
            self.until_ns += self.lasts_ns(random);
        }
        self.is_on
    }

    fn lasts_ns(&self, random: &mut Random) -> f64 {
        let mean_ns = if self.is_on { self.phases.on_ns } else { self.phases.off_ns };
        mean_ns * random.exponential()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_on(phases: Phases, step_ns: f64) -> f64 {
        let mut random = Random::of(&[3]);
        let mut switch = Switch::new(phases, 0.0, &mut random);
        let looks = 100_000;
        let on = (0..looks).filter(|look| switch.is_on(step_ns * f64::from(*look), &mut random));
        on.count() as f64 / f64::from(looks)
    }

    #[test]
    fn it_is_there_for_its_share_of_the_time_however_often_one_looks() {
        let phases = Phases { on_ns: 20e6, off_ns: 60e6 };
        for step_ns in [0.5e6, 100e6, 7_200e9] {
            let share = share_on(phases, step_ns);
            assert!((share - 0.25).abs() < 0.03, "{step_ns}: {share}");
        }
        assert_eq!(share_on(Phases::ALWAYS, 1e6), 1.0);
    }

    #[test]
    fn phases_last() {
        let mut random = Random::of(&[4]);
        let mut switch = Switch::new(Phases { on_ns: 20e6, off_ns: 20e6 }, 0.0, &mut random);
        let looks: Vec<bool> =
            (0..10_000).map(|look| switch.is_on(1e6 * f64::from(look), &mut random)).collect();
        let changes = looks.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!((400..600).contains(&changes), "{changes} changes in 10 s of 20 ms phases");
    }
}
