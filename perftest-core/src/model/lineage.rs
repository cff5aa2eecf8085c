//! The ancestors of the present code.

use super::{Revision, Run};
use crate::list::IntoList;
use crate::order::sort_by;
use std::cmp::Reverse;

/// A commit in a list of ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    /// The commit.
    pub commit: String,
    /// Its time, in seconds since the Unix epoch.
    pub time_s: u64,
}

/// A listed ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ListedAncestor {
    /// Its place in the list: 0 is the commit that is checked out.
    place: usize,
    /// Its time, in seconds since the Unix epoch, or the least of those of newer ones: some clocks are wrong.
    time_s: u64,
}

/// The ancestors of the present code, and the runs that are therefore comparable.
///
/// The default value has no information: no run is merged, and none is foreign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    default_branch: String,
    present: Revision,
    /// The listed ancestors, sorted by commit.
    ancestors: Vec<(String, ListedAncestor)>,
    /// A commit that is older than this, and not listed, is an ancestor too.
    listed_since_s: Option<u64>,
}

impl Lineage {
    /// Creates the lineage of the code at `present`, whose [`base`](Revision::base) is the base
    /// commit. `ancestors` begins with the commit that is checked out and may end before the first
    /// one of the repository.
    ///
    /// A run on the default branch of an ancestor of the present code also belongs to an ancestor
    /// of the merge base, so the list need not begin there.
    pub fn new(present: &Revision, default_branch: &str, ancestors: &[Ancestor]) -> Self {
        let is_beside = !default_branch.is_empty() && present.branch != default_branch;
        // Off the default branch, without a known base, an older run may still be of a commit that
        // the present code lacks.
        let reaches = !is_beside || !present.base.is_empty();
        let oldest = ancestors.last().filter(|_| reaches);
        let listed = ancestors.iter().enumerate().scan(u64::MAX, |newer_s, (place, it)| {
            *newer_s = it.time_s.min(*newer_s);
            Some((it.commit.clone(), ListedAncestor { place, time_s: *newer_s }))
        });
        let mut ancestors = listed.into_list();
        sort_by(&mut ancestors, &|(one, _), (other, _)| one.cmp(other));
        Self {
            default_branch: default_branch.to_owned(),
            present: present.clone(),
            ancestors,
            listed_since_s: oldest.map(|oldest| oldest.time_s),
        }
    }

    /// Creates the lineage of code after all records of this branch, the default one.
    #[inline]
    pub fn after_all_of(default_branch: &str) -> Self {
        Self {
            default_branch: default_branch.to_owned(),
            present: Revision { branch: default_branch.to_owned(), ..Revision::default() },
            listed_since_s: Some(u64::MAX),
            ..Self::default()
        }
    }

    /// Returns whether the default branch is known: otherwise no run is merged.
    pub fn knows_default_branch(&self) -> bool {
        !self.default_branch.is_empty()
    }

    /// Returns whether this code is part of the default branch: checked out there, and clean.
    pub fn is_of_default_branch(&self, revision: &Revision) -> bool {
        self.knows_default_branch() && revision.branch == self.default_branch && !revision.dirty
    }

    /// Returns whether this code was merged before the present code was made: it is on the default
    /// branch, and the base commit is that commit or descends from it.
    pub fn is_merged(&self, revision: &Revision) -> bool {
        self.is_of_default_branch(revision) && self.descends_from(revision)
    }

    /// Returns whether this code of the default branch is from before its first commit, with changed files or not: all
    /// commits, of which the present code has some, came after it.
    pub fn is_before_first_commit(&self, revision: &Revision) -> bool {
        let Revision { commit, branch, .. } = revision;
        self.knows_default_branch()
            && *branch == self.default_branch
            && commit.is_empty()
            && !self.ancestors.is_empty()
    }

