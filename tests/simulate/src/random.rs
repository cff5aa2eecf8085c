//! Random numbers that are the same for the same seeds on every machine.
//!
//! The generator is xoshiro256++ by Blackman and Vigna, its state filled by SplitMix64; both are
//! in the public domain and a few lines long.

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The stream of these seeds. Streams of different seeds have nothing to do with each other.
    ///
    /// ```
    /// use perftest_simulate::Random;
    /// assert_eq!(Random::of(&[1, 2]).bits(), Random::of(&[1, 2]).bits());
    /// assert_ne!(Random::of(&[1, 2]).bits(), Random::of(&[2, 1]).bits());
    /// ```
    pub fn of(seeds: &[u64]) -> Self {
        let mut mixed = seeds.iter().fold(0, |mixed, seed| split_mix(&mut (mixed ^ seed)));
        Self { state: std::array::from_fn(|_| split_mix(&mut mixed)) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let bits = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        bits
    }

    /// Uniform, from 0 and below 1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform, from `low` and below `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Exponential with mean 1 (by inversion).
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    /// Pareto with least value 1 (by inversion): beyond `x` with probability `x` to the minus
    /// `exponent`.
    pub fn pareto(&mut self, exponent: f64) -> f64 {
        (1.0 - self.uniform()).powf(-1.0 / exponent)
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;

    fn moments(mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut random = Random::of(&[7]);
        let values: Vec<f64> = (0..DRAWS).map(|_| draw(&mut random)).collect();
        let mean = values.iter().sum::<f64>() / DRAWS as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / DRAWS as f64)
    }

    fn assert_near(found: (f64, f64), expected: (f64, f64)) {
        let near = |found: f64, expected: f64| (found - expected).abs() < 0.01 * expected.max(1.0);
        assert!(near(found.0, expected.0) && near(found.1, expected.1), "{found:?} {expected:?}");
    }

    #[test]
    fn split_mix_gives_the_published_numbers() {
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = Random { state: [1, 2, 3, 4] };
        let drawn: [u64; 3] = std::array::from_fn(|_| random.bits());
        assert_eq!(drawn, [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn each_distribution_has_its_mean_and_variance() {
        assert_near(moments(Random::uniform), (0.5, 1.0 / 12.0));
        assert_near(moments(|random| random.between(2.0, 4.0)), (3.0, 1.0 / 3.0));
        assert_near(moments(|random| f64::from(random.chance(0.2))), (0.2, 0.16));
        assert_near(moments(Random::normal), (0.0, 1.0));
        assert_near(moments(Random::exponential), (1.0, 1.0));
        assert_near(moments(|random| random.pareto(5.0)), (1.25, 5.0 / 48.0));
    }

    #[test]
    fn a_normal_number_is_beyond_two_deviations_once_in_44() {
        let (beyond, _) = moments(|random| f64::from(random.normal() > 2.0));
        assert!((beyond - 0.02275).abs() < 0.002, "{beyond}");
    }

    #[test]
    fn a_pareto_tail_falls_with_its_power() {
        let (beyond, _) = moments(|random| f64::from(random.pareto(1.5) > 4.0));
        assert!((beyond - 0.125).abs() < 0.005, "{beyond}");
    }
}
