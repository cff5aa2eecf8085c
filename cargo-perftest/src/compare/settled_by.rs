//! Advice for a test that a comparison left open.

use perftest_core::judge::ComparisonResult;
use perftest_core::model::{Note, Reason};
use std::time::Duration;

const QUIETER: &str = "a quieter machine or a larger --tolerance";

/// Returns what may settle an open answer that took the time `spent`.
pub(super) fn settled_by(compared: &ComparisonResult, spent: Duration) -> Option<String> {
    let helps = match compared.reason {
        Reason::Unclear => settles_unclear(compared, spent)?,
        Reason::Unstable => QUIETER.to_owned(),
        _ => return None,
    };
    Some(format!("{helps} may settle it"))
}

/// Returns what may settle an unclear answer; `None` where its note has a budget.
fn settles_unclear(compared: &ComparisonResult, spent: Duration) -> Option<String> {
    // Without a note on the time, the pairs were the limit.
    let mut most = compared.pairs;
    for note in &compared.notes {
        match note {
            Note::PairsNeedBudget { .. } => return None,
            Note::SlowByLessThanShift => return Some("more work in one call".to_owned()),
            Note::FewPairsUndisturbed { .. } | Note::FewPairsInOneRegime { .. } => {
                return Some(QUIETER.to_owned());
            }
            Note::PairsOutOfTime { most: allowed, .. } => most = *allowed,
            _ => {}
        }
    }
    let Some(needed) = compared.needed_pairs.filter(|needed| *needed > compared.pairs) else {
        return Some(QUIETER.to_owned());
    };
    let budget_s = (spent * needed / compared.pairs.max(1)).as_secs_f64().ceil();
    let pairs = if needed > most { format!("--pairs {needed} ") } else { String::new() };
    Some(format!("{pairs}--test-budget {budget_s}s"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::TestComparison;

    fn advice(reason: Reason, needed_pairs: Option<u32>, notes: Vec<Note>) -> Option<String> {
        let of_five_pairs = TestComparison::of_measured("open", reason, 1.03);
        let compared = of_five_pairs.measured().unwrap().clone();
        settled_by(&ComparisonResult { needed_pairs, notes, ..compared }, Duration::from_secs(10))
    }

    fn unclear(needed_pairs: Option<u32>, notes: Vec<Note>) -> Option<String> {
        advice(Reason::Unclear, needed_pairs, notes)
    }

    #[test]
    fn more_pairs_are_named_with_the_time_that_they_take() {
        let expected = "--pairs 64 --test-budget 128s may settle it";
        assert_eq!(unclear(Some(64), Vec::new()).as_deref(), Some(expected));
        let out_of_time = || vec![Note::PairsOutOfTime { pairs: 5, most: 40 }];
        assert_eq!(unclear(Some(64), out_of_time()).as_deref(), Some(expected));
        let by_time = unclear(Some(30), out_of_time());
        assert_eq!(by_time.as_deref(), Some("--test-budget 60s may settle it"));
    }

    #[test]
    fn where_no_number_of_pairs_would_do_the_machine_or_the_tolerance_is_named() {
        let quieter = Some("a quieter machine or a larger --tolerance may settle it");
        assert_eq!(unclear(None, Vec::new()).as_deref(), quieter);
        assert_eq!(advice(Reason::Unstable, Some(64), Vec::new()).as_deref(), quieter);
        let few = vec![Note::FewPairsUndisturbed { pairs: 5, measured: 80 }];
        assert_eq!(unclear(Some(64), few).as_deref(), quieter);
    }

    #[test]
    fn a_note_with_a_reason_of_its_own_decides() {
        let too_little = unclear(None, vec![Note::SlowByLessThanShift]);
        assert_eq!(too_little.as_deref(), Some("more work in one call may settle it"));
        let budget = Note::PairsNeedBudget { pairs: 2, most: 40, fewest: 5, budget_s: 9.0 };
        assert_eq!(unclear(Some(5), vec![budget]), None);
    }

    #[test]
    fn what_is_decided_needs_no_advice() {
        for reason in [Reason::Green, Reason::Red, Reason::Improved] {
            assert_eq!(advice(reason, Some(64), Vec::new()), None);
        }
    }
}
