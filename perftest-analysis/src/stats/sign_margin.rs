//! The margin of the sign test.
//!
//! Definition: of n tosses of a fair coin, how many heads may be left out on one side so that as
//! few or fewer come up with at most the asked probability. Source: Dixon and Mood 1946. Cost O(n).

use perftest_core::stats::conservative_step;

/// Returns how many of `tosses` order statistics may be dropped on one side; `None` if none may.
pub(super) fn sign_margin(tosses: usize, misrate_per_side: f64) -> Option<usize> {
    let mut log = -(tosses as f64) * std::f64::consts::LN_2;
    let share = |heads: usize| {
        let share = log.exp();
        log += ((tosses - heads) as f64 / (heads + 1) as f64).ln();
        share
    };
    conservative_step((0..=tosses).map(share), misrate_per_side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_that_of_the_sign_test() {
        // Tables of the sign test: at most 5 of 20 with probability 0.0207, 1 of 10 with 0.0107.
        assert_eq!(sign_margin(20, 0.025), Some(5));
        assert_eq!(sign_margin(10, 0.011), Some(1));
        assert_eq!(sign_margin(10, 0.010), Some(0));
        assert_eq!(sign_margin(5, 0.025), None);
        assert_eq!(sign_margin(5, 1.0 / 32.0), Some(0));
    }

    #[test]
    fn many_tosses_lie_within_some_deviations_of_their_half() {
        let margin = sign_margin(1_000_000, 0.0005).unwrap() as f64;
        // 3.29 deviations of 500.
        assert!((margin - (500_000.0 - 3.29 * 500.0)).abs() < 5.0, "{margin}");
    }
}
