//! Two revisions compared in pairs of fresh processes whose truth is known.

use crate::Random;
use crate::survey::on_all_processors;
use crate::table::{aligned_markdown, percent};
use perftest_core::judge::{
    Comparison, ComparisonPolicy, ComparisonResult, ComparisonStep, PairPlan, ProcessPair,
};
use perftest_core::model::{Direction, Measurement, Reason, Tolerance};
use perftest_core::stats::binomial_interval;
use std::time::Duration;

const CALL_NS: f64 = 62_500.0;
/// Misrate of the intervals.
const MISRATE: f64 = 0.05;

/// How processes and their measurements scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scatter {
    /// Standard deviation of processes of the same code (logarithm).
    apart: f64,
    /// Standard deviation of the measurements in one process (logarithm).
    within: f64,
    /// Share of processes that are 1.15 to 1.7 times slower from start to end.
    slow: f64,
}

/// How processes scatter in the table.
const SCATTERS: [Scatter; 6] = [
    Scatter { apart: 0.003, within: 0.01, slow: 0.0 },
    Scatter { apart: 0.01, within: 0.01, slow: 0.0 },
    Scatter { apart: 0.01, within: 0.01, slow: 0.05 },
    Scatter { apart: 0.02, within: 0.01, slow: 0.0 },
    Scatter { apart: 0.02, within: 0.01, slow: 0.05 },
    Scatter { apart: 0.03, within: 0.01, slow: 0.0 },
];
const SLOWDOWNS: [f64; 5] = [1.0, 1.03, 1.05, 1.06, 1.10];
const TOLERANCE: f64 = 0.03;

/// So many comparisons of each kind at a tolerance of 3%, for a page. Another seed, other machines.
pub fn side_by_side(comparisons: u64, seed: u64) -> String {
    let header = [
        "processes apart",
        "slow ones",
        "slowdown",
        "red",
        "95% interval",
        "green",
        "unclear",
        "unstable",
        "pairs",
        "p90",
    ];
    let kinds = SCATTERS.iter().flat_map(|scatter| SLOWDOWNS.map(|slowdown| (*scatter, slowdown)));
    let row = |(scatter, slowdown): (Scatter, f64)| {
        let counted = ComparisonCounts::of(scatter, slowdown, comparisons, seed);
        let share = |count: u64| percent(count as f64 / comparisons as f64);
        let red = binomial_interval(counted.red, comparisons, MISRATE);
        vec![
            format!("{:.1}%", 100.0 * scatter.apart),
            format!("{:.0}%", 100.0 * scatter.slow),
            format!("{slowdown:.2}"),
            share(counted.red),
            format!("{} to {}", percent(red.lower), percent(red.upper)),
            share(counted.green),
            share(counted.unclear),
            share(counted.unstable),
            counted.pairs_median.to_string(),
            counted.pairs_p90.to_string(),
        ]
    };
    aligned_markdown(&header.map(str::to_owned), &kinds.map(row).collect::<Vec<_>>(), 0)
}

/// What many comparisons came to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ComparisonCounts {
    red: u64,
    green: u64,
    unclear: u64,
    unstable: u64,
    /// Of a decision: the middle one.
    pairs_median: u32,
    /// Of a decision: what nine in ten do not exceed.
    pairs_p90: u32,
}

impl ComparisonCounts {
    /// So many comparisons, at least 1, of a head that is slower by this factor.
    fn of(scatter: Scatter, slowdown: f64, comparisons: u64, seed: u64) -> Self {
        let numbers: Vec<u64> = (0..comparisons).collect();
        let compared =
            on_all_processors(&numbers, |number| compared(scatter, slowdown, [seed, *number]));
        let count = |reasons: &[Reason]| {
            compared.iter().filter(|it| reasons.contains(&it.reason)).count() as u64
        };
        let mut pairs: Vec<u32> = compared.iter().map(|it| it.pairs).collect();
        pairs.sort_unstable();
        let at = |share: f64| pairs[((pairs.len() - 1) as f64 * share) as usize];
        Self {
            red: count(&[Reason::Red]),
            green: count(&[Reason::Green, Reason::Improved]),
            unclear: count(&[Reason::Unclear]),
            unstable: count(&[Reason::Unstable]),
            pairs_median: at(0.5),
            pairs_p90: at(0.9),
        }
    }
}

