//! Numbers that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea and Flood 2014): a counter in steps of the golden ratio, mixed.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `bound`, which is at least 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // The high half of the product: even up to one part in 2^64 / bound.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
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
    fn a_seed_stands_for_one_row_of_numbers() {
        let row = |seed| {
            let mut random = Random::new(seed);
            [(); 8].map(|()| random.below(1_000))
        };
        assert_eq!(row(3), row(3));
        assert_ne!(row(3), row(4));
    }
}
