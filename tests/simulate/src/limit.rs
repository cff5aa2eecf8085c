//! What is promised, and where it does not hold.

use crate::{Cell, Promise};
use perftest_core::judge::Policy;
use perftest_core::model::{Interval, Tolerance};
use std::fmt;

/// Runs of history with which a degradation is to be found, and a green to be quick.
const MATURE: usize = 30;

/// A promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Unchanged code is red in at most 1 of 1,000 decisions.
    FalseRed,
    /// Unchanged code is so slow in the first process that fresh ones have to acquit it in at most 5 of
    /// 1,000 decisions.
    RedBeforeConfirmation,
    /// A degradation of exactly the tolerance is red in at most 2 of 1,000 decisions: the misrate of a red.
    RedAtTolerance,
    /// A degradation of twice the tolerance is found in 99% of the decisions of a quiet world and
    /// in 95% of a noisy one, or the test is reported as unstable.
    Found,
    /// Code that takes twice the time is red in 99% of the decisions, in every world.
    FoundTwofold,
    /// A degradation of twice the tolerance is green in at most 5 of 1,000 decisions.
    FalseGreen,
    /// Half of the greens of unchanged code take at most 3 measurements.
    MeasurementsToGreen,
}

/// A promise that a cell does not keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach<'a> {
    /// The decisions.
    pub cell: &'a Cell,
    /// The promise.
    pub limit: Limit,
    /// The figure and what it should be, in words.
    pub figure: String,
    /// Beyond what chance explains: the 95% interval excludes the limit.
    pub is_clear: bool,
    /// Why this world breaks it, where that is known.
    pub cause: Option<&'static str>,
}

/// A promise that some worlds break, and the noise that does it.
struct KnownLimit {
    limits: &'static [Limit],
    worlds: &'static [&'static str],
    cause: &'static str,
}

/// What is known to be broken. An entry goes when its cause does.
const KNOWN: [KnownLimit; 10] = [
    KnownLimit {
        limits: &[Limit::Found],
        worlds: &["busy-long-body"],
        cause: "its long batches leave time for the fewest pairs only",
    },
    KnownLimit {
        limits: &[Limit::RedAtTolerance],
        worlds: &["between-3", "normal-10", "lognormal", "autocorrelated", "learned-input"],
        cause: "pairs differ by more than 2%, and the prior draws the deviation of a few down",
    },
    KnownLimit {
        limits: &[Limit::FalseGreen],
        worlds: &["autocorrelated"],
        cause: "in some short histories neighbours that resemble each other agree by luck",
    },
    KnownLimit {
        limits: &[Limit::RedBeforeConfirmation, Limit::FalseGreen],
        worlds: &["between-3"],
        cause: "some short histories agree too well by luck to ask for pairs at once",
    },
    KnownLimit {
        limits: &[Limit::RedBeforeConfirmation, Limit::FalseGreen],
        worlds: &["drift-untold"],
        cause: "the level wanders between the runs, and nothing tells of it",
    },
    KnownLimit {
        limits: &[Limit::FalseRed, Limit::FalseGreen],
        worlds: &["learned-input"],
        cause: "processes lie 8.5% apart, and each is faster the longer it runs",
    },
    KnownLimit {
        limits: &[Limit::FalseRed, Limit::RedBeforeConfirmation, Limit::RedAtTolerance],
        worlds: &["layouts"],
        cause: "this build is slower, in pairs too; only another link of the same code can tell why",
    },
    KnownLimit {
        limits: &[Limit::FalseGreen],
        worlds: &["layouts"],
        cause: "in some decisions the last good build is itself one of the slow ones",
    },
    KnownLimit {
        limits: &[Limit::RedBeforeConfirmation],
        worlds: &["throttled-untold", "neighbour-untold", "slow-processes", "slow-clusters"],
        cause: "nothing tells that the first process is slow; the pairs do",
    },
    KnownLimit {
        limits: &[Limit::MeasurementsToGreen],
        worlds: &[
            "exponential-tail",
            "between-3",
            "normal-10",
            "lognormal",
            "bimodal",
            "multimodal",
            "autocorrelated",
            "learned-input",
            "drift-untold",
        ],
        cause: "three measurements of such noise bound too little; more of them or pairs do",
    },
];

impl KnownLimit {
    fn cause(limit: Limit, world: &str) -> Option<&'static str> {
        let fits = |it: &&Self| it.limits.contains(&limit) && it.worlds.contains(&world);
        KNOWN.iter().find(fits).map(|known| known.cause)
    }
}

impl Limit {
    const ALL: [Self; 7] = [
        Self::FalseRed,
        Self::RedBeforeConfirmation,
        Self::RedAtTolerance,
        Self::Found,
        Self::FoundTwofold,
        Self::FalseGreen,
        Self::MeasurementsToGreen,
    ];

    /// Whether the promise speaks of such decisions.
    fn covers(self, cell: &Cell) -> bool {
        let twice_the_tolerance = 1.0 + 2.0 * Tolerance::default().share();
        let is_unchanged = cell.slowdown == 1.0;
        let is = |slowdown: f64| (cell.slowdown - slowdown).abs() < 1e-9;
        let is_degraded = is(twice_the_tolerance);
        match self {
            Self::FalseRed | Self::RedBeforeConfirmation => is_unchanged,
            Self::RedAtTolerance => is(Tolerance::default().ratio()),
            Self::Found => is_degraded && cell.history >= MATURE,
            Self::FoundTwofold => cell.slowdown == 2.0,
            Self::FalseGreen => is_degraded,
            Self::MeasurementsToGreen => is_unchanged && cell.history >= MATURE,
        }
    }

