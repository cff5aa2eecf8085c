//! Decisions about testbeds: which of them share a history, and which are retired.

use crate::format::JudgementRecord;
use crate::query::united;
use crate::{Query, StoreError, WithDamage};
use perftest_core::list::IntoList;
use perftest_core::model::{Acceptance, History, Judgement, Metric, RunId};
use perftest_core::order::sort_by;

/// A decision about a testbed. It changes how lines are read, and no line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestbedDecision {
    /// A ULID. A revocation of this id takes the decision back.
    pub id: String,
    /// The testbed, without its speed.
    pub testbed: String,
    /// What is decided.
    pub change: TestbedChange,
    /// When it was given, in milliseconds since 1970.
    pub given_ms: u64,
}

/// What is decided about a testbed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestbedChange {
    /// Its runs are read as those of another testbed: it was renamed, or shares the history of others.
    ReadAs(String),
    /// Its runs up to the time of the decision are not read.
    Retired,
}

/// How testbeds are read.
///
/// ```
/// use perftest_store::{TestbedChange, TestbedDecision, Testbeds};
///
/// let decision = TestbedDecision {
///     id: "01KDVDNR000000000000000000".into(),
///     testbed: "ci/bbbb".into(),
///     change: TestbedChange::ReadAs("ci/aaaa".into()),
///     given_ms: 1,
/// };
/// let testbeds = Testbeds::of(&[decision]);
/// assert_eq!(testbeds.name_of("ci/bbbb@3.1GHz-10.2us"), "ci/aaaa@3.1GHz-10.2us");
/// assert_eq!(testbeds.members_of("ci/bbbb"), ["ci/aaaa", "ci/bbbb"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Testbeds {
    /// What was decided and not revoked, oldest first.
    decisions: Vec<TestbedDecision>,
    /// Testbeds, each with the name by which it is read. No such name is read as another one.
    read_as: Vec<(String, String)>,
    /// Testbeds, each with the time up to which its runs are retired.
    retired: Vec<(String, u64)>,
}

impl Testbeds {
    /// Applies decisions in the order of the times of their ids: their lines may have another order in each store.
    pub fn of(decisions: &[TestbedDecision]) -> Self {
        let mut decisions = decisions.to_vec();
        sort_by(&mut decisions, &|one, other| {
            RunId::time_in(&one.id).cmp(RunId::time_in(&other.id))
        });
        let mut testbeds = Self::default();
        for TestbedDecision { testbed, change, given_ms, .. } in &decisions {
            match change {
                TestbedChange::ReadAs(name)
                    if is_without_speed(testbed) && is_without_speed(name) =>
                {
                    testbeds.read_as(testbed, name);
                }
                // A foreign line: one speed of a testbed has no name of its own.
                TestbedChange::ReadAs(_) => {}
                TestbedChange::Retired => testbeds.retire(testbed, *given_ms),
            }
        }
        Self { decisions, ..testbeds }
    }

    fn read_as(&mut self, testbed: &str, name: &str) {
        let before = self.name_of(testbed);
        let target = self.name_of(name);
        // A name that goes back to one of its own testbeds.
        let target = if target == before { name.to_owned() } else { target };
        let members = self.members_of(&before);
        self.read_as.retain(|(member, _)| !members.contains(member));
        let others = members.into_iter().filter(|member| *member != target);
        self.read_as.extend(others.map(|member| (member, target.clone())));
    }

    /// Retires a testbed, or all that are read by this name.
    fn retire(&mut self, testbed: &str, given_ms: u64) {
        let is_alias = self.name_of(testbed) != testbed;
        let members = if is_alias { vec![testbed.to_owned()] } else { self.members_of(testbed) };
        for member in members {
            let until_ms = self.retired_ms(&member).unwrap_or_default().max(given_ms);
            self.retired.retain(|(known, _)| *known != member);
            self.retired.push((member, until_ms));
        }
    }

    /// Returns what was decided and not revoked, oldest first.
    pub fn decisions(&self) -> &[TestbedDecision] {
        &self.decisions
    }

    /// Returns whether nothing was decided.
    pub fn are_as_recorded(&self) -> bool {
        self.read_as.is_empty() && self.retired.is_empty()
    }