/// One comparison; another number is another machine.
fn compared(scatter: Scatter, slowdown: f64, seeds: [u64; 2]) -> ComparisonResult {
    let tolerance = Tolerance::new(TOLERANCE).expect("3% is a tolerance");
    let policy = ComparisonPolicy { tolerance, seed: seeds[1], ..ComparisonPolicy::default() };
    let mut comparison = Comparison::new(Direction::Lower, policy);
    let kind = scatter.apart.to_bits() ^ scatter.slow.to_bits();
    let mut random = Random::of(&[seeds[0], seeds[1], kind, slowdown.to_bits()]);
    loop {
        match comparison.step() {
            ComparisonStep::Done(compared) => return *compared,
            ComparisonStep::Measure(PairPlan { turns, .. }) => {
                let base = process(scatter, 1.0, turns.len(), &mut random);
                let head = process(scatter, slowdown, turns.len(), &mut random);
                comparison.observe(ProcessPair { base, head }, Duration::from_millis(100));
            }
        }
    }
}

fn process(scatter: Scatter, slowdown: f64, count: usize, random: &mut Random) -> Vec<Measurement> {
    let slow = if random.chance(scatter.slow) { random.between(1.15, 1.7) } else { 1.0 };
    let center = CALL_NS * slowdown * slow * (scatter.apart * random.normal()).exp();
    let value = |_| center * (scatter.within * random.normal()).exp();
    (0..count).map(value).map(Measurement::of_value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: u64 = 2;
    const USUAL: Scatter = SCATTERS[1];
    const USUAL_WITH_SLOW: Scatter = SCATTERS[2];
    const APART: Scatter = SCATTERS[3];

    #[test]
    fn unchanged_code_is_never_red_and_hardly_takes_more_than_the_fewest_pairs() {
        let counted = ComparisonCounts::of(USUAL, 1.0, 3_000, SEED);
        assert_eq!((counted.red, counted.unstable), (0, 0));
        assert!(counted.green >= 2_990 && counted.pairs_median <= 7, "{counted:?}");
    }

    #[test]
    fn five_percent_are_found_at_a_tolerance_of_three() {
        let counted = ComparisonCounts::of(USUAL, 1.05, 1_000, SEED);
        assert!(counted.red >= 990 && counted.green == 0, "{counted:?}");
    }

    #[test]
    fn slow_processes_make_no_red_and_hide_hardly_any() {
        let unchanged = ComparisonCounts::of(USUAL_WITH_SLOW, 1.0, 1_000, SEED);
        assert!(unchanged.red == 0 && unchanged.green >= 970, "{unchanged:?}");
        let slower = ComparisonCounts::of(USUAL_WITH_SLOW, 1.05, 1_000, SEED);
        assert!(slower.red >= 960 && slower.green == 0, "{slower:?}");
    }

    #[test]
    fn processes_further_apart_make_no_red_and_a_tenth_is_found() {
        let unchanged = ComparisonCounts::of(APART, 1.0, 1_000, SEED);
        assert!(unchanged.red == 0 && unchanged.green >= 980, "{unchanged:?}");
        let slower = ComparisonCounts::of(APART, 1.10, 1_000, SEED);
        assert!(slower.red >= 990, "{slower:?}");
    }

    #[test]
    fn exactly_the_tolerance_is_hardly_ever_decided() {
        let counted = ComparisonCounts::of(USUAL, 1.03, 1_000, SEED);
        assert!(counted.green <= 18 && counted.red <= 6, "{counted:?}");
    }
}