    fn breach(self, cell: &Cell) -> Option<Breach<'_>> {
        if !self.covers(cell) {
            return None;
        }
        let figures = &cell.figures;
        let (figure, is_clear) = match self {
            Self::FalseRed => at_most(figures.rate(figures.red), 0.001),
            Self::RedBeforeConfirmation => {
                at_most(figures.rate(figures.red_before_confirmation), 0.005)
            }
            Self::RedAtTolerance => {
                at_most(figures.rate(figures.red), Policy::default().red_misrate)
            }
            Self::Found => {
                let least = match cell.world.promise {
                    Promise::Quiet => 0.99,
                    Promise::Noisy => 0.95,
                };
                at_least(figures.rate(figures.red + figures.unstable), least)
            }
            Self::FoundTwofold => at_least(figures.rate(figures.red), 0.99),
            Self::FalseGreen => at_most(figures.rate(figures.green), 0.005),
            Self::MeasurementsToGreen => {
                let median = figures.measurements_to_green.filter(|median| *median > 3)?;
                Some((format!("{median} measurements, at most 3"), true))
            }
        }?;
        let cause = KnownLimit::cause(self, cell.world.name);
        Some(Breach { cell, limit: self, figure, is_clear, cause })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FalseRed => "false red",
            Self::RedBeforeConfirmation => "false red before confirmation",
            Self::RedAtTolerance => "red at the tolerance",
            Self::Found => "found or reported unstable",
            Self::FoundTwofold => "twice as slow, red",
            Self::FalseGreen => "false green",
            Self::MeasurementsToGreen => "measurements to a green",
        })
    }
}

/// All promises that these decisions do not keep.
pub fn breaches(cells: &[Cell]) -> Vec<Breach<'_>> {
    let of_cell = |cell| Limit::ALL.into_iter().filter_map(move |limit: Limit| limit.breach(cell));
    cells.iter().flat_map(of_cell).collect()
}

fn at_most(rate: Interval, most: f64) -> Option<(String, bool)> {
    let figure = || format!("{}, at most {}", percent(rate.estimate), percent(most));
    (rate.estimate > most).then(|| (figure(), rate.lower > most))
}

fn at_least(rate: Interval, least: f64) -> Option<(String, bool)> {
    let figure = || format!("{}, at least {}", percent(rate.estimate), percent(least));
    (rate.estimate < least).then(|| (figure(), rate.upper < least))
}

fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figures, LifetimeDecision, World};
    use perftest_core::model::Reason;

    fn cell(slowdown: f64, reasons: &[(Reason, usize)]) -> Cell {
        let decided = |(reason, times): &(Reason, usize)| {
            let is_candidate = *reason == Reason::Red;
            vec![
                LifetimeDecision { reason: *reason, is_candidate, measurements: 3, took_s: 0.1 };
                *times
            ]
        };
        let decisions: Vec<LifetimeDecision> = reasons.iter().flat_map(decided).collect();
        let world = World::named("steady").unwrap();
        Cell { world, history: 30, slowdown, figures: Figures::of(&decisions) }
    }

    fn broken(cell: &Cell) -> Vec<(Limit, bool)> {
        breaches(std::slice::from_ref(cell)).iter().map(|it| (it.limit, it.is_clear)).collect()
    }

    #[test]
    fn decisions_that_are_all_right_break_nothing() {
        assert_eq!(broken(&cell(1.0, &[(Reason::Green, 500)])), []);
        assert_eq!(broken(&cell(1.1, &[(Reason::Red, 498), (Reason::Unstable, 2)])), []);
    }

    #[test]
    fn one_red_of_a_hundred_may_be_chance_and_ten_are_not() {
        let unlucky = cell(1.0, &[(Reason::Red, 1), (Reason::Green, 99)]);
        let both = [Limit::FalseRed, Limit::RedBeforeConfirmation];
        assert_eq!(broken(&unlucky), both.map(|limit| (limit, false)));
        let bad = cell(1.0, &[(Reason::Red, 10), (Reason::Green, 90)]);
        assert_eq!(broken(&bad), both.map(|limit| (limit, true)));
    }

    #[test]
    fn at_exactly_the_tolerance_a_red_is_as_rare_as_its_misrate() {
        let at_tolerance = |red| broken(&cell(1.05, &[(Reason::Red, red), (Reason::Unclear, 300)]));
        assert_eq!(at_tolerance(0), []);
        assert_eq!(at_tolerance(1), [(Limit::RedAtTolerance, false)]);
        assert_eq!(at_tolerance(5), [(Limit::RedAtTolerance, true)]);
    }

    #[test]
    fn what_is_known_to_be_broken_names_worlds_that_there_are() {
        let named: Vec<&str> = KNOWN.iter().flat_map(|known| known.worlds).copied().collect();
        assert!(named.len() > 15);
        assert!(named.into_iter().all(|name| World::named(name).is_some()));
    }

    #[test]
    fn a_degradation_that_is_green_is_neither_found_nor_forgiven() {
        let missed = cell(1.1, &[(Reason::Green, 50), (Reason::Red, 50)]);
        assert_eq!(broken(&missed), [(Limit::Found, true), (Limit::FalseGreen, true)]);
    }

    #[test]
    fn what_takes_twice_the_time_has_to_be_red_and_is_not_excused_as_unstable() {
        let figure = cell(2.0, &[(Reason::Unstable, 50), (Reason::Red, 50)]);
        assert_eq!(broken(&figure), [(Limit::FoundTwofold, true)]);
        assert_eq!(broken(&cell(2.0, &[(Reason::Red, 100)])), []);
    }
}