    /// Returns whether the present code is known to lack this code, which must not count for or against it:
    ///
    /// * what is on the default branch but not in the present code: other people's work, or newer than the commit that
    ///   is checked out;
    /// * commits of another branch that the present code does not descend from;
    /// * where no file is changed: newer commits, changes of this very commit or of a newer one, and those of a branch
    ///   that is neither this one nor the default one. Other changes may be what was committed since.
    ///
    /// On one's own branch no older commit is foreign: missing ones were amended away.
    pub fn is_foreign(&self, revision: &Revision) -> bool {
        if self.is_before_first_commit(revision) {
            return false;
        }
        let is_newer = self.is_newer(revision);
        if self.is_of_default_branch(revision) {
            return (self.is_beside() || is_newer) && !self.descends_from(revision);
        }
        let Revision { commit, branch, dirty, .. } = revision;
        let are_named = !branch.is_empty() && !self.present.branch.is_empty();
        let is_of_another = are_named && *branch != self.present.branch;
        let is_of_this_commit = !commit.is_empty() && *commit == self.present.commit;
        let is_undone = is_of_this_commit || is_of_another && *branch != self.default_branch;
        let is_lacking = is_newer || *dirty && is_undone;
        (is_of_another && !self.lists(commit)) || (is_lacking && !self.present.dirty)
    }

    /// Whether this commit was made after the one that is checked out, and is none of its ancestors.
    fn is_newer(&self, revision: &Revision) -> bool {
        let since_s = self.present.order;
        since_s > 0 && revision.order > since_s && !self.lists(&revision.commit)
    }

    /// Returns whether the default branch is known, and this code is on another one.
    pub fn is_beside_default_branch(&self, revision: &Revision) -> bool {
        !self.default_branch.is_empty()
            && !revision.branch.is_empty()
            && revision.branch != self.default_branch
    }

    /// Returns whether this commit is listed as an ancestor of the present code, or is checked out.
    pub fn lists(&self, commit: &str) -> bool {
        self.listed(commit).is_some()
    }

    fn listed(&self, commit: &str) -> Option<&ListedAncestor> {
        let behind = self.ancestors.partition_point(|(it, _)| it.as_str() <= commit);
        let (found, listed) = self.ancestors[..behind].last()?;
        (found == commit).then_some(listed)
    }

    /// Returns the key that sorts code along its commits, older ones first: the place in the list of ancestors, and for
    /// other commits the time. `None` where neither is known.
    pub fn order_of(&self, revision: &Revision) -> Option<(u64, Reverse<usize>)> {
        // Whatever a clock said, what is not listed and older than the list comes before it.
        let oldest_s = self.listed_since_s.unwrap_or_default();
        let listed = self.listed(&revision.commit);
        let listed = listed.map(|it| (it.time_s.max(oldest_s), Reverse(it.place)));
        listed.or((revision.order > 0).then_some((revision.order, Reverse(usize::MAX))))
    }

