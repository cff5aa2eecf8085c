//! Advice for a test that a comparison left open.

use perftest_core::judge::{ComparisonPolicy, ComparisonResult};
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
    let mut allowed_pairs = None;
    for note in &compared.notes {
        match note {
            Note::PairsNeedBudget { .. } => return None,
            Note::SlowByLessThanShift => return Some("more work in one call".to_owned()),
            Note::FewPairsUndisturbed { .. } | Note::FewPairsInOneRegime { .. } => {
                return Some(QUIETER.to_owned());
            }
            Note::PairsOutOfTime { most, .. } => allowed_pairs = Some(*most),
            _ => {}
        }
    }
    let Some(needed) = compared.needed_pairs.filter(|needed| *needed > compared.pairs) else {
        return Some(QUIETER.to_owned());
    };
    let time = spent * needed / compared.pairs.max(1);
    let usual_budget = Duration::from_nanos(ComparisonPolicy::default().budget_ns);
    // Without a note on the time, the pairs were the limit.
    let needs_time = allowed_pairs.is_some() || time > usual_budget;
    let needs_pairs = needed > allowed_pairs.unwrap_or(compared.pairs);
    let pairs = needs_pairs.then(|| format!("--pairs {needed}"));
    let budget = needs_time.then(|| format!("--test-budget {}s", time.as_secs_f64().ceil()));
    Some([pairs, budget].into_iter().flatten().collect::<Vec<_>>().join(" "))
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
    fn more_pairs_are_named_and_more_time_where_there_is_not_enough() {
        assert_eq!(unclear(Some(12), Vec::new()).as_deref(), Some("--pairs 12 may settle it"));
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
