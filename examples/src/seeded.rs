//! Numbers that look random and are the same in every process.

/// A generator of pseudo-random numbers: a 64-bit linear congruence whose state is mixed before it
/// is given out. For inputs, not for secrets.
///
/// ```
/// use perftest_examples::seeded::Seeded;
/// let (mut one, mut other) = (Seeded::new(7), Seeded::new(7));
/// assert_eq!(one.below(1_000), other.below(1_000));
/// ```
#[derive(Clone, Debug)]
pub struct Seeded {
    state: u64,
}

impl Seeded {
    /// The sequence that belongs to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number, any of 2^64.
    pub fn next_u64(&mut self) -> u64 {
        // Knuth's multiplier and increment for a modulus of 2^64; the low bits of such a sequence
        // are weak, so the high ones are folded into them.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let folded = (self.state ^ (self.state >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        folded ^ (folded >> 33)
    }

    /// A number from 0 to `bound - 1`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        let scaled = u128::from(self.next_u64()) * u128::from(bound);
        (scaled >> 64) as u64
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_comes_about_equally_often() {
        let mut seeded = Seeded::new(1);
        let mut counts = [0_u32; 10];
        for _ in 0..10_000 {
            counts[seeded.below(10) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_shuffle_keeps_every_item_and_changes_the_order() {
        let mut items: Vec<u32> = (0..100).collect();
        Seeded::new(1).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
