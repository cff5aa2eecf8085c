//! The modes of a history, in words: what no single number stands for.

use crate::model::Sample;
use crate::stats::{Mode, modes};

/// A mode with a smaller share is a tail.
const SMALLEST_SHARE: f64 = 0.1;

/// What is said of a history whose runs or values (`noun`), given as logarithms of cost, lie in several
/// modes that are further `apart` than so; nothing where there is one.
pub(super) fn modality(logs: &[f64], noun: &str, apart: f64) -> Option<String> {
    let sample = Sample::new(logs.to_vec()).ok()?;
    // Without this much between its outer values there is nothing to look for.
    let (sorted, outer) = (sample.sorted(), SMALLEST_SHARE * sample.size() as f64);
    let outer = (outer.ceil() as usize).saturating_sub(1);
    if sorted[sorted.len() - 1 - outer] - sorted[outer] <= apart {
        return None;
    }
    let mut seen: Vec<Mode> = Vec::new();
    for mode in modes(&sample).into_iter().filter(|mode| mode.share >= SMALLEST_SHARE) {
        match seen.last_mut().filter(|last| mode.location - last.location <= apart) {
            Some(last) => last.share += mode.share,
            None => seen.push(mode),
        }
    }
    let first = seen.first()?.location;
    let told = |mode: &Mode| {
        let ratio = (mode.location - first).exp();
        format!("{:.0} % of its {noun} at {ratio:.2}x", 100.0 * mode.share)
    };
    match seen.as_slice() {
        [_] => None,
        [_, slow] => Some(format!("bimodal history: {} of the others", told(slow))),
        many => {
            let all: Vec<String> = many.iter().map(told).collect();
            Some(format!("history of {} modes: {}", many.len(), all.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(levels: &[f64]) -> Option<String> {
        let wobble = |index: usize| (index as f64 * 0.618_033_988_75).fract();
        let log = |index: usize| levels[index % levels.len()].ln() + 0.01 * wobble(index);
        modality(&(0..60).map(log).collect::<Vec<_>>(), "runs", 0.05)
    }

    #[test]
    fn modes_are_told_with_their_shares_and_distances() {
        let two = said(&[100.0, 100.0, 160.0]).unwrap();
        assert_eq!(two, "bimodal history: 33 % of its runs at 1.60x of the others");
        let three = said(&[100.0, 200.0, 400.0]).unwrap();
        assert!(three.starts_with("history of 3 modes: 33 % of its runs at 1.00x, "), "{three}");
    }

    #[test]
    fn one_mode_and_modes_within_the_tolerance_are_not_told() {
        assert_eq!(said(&[100.0]), None);
        assert_eq!(said(&[100.0, 104.0]), None);
        assert_eq!(modality(&[], "runs", 0.05), None);
        assert_eq!(modality(&[1.0], "runs", 0.05), None);
    }
}
