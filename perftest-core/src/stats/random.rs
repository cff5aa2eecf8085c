//! Numbers that look random and are the same for the same seed.
//!
//! Source: SplitMix64 (Steele, Lea and Flood 2014): a counter in steps of the golden ratio, mixed.
//! Behaviour: good enough to draw and to shuffle; nothing secret may depend on it.

/// A pseudo-random number generator.
///
/// ```
/// use perftest_core::stats::Random;
/// let (mut one, mut same) = (Random::new(7), Random::new(7));
/// assert_eq!(one.below(1_000), same.below(1_000));
/// assert!((0.9..1.1).contains(&one.between(0.9, 1.1)));
/// ```
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The row of this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of the product: even up to one part in 2^64 / bound.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` and below `high`, all equally likely.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * share
    }

    /// Shuffles the items; all orders are equally likely (Fisher and Yates).
    ///
    /// ```
    /// use perftest_core::stats::Random;
    /// let mut items = [1, 2, 3, 4];
    /// Random::new(7).shuffle(&mut items);
    /// items.sort();
    /// assert_eq!(items, [1, 2, 3, 4]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_comes_about_equally_often() {
        let mut random = Random::new(7);
        let mut counts = [0; 6];
        (0..6_000).for_each(|_| counts[random.below(6)] += 1);
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn numbers_between_two_fill_the_room_evenly() {
        let mut random = Random::new(7);
        let drawn: Vec<f64> = (0..6_000).map(|_| random.between(-1.0, 3.0)).collect();
        assert!(drawn.iter().all(|number| (-1.0..3.0).contains(number)));
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        assert!((mean - 1.0).abs() < 0.06, "{mean}");
    }

    #[test]
    fn every_order_comes_about_equally_often() {
        let mut random = Random::new(7);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut order = [0, 1, 2];
            random.shuffle(&mut order);
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_seed_stands_for_one_row_of_numbers() {
        let row = |seed| {
            let mut random = Random::new(seed);
            [(); 8].map(|()| random.below(1_000))
        };
        assert_eq!(row(3), row(3));
        assert_ne!(row(3), row(4));
    }
}
