//! Regimes: levels several times apart between which a body changes by itself, whatever its code.
//!
//! Waking a thread takes a microsecond on its own processor and thirty on a sleeping one. The scheduler
//! decides which, by process or from batch to batch. Two processes in different regimes would compare the
//! scheduler with itself, so only turns with both sides in the same regime are compared. That requires
//! that both sides are in each regime, and neither much more often in a slow one: else the code may have
//! changed the regime.
//!
//! Sources. Choices, checked by the campaign `threads.sh` on threads that wake each other: the regimes there
//! are thirty times apart.

use super::process_pair::{PairEvidence, Turn};
use crate::list::IntoList;
use crate::model::{Note, Sample};
use crate::stats::{Mode, modes};

/// The smallest ratio between regimes. A convention: the regimes of woken threads in `ci/campaigns/threads.sh` are
/// thirty times apart.
const APART: f64 = 4.0;
/// The smallest share of turns of each side in each regime. A convention: as that of a mode.
const SMALLEST_SHARE: f64 = 0.1;
/// The fewest pairs for a decision on regimes. A convention: as many as the first look of a comparison has.
const FEWEST_PAIRS: usize = 5;
/// The largest surplus of pairs with only the head in the slower regime that may be chance, in deviations. Of a
/// normal distribution, one value in 44 lies further on that side.
const CHANCE: f64 = 2.0;

/// The regimes of a comparison, at least two.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Regimes {
    /// Logarithms of values between neighbouring regimes, ascending.
    cuts: Vec<f64>,
    /// The ratio of the slowest values to the fastest ones.
    apart: f64,
    /// Shares of turns outside the fastest regime, of base and head.
    slow_shares: [f64; 2],
}

impl Regimes {
    /// Finds the regimes that both sides of `pairs` are in; `None` if there is one, or if the code
    /// may cause them.
    pub(super) fn of(pairs: &[PairEvidence]) -> Option<Self> {
        if pairs.len() < FEWEST_PAIRS {
            return None;
        }
        let of_side = |side: fn(&Turn) -> f64| -> Vec<f64> {
            pairs.iter().flat_map(|pair| &pair.turns).map(|turn| log(side(turn))).into_list()
        };
        let sides = [of_side(|turn| turn.base), of_side(|turn| turn.head)];
        let (cuts, apart) = divided(&Sample::new(sides.concat()).ok()?)?;
        let shares = |logs: &Vec<f64>| -> Vec<f64> {
            let number = |regime| logs.iter().count_where(|it| regime_of(&cuts, **it) == regime);
            (0..=cuts.len()).map(|it| number(it) as f64 / logs.len() as f64).into_list()
        };
        let shares = sides.each_ref().map(shares);
        let is_shared = shares.iter().flatten().all(|share| *share >= SMALLEST_SHARE);
        let slow_shares = shares.map(|it| 1.0 - it[0]);
        let regimes = Self { cuts, apart, slow_shares };
        (is_shared && regimes.is_chance(pairs)).then_some(regimes)
    }

    /// Returns the pairs with only those turns in which both sides were in the same regime. Omits
    /// pairs with too few such turns.
    pub(super) fn matched(&self, pairs: &[PairEvidence]) -> Vec<PairEvidence> {
        let is_same = |turn: &Turn| self.of_value(turn.base) == self.of_value(turn.head);
        pairs.iter().filter_map(|pair| pair.only(is_same)).into_list()
    }

    /// Returns the note on the compared turns.
    pub(super) fn note(&self) -> Note {
        let [base_share, head_share] = self.slow_shares;
        Note::Regimes { apart: self.apart, base_share, head_share }
    }

    fn of_value(&self, value: f64) -> usize {
        regime_of(&self.cuts, log(value))
    }

    /// Returns whether pairs with one side in a slower regime are about as frequent for either
    /// side.
    fn is_chance(&self, pairs: &[PairEvidence]) -> bool {
        let middle = |pair: &PairEvidence| (self.of_value(pair.base), self.of_value(pair.head));
        let slower = |is: fn((usize, usize)) -> bool| {
            pairs.iter().map(middle).count_where(|it| is(*it)) as f64
        };
        let (head, base) = (slower(|(base, head)| head > base), slower(|(base, head)| base > head));
        (head - base).abs() <= CHANCE * (head + base).sqrt()
    }
}

fn log(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).ln()
}

fn regime_of(cuts: &[f64], log: f64) -> usize {
    cuts.partition_point(|cut| *cut < log)
}

/// Returns the cuts between modes of these logarithms that lie far apart, and the ratio of the
/// slowest mode to the fastest; `None` without such modes.
fn divided(logs: &Sample) -> Option<(Vec<f64>, f64)> {
    let sorted = logs.sorted();
    if sorted[sorted.len() - 1] - sorted[0] < APART.ln() {
        return None;
    }
    let modes = modes(logs);
    let is_far = |pair: &&[Mode]| pair[1].location - pair[0].location >= APART.ln();
    let cuts: Vec<f64> = modes.windows(2).filter(is_far).map(|pair| pair[0].upper).into_list();
    let apart = modes.last()?.location - modes.first()?.location;
    (!cuts.is_empty()).then_some((cuts, apart.exp()))
}