    /// Returns the runs in the order of their commits, those of one commit in the order of recording. A run of an
    /// unknown commit stays behind the one before it.
    pub(crate) fn by_commit<'a>(&self, runs: impl Iterator<Item = &'a Run>) -> Vec<&'a Run> {
        let mut newest = None;
        let ordered = runs.map(|run| {
            newest = self.order_of(&run.revision).or(newest);
            (newest, run)
        });
        let mut ordered = ordered.into_list();
        sort_by(&mut ordered, &|(one, _), (other, _)| one.cmp(other));
        ordered.into_iter().map(|(_, run)| run).into_list()
    }

    fn descends_from(&self, revision: &Revision) -> bool {
        let Revision { commit, order, .. } = revision;
        let is_older = |since_s| *order > 0 && *order < since_s;
        !commit.is_empty()
            && !self.is_excluded(commit)
            && (self.lists(commit) || self.listed_since_s.is_some_and(is_older))
    }

    /// Whether this is the commit that is checked out, and its own earlier runs do not precede it.
    fn is_excluded(&self, commit: &str) -> bool {
        !self.is_beside() && !self.present.dirty && *commit == self.present.commit
    }

    /// Whether the present code is on another branch than the default one.
    fn is_beside(&self) -> bool {
        !self.default_branch.is_empty() && self.present.branch != self.default_branch
    }

    /// Returns the number of commits between a merged commit and the base commit, as far as the
    /// list of ancestors reaches.
    pub fn commits_before_base(&self, commit: &str) -> Option<u32> {
        let place = |commit: &str| self.listed(commit).map(|it| it.place);
        Some(place(commit)?.saturating_sub(place(&self.present.base)?) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(commit: &str, branch: &str, time_s: u64) -> Revision {
        Revision {
            commit: commit.into(),
            branch: branch.into(),
            order: time_s,
            ..Revision::default()
        }
    }

    #[test]
    fn all_code_with_a_commit_came_after_what_was_measured_before_the_first_one() {
        let before_the_first = Revision { dirty: true, ..at("", "main", 0) };
        let topic = Revision { base: "c9".into(), ..at("t1", "topic", 12) };
        for present in [topic, at("c9", "main", 9)] {
            let lineage = Lineage::new(&present, "main", &ancestors(9, 7));
            assert!(lineage.is_before_first_commit(&before_the_first), "{present:?}");
            assert!(!lineage.is_foreign(&before_the_first), "{present:?}");
            assert!(!lineage.is_before_first_commit(&at("", "other", 0)), "{present:?}");
        }
        let still_before = Lineage::new(&before_the_first, "main", &[]);
        assert!(!still_before.is_before_first_commit(&before_the_first));
    }

    /// Returns commits `c9`, `c8` .. with these times.
    fn ancestors(newest: u64, oldest: u64) -> Vec<Ancestor> {
        let all = (oldest..=newest).rev();
        all.map(|time_s| Ancestor { commit: format!("c{time_s}"), time_s }).collect()
    }

    fn on_main(dirty: bool) -> Lineage {
        let base = if dirty { "c9" } else { "c8" };
        let present = Revision { base: base.into(), dirty, ..at("c9", "main", 9) };
        Lineage::new(&present, "main", &ancestors(9, 5))
    }

    /// Returns a branch of two commits on `c5`, with everything down to `c3` listed.
    fn feature(base: &str) -> Lineage {
        let mut list = vec![
            Ancestor { commit: "f2".into(), time_s: 9 },
            Ancestor { commit: "f1".into(), time_s: 8 },
        ];
        list.extend(ancestors(5, 3));
        let present = Revision { base: base.into(), ..at("f2", "feature", 9) };
        Lineage::new(&present, "main", &list)
    }

    #[test]
    fn on_the_default_branch_what_came_before_is_merged_and_the_commit_itself_is_not() {
        let lineage = on_main(false);
        assert!(lineage.is_merged(&at("c8", "main", 8)));
        assert!(!lineage.is_merged(&at("c9", "main", 9)));
        assert!(!lineage.is_merged(&Revision { dirty: true, ..at("c8", "main", 8) }));
        assert!(!lineage.is_merged(&at("c8", "topic", 8)));
    }

    #[test]
    fn changed_files_are_compared_with_the_commit_they_were_changed_from() {
        assert!(on_main(true).is_merged(&at("c9", "main", 9)));
    }

    #[test]
    fn a_branch_is_compared_with_what_it_came_from_and_newer_commits_are_foreign() {
        let lineage = feature("c5");
        assert!(lineage.is_merged(&at("c5", "main", 5)));
        assert!(!lineage.is_merged(&at("c6", "main", 6)));
        assert!(lineage.is_foreign(&at("c6", "main", 6)));
        assert!(!lineage.is_foreign(&at("c5", "main", 5)));
        assert!(!lineage.is_foreign(&at("f1", "feature", 8)));
    }

    #[test]
    fn commits_before_the_listed_ones_are_judged_by_their_time() {
        assert!(feature("c5").is_merged(&at("c2", "main", 2)));
        assert!(!feature("").is_merged(&at("c2", "main", 2)), "where it began is unknown");
        assert!(feature("").is_merged(&at("c4", "main", 4)), "it is listed");
        assert!(!feature("c5").is_merged(&at("c2", "main", 0)), "its time is not known");
    }

    #[test]
    fn a_list_of_one_commit_orders_the_default_branch_by_time() {
        let present = at("c9", "main", 9);
        let lineage = Lineage::new(&present, "main", &ancestors(9, 9));
        assert!(lineage.is_merged(&at("c8", "main", 8)));
        assert!(!lineage.is_merged(&present));
        assert!(!lineage.is_merged(&at("c10", "main", 10)));
    }

    #[test]
    fn after_all_of_the_default_branch_each_of_its_commits_is_merged() {
        let lineage = Lineage::after_all_of("main");
        assert!(lineage.is_merged(&at("c99", "main", 99)));
        assert!(!lineage.is_merged(&at("f1", "feature", 8)));
        assert!(!Lineage::after_all_of("").is_merged(&at("c99", "", 99)));
    }

    #[test]
    fn on_the_default_branch_what_was_amended_is_not_foreign_and_what_came_later_is() {
        assert!(!on_main(false).is_foreign(&at("amended", "main", 9)));
        assert!(on_main(false).is_foreign(&at("c10", "main", 10)));
        assert!(on_main(true).is_foreign(&at("c10", "main", 10)));
        let changed = Revision { dirty: true, ..at("c10", "main", 10) };
        assert!(on_main(false).is_foreign(&changed));
        assert!(!on_main(true).is_foreign(&changed), "the same changes may be here");
    }

    #[test]
    fn newer_commits_of_a_branch_are_foreign_to_an_older_one() {
        let detached = Revision { branch: String::new(), ..at("f1", "feature", 8) };
        let lineage =
            Lineage::new(&detached, "main", &[Ancestor { commit: "f1".into(), time_s: 8 }]);
        assert!(lineage.is_foreign(&at("f2", "feature", 9)));
        assert!(!lineage.is_foreign(&at("f0", "feature", 7)), "it was amended away");
    }

    #[test]
    fn commits_of_another_branch_are_foreign_until_they_are_merged() {
        let elsewhere = at("t1", "topic", 8);
        assert!(on_main(false).is_foreign(&elsewhere) && feature("c5").is_foreign(&elsewhere));
        assert!(on_main(true).is_foreign(&elsewhere));
        assert!(!on_main(false).is_foreign(&at("c8", "topic", 8)), "it is merged");
        assert!(!on_main(false).is_foreign(&at("t1", "", 8)), "its branch is not known");
        assert!(!feature("c5").is_foreign(&at("amended", "feature", 8)));
    }

    #[test]
    fn changes_that_the_unchanged_commit_lacks_are_foreign() {
        let dirty = |commit, branch| Revision { dirty: true, ..at(commit, branch, 8) };
        let (clean, changed) = (on_main(false), on_main(true));
        for taken_back in [dirty("c9", "main"), dirty("c8", "topic")] {
            assert!(clean.is_foreign(&taken_back) && !changed.is_foreign(&taken_back));
        }
        assert!(!clean.is_foreign(&dirty("c8", "main")), "they may be the commit");
        assert!(!feature("c5").is_foreign(&dirty("c5", "main")), "they may be the branch");
    }

    #[test]
    fn who_knows_no_lineage_knows_neither_merged_nor_foreign_runs() {
        let nothing = Lineage::default();
        let run = at("c5", "main", 5);
        assert!(!nothing.is_merged(&run) && !nothing.is_foreign(&run));
        assert!(!nothing.is_beside_default_branch(&run));
    }

    #[test]
    fn commits_are_in_the_order_of_git_whatever_their_times_are() {
        let times = [("d", 40), ("c", 99), ("b", 3), ("a", 10)];
        let list = times.map(|(commit, time_s)| Ancestor { commit: commit.into(), time_s });
        let lineage = Lineage::new(&at("d", "main", 40), "main", &list);
        let order = |commit, time_s| lineage.order_of(&at(commit, "main", time_s)).unwrap();
        let before = [("older", 2), ("old", 9), ("a", 10), ("b", 3)];
        let ordered = [&before[..], &[("amended", 39), ("c", 99), ("d", 40)]].concat();
        assert!(ordered.iter().map(|(commit, time_s)| order(commit, *time_s)).is_sorted());
        assert_eq!(lineage.order_of(&at("", "main", 0)), None);
    }

    #[test]
    fn the_distance_to_the_base_is_counted_in_commits() {
        let lineage = feature("c5");
        assert_eq!(lineage.commits_before_base("c5"), Some(0));
        assert_eq!(lineage.commits_before_base("c3"), Some(2));
        assert_eq!(lineage.commits_before_base("c1"), None);
    }
}