    /// Returns the name by which a testbed is read. The speed of a testbed stays.
    pub fn name_of(&self, testbed: &str) -> String {
        let (whole, speed) = parts(testbed);
        let known = self.read_as.iter().find(|(member, _)| member == whole);
        format!("{}{speed}", known.map_or(whole, |(_, name)| name))
    }

    /// Returns the testbeds that share the history of this one, at the same speed; the one with the name of the
    /// history first.
    pub fn members_of(&self, testbed: &str) -> Vec<String> {
        let name = self.name_of(testbed);
        let (whole, speed) = parts(&name);
        let others = self.read_as.iter().filter(|(_, name)| name == whole);
        let others = others.map(|(member, _)| format!("{member}{speed}"));
        let mut members = others.into_list();
        members.insert(0, name.clone());
        members
    }

    /// Returns the time up to which the runs of a testbed are retired, in milliseconds since 1970.
    pub fn retired_ms(&self, testbed: &str) -> Option<u64> {
        let (whole, _) = parts(testbed);
        self.retired.iter().find(|(retired, _)| retired == whole).map(|(_, given_ms)| *given_ms)
    }

    /// Loads the runs of all testbeds that share a history, by a function that loads those of one. They come
    /// under the name of the history.
    ///
    /// # Errors
    /// Those of `load`.
    pub(crate) fn load(
        &self,
        query: &Query,
        load: impl Fn(&Query) -> Result<WithDamage<History>, StoreError>,
    ) -> Result<WithDamage<History>, StoreError> {
        if self.are_as_recorded() {
            return load(query);
        }
        let name = self.name_of(&query.testbed);
        let mut all = WithDamage::<History>::default();
        for testbed in self.members_of(&name) {
            let started_after_ms = self.retired_ms(&testbed).max(query.started_after_ms);
            let mut loaded = load(&Query { testbed, started_after_ms, ..query.clone() })?;
            for run in &mut loaded.value.runs {
                run.testbed.clone_from(&name);
            }
            all = united(query, all, loaded);
        }
        Ok(all)
    }

    /// Returns the metrics of all testbeds that share a history, each once, by a function for one.
    ///
    /// # Errors
    /// Those of `metrics`.
    pub(crate) fn metrics(
        &self,
        testbed: &str,
        metrics: impl Fn(&str) -> Result<Vec<Metric>, StoreError>,
    ) -> Result<Vec<Metric>, StoreError> {
        let mut all = Vec::new();
        // The metrics of the testbed itself are last, as the newest are.
        for member in self.members_of(testbed).iter().rev() {
            for metric in metrics(member)? {
                all.retain(|known| *known != metric);
                all.push(metric);
            }
        }
        Ok(all)
    }

    /// Returns the judgements of all testbeds that share a history, by a function for one. They are in the order of
    /// their time: each store of several machines has its own first. A correction on one of them outdates judgements on all.
    ///
    /// # Errors
    /// Those of `records`.
    pub(crate) fn judgements(
        &self,
        testbed: &str,
        records: impl Fn(&str) -> Result<WithDamage<Vec<JudgementRecord>>, StoreError>,
    ) -> Result<WithDamage<Vec<Judgement>>, StoreError> {
        let name = self.name_of(testbed);
        let members = self.members_of(&name);
        let mut all = WithDamage::<Vec<Judgement>>::default();
        let mut corrections = Vec::new();
        for member in &members {
            let WithDamage { value, damaged } = records(member)?;
            all.damaged.extend(damaged);
            for record in value {
                match record {
                    JudgementRecord::Judgement(it) => {
                        all.value.push(Judgement { testbed: name.clone(), ..it });
                    }
                    JudgementRecord::Correction(it) => corrections.push(it),
                }
            }
        }
        all.value.retain(|judgement| !corrections.iter().any(|it| it.outdates(judgement)));
        sort_by(&mut all.value, &|one, other| one.judged_ms.cmp(&other.judged_ms));
        Ok(all)
    }

    /// Gives acceptances for a testbed the name by which the testbed is read.
    pub fn rename_in(&self, acceptances: &mut [Acceptance]) {
        for acceptance in acceptances.iter_mut().filter(|it| !it.holds_on_every_testbed()) {
            acceptance.testbed = self.name_of(&acceptance.testbed);
        }
    }
}

