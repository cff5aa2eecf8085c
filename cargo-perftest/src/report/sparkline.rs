//! Plots values in one line of text.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', ',', '-', '~', '=', '*', '#'];

/// The smallest range of values that fills the whole height, as a share of their median. It keeps
/// the noise of a quiet test from looking like a mountain range.
const FULL_HEIGHT: f64 = 0.2;

/// Returns one character for each value; a larger value is higher.
pub(crate) fn sparkline(values: &[f64], ascii: bool) -> String {
    let levels = if ascii { ASCII } else { BLOCKS };
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = lowest.midpoint(highest);
    let height = (highest - lowest).max(FULL_HEIGHT * middle.abs());
    let bottom = middle - height / 2.0;
    let level = |value: &f64| {
        let share = if height > 0.0 { (value - bottom) / height } else { 0.5 };
        levels[((share * 8.0) as usize).min(7)]
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_seen() {
        assert_eq!(sparkline(&[100.0, 100.0, 200.0, 200.0], false), "▁▁██");
        assert_eq!(sparkline(&[100.0, 100.0, 200.0, 200.0], true), "__##");
    }

    #[test]
    fn small_noise_stays_flat() {
        let flat = sparkline(&[100.0, 100.4, 99.8, 100.2], false);
        assert!(flat.chars().all(|level| matches!(level, '▄' | '▅')), "{flat}");
    }

    #[test]
    fn nothing_and_zeroes_are_drawn_too() {
        assert_eq!(sparkline(&[], false), "");
        assert_eq!(sparkline(&[0.0, 0.0], false), "▅▅");
    }
}
