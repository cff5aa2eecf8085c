//! Histories with several modes, which no single number represents.
//!
//! The many values of all runs have the modes of their density. The few runs have several modes where they
//! form groups with gaps wider than the groups, and a group comes back: one group after the other are levels.
//!
//! Sources. A mode of a tenth and a group of three runs are choices, which `simulate.sh` checks on worlds of
//! several modes.

use crate::list::IntoList;
use crate::model::{ModesOf, Note, Sample};
use crate::stats::modes;

/// The smallest share of a mode; less is a tail. A convention, which `ci/campaigns/simulate.sh` checks on worlds of
/// several modes.
const SMALLEST_SHARE: f64 = 0.1;
/// The fewest runs of a group; fewer may be chance. A convention, checked there too.
const FEWEST_RUNS: usize = 3;

/// A mode: its location as a logarithm of cost, and its share of the runs or values.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ModePart {
    location: f64,
    share: f64,
}

/// Returns the note on runs, as logarithms of cost in their order, that form groups further `apart` than this; `None`
/// for one group, and for levels.
pub(super) fn modality_of_runs(logs: &[f64], apart: f64) -> Option<Note> {
    let sample = Sample::new(logs.to_vec()).ok()?;
    let size = sample.size() as f64;
    let groups = sample.sorted().chunk_by(|one, next| next - one <= apart);
    let groups: Vec<&[f64]> = groups
        .filter(|group| group.len() >= FEWEST_RUNS && group.len() as f64 >= SMALLEST_SHARE * size)
        .into_list();
    let width = |group: &[f64]| group[group.len() - 1] - group[0];
    let is_apart = |pair: &[&[f64]]| {
        let gap = pair[1][0] - pair[0][pair[0].len() - 1];
        gap > width(pair[0]).max(width(pair[1]))
    };
    let part = |group: &&[f64]| {
        Some(ModePart { location: Sample::median_of(group)?, share: group.len() as f64 / size })
    };
    let parts = groups.iter().map(part).into_list_of_some();
    parts
        .filter(|_| groups.windows(2).all(is_apart) && comes_back(logs, &groups))
        .and_then(|parts| noted(&parts, ModesOf::Runs))
}

/// Returns whether a run is of a group that other groups have followed. Else the code became faster or slower.
fn comes_back(logs: &[f64], groups: &[&[f64]]) -> bool {
    let group_of =
        |log: &f64| groups.iter().position(|it| it[0] <= *log && *log <= it[it.len() - 1]);
    let mut order = logs.iter().filter_map(group_of).into_list();
    order.dedup();
    order.len() > groups.len()
}

/// Returns the note on values, as logarithms of cost, with modes further `apart` than this; `None` for one
/// mode.
pub(super) fn modality_of_values(logs: &[f64], apart: f64) -> Option<Note> {
    let sample = Sample::new(logs.to_vec()).ok()?;
    // A narrower range has no separate modes.
    let (sorted, outer) = (sample.sorted(), SMALLEST_SHARE * sample.size() as f64);
    let outer = (outer.ceil() as usize).saturating_sub(1);
    if sorted[sorted.len() - 1 - outer] - sorted[outer] <= apart {
        return None;
    }
    let mut parts: Vec<ModePart> = Vec::new();
    for mode in modes(&sample).into_iter().filter(|mode| mode.share >= SMALLEST_SHARE) {
        match parts.last_mut().filter(|last| mode.location - last.location <= apart) {
            Some(last) => last.share += mode.share,
            None => parts.push(ModePart { location: mode.location, share: mode.share }),
        }
    }
    noted(&parts, ModesOf::Values)
}

/// Returns the note on several modes.
fn noted(parts: &[ModePart], of: ModesOf) -> Option<Note> {
    let [first, _, ..] = parts else {
        return None;
    };
    let shares = parts.iter().map(|part| part.share).into_list();
    let ratios = parts.iter().map(|part| (part.location - first.location).exp()).into_list();
    Some(Note::Modes { of, shares, ratios })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::describe_note;

    /// Returns logarithms at these levels in turn, up to `noise` above them.
    fn logs(levels: &[f64], noise: f64, size: usize) -> Vec<f64> {
        let wobble = |index: usize| (index as f64 * 0.618_033_988_75).fract();
        let log = |index: usize| levels[index % levels.len()].ln() + noise * wobble(index);
        (0..size).map(log).collect()
    }

    #[test]
    fn modes_are_noted_with_their_shares_and_distances() {
        for noise in [0.0, 0.002, 0.05] {
            let two = modality_of_runs(&logs(&[100.0, 100.0, 160.0], noise, 30), 0.05);
            let two = describe_note(&two.unwrap());
            assert!(two.starts_with("bimodal history: 33% of its runs at 1."), "{two}");
            assert!(two.ends_with("x of the others"), "{two}");
        }
        let three = modality_of_runs(&logs(&[100.0, 200.0, 400.0], 0.0, 30), 0.05);
        let three = describe_note(&three.unwrap());
        assert!(three.starts_with("history of 3 modes: 33% of its runs at 1.00x, "), "{three}");
        let two = modality_of_values(&logs(&[100.0, 200.0], 0.002, 400), 0.05);
        assert_eq!(
            describe_note(&two.unwrap()),
            "bimodal history: 50% of its values at 2.00x of the others"
        );
    }

    #[test]
    fn levels_of_runs_are_no_modes_until_one_comes_back() {
        let [low, high] = [1.0_f64, 1.15].map(f64::ln);
        let levels = [[high; 3].as_slice(), &[low; 4]].concat();
        assert_eq!(modality_of_runs(&levels, 0.05), None);
        let and_a_third = [levels.as_slice(), &[2.0 * high; 3]].concat();
        assert_eq!(modality_of_runs(&and_a_third, 0.05), None);
        let came_back = [levels.as_slice(), &[high]].concat();
        assert!(modality_of_runs(&came_back, 0.05).is_some());
    }

    #[test]
    fn one_mode_and_modes_within_the_tolerance_are_not_noted() {
        for levels in [&[100.0][..], &[100.0, 104.0]] {
            assert_eq!(modality_of_runs(&logs(levels, 0.01, 30), 0.05), None);
            assert_eq!(modality_of_values(&logs(levels, 0.01, 400), 0.05), None);
        }
        for few in [&[][..], &[1.0], &[1.0, 2.0], &[1.0, 1.0, 2.0, 2.0]] {
            assert_eq!(modality_of_runs(few, 0.05), None);
            assert_eq!(modality_of_values(few, 0.05), None);
        }
    }

    #[test]
    fn noise_and_single_slow_runs_are_no_modes() {
        assert_eq!(modality_of_runs(&logs(&[100.0], 0.5, 30), 0.01), None);
        let mut single = logs(&[100.0], 0.01, 30);
        (single[3], single[20]) = (9.0, 8.0);
        assert_eq!(modality_of_runs(&single, 0.05), None);
    }
}