fn is_without_speed(testbed: &str) -> bool {
    parts(testbed).1.is_empty()
}

/// A testbed, and the part of the name that is its speed.
fn parts(testbed: &str) -> (&str, &str) {
    testbed.split_at(testbed.find('@').unwrap_or(testbed.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(testbed: &str, change: TestbedChange, given_ms: u64) -> TestbedDecision {
        TestbedDecision { id: String::new(), testbed: testbed.into(), change, given_ms }
    }

    fn read_as(pairs: &[(&str, &str)]) -> Testbeds {
        let decisions = pairs.iter();
        let decisions = decisions
            .map(|(testbed, name)| decision(testbed, TestbedChange::ReadAs((*name).into()), 1));
        Testbeds::of(&decisions.collect::<Vec<_>>())
    }

    #[test]
    fn a_name_follows_all_its_changes_and_no_change_goes_round_in_circles() {
        let testbeds = read_as(&[("ci/a", "ci/b"), ("ci/b", "ci/c")]);
        assert_eq!(
            ["ci/a", "ci/b", "ci/c", "ci/d"].map(|it| testbeds.name_of(it)),
            ["ci/c", "ci/c", "ci/c", "ci/d"]
        );
        let back = read_as(&[("ci/a", "ci/b"), ("ci/b", "ci/a")]);
        assert_eq!(["ci/a", "ci/b"].map(|it| back.name_of(it)), ["ci/a", "ci/a"]);
        let itself = read_as(&[("ci/a", "ci/a")]);
        assert_eq!((itself.name_of("ci/a"), itself.are_as_recorded()), ("ci/a".into(), true));
    }

    #[test]
    fn decisions_are_applied_in_the_order_of_their_times_whatever_the_order_of_their_lines() {
        let named = |id: &str, name: &str| TestbedDecision {
            id: id.into(),
            ..decision("ci/a", TestbedChange::ReadAs(name.into()), 1)
        };
        let (earlier, later) = (named("01A", "ci/y"), named("01B", "ci/z"));
        for order in [[&earlier, &later], [&later, &earlier]] {
            let testbeds = Testbeds::of(&order.map(Clone::clone));
            assert_eq!(testbeds.name_of("ci/a"), "ci/z");
            assert_eq!(testbeds.decisions(), [earlier.clone(), later.clone()]);
        }
    }

    #[test]
    fn a_decision_about_one_speed_of_a_testbed_changes_no_name() {
        let testbeds = read_as(&[("ci/a", "ci/b@3GHz"), ("ci/a@3GHz", "ci/b")]);
        assert!(testbeds.are_as_recorded(), "{testbeds:?}");
        assert_eq!(testbeds.decisions().len(), 2);
    }

    #[test]
    fn two_pools_that_are_merged_are_one() {
        let testbeds = read_as(&[("ci/b", "ci/a"), ("ci/d", "ci/c"), ("ci/d", "ci/b")]);
        let mut members = testbeds.members_of("ci/c@3GHz");
        members.sort();
        assert_eq!(members, ["ci/a@3GHz", "ci/b@3GHz", "ci/c@3GHz", "ci/d@3GHz"]);
        assert_eq!(testbeds.members_of("ci/d")[0], "ci/a");
    }

    #[test]
    fn a_pool_is_retired_by_its_name_and_a_testbed_in_it_by_its_own() {
        let pool = decision("ci/b", TestbedChange::ReadAs("ci/a".into()), 1);
        let retired = |testbed| {
            let decisions = [pool.clone(), decision(testbed, TestbedChange::Retired, 7)];
            let testbeds = Testbeds::of(&decisions);
            ["ci/a", "ci/b@3GHz"].map(|it| testbeds.retired_ms(it))
        };
        assert_eq!(retired("ci/a"), [Some(7), Some(7)]);
        assert_eq!(retired("ci/b"), [None, Some(7)]);
    }

    #[test]
    fn a_testbed_is_retired_up_to_the_latest_of_its_retirements_in_any_order() {
        let retired = [7, 9, 8].map(|at| decision("ci/a", TestbedChange::Retired, at));
        assert_eq!(Testbeds::of(&retired).retired_ms("ci/a"), Some(9));
    }
}
