//! One profile or two, in one tree, with their names.

use super::ProfileFile;
use perftest_analysis::profile::{
    DifferenceCause, FunctionChange, ProfileUnion, culprit_threshold,
};

/// What pages, pictures and tables of a difference show.
#[derive(Debug)]
pub(crate) struct UnionFile {
    pub(crate) union: ProfileUnion,
    /// Of the base profile; `None` where there is only one profile, which is both sides then.
    pub(crate) base: Option<String>,
    pub(crate) new: String,
    pub(crate) notes: Vec<String>,
}

impl UnionFile {
    /// A page of one profile.
    pub(crate) fn of_one(file: ProfileFile) -> Self {
        let notes = file.notes();
        Self { union: ProfileUnion::of_one(file.profile), base: None, new: file.name, notes }
    }

    /// The difference of two.
    pub(crate) fn of_two(base: ProfileFile, new: ProfileFile) -> Self {
        let union = ProfileUnion::of(&base.profile, &new.profile);
        let notes = [base.notes(), new.notes()].concat();
        Self { union, base: Some(base.name), new: new.name, notes }
    }

    /// What explains most of the difference, in a sentence; `None` for one profile.
    pub(crate) fn cause(&self) -> Option<String> {
        let is_difference = self.base.is_some();
        is_difference.then(|| DifferenceCause::of(&self.union).sentence())
    }

    /// All functions, what grew most first, with the |z| from which a change is no accident.
    pub(crate) fn functions(&self) -> (Vec<FunctionChange>, f64) {
        (FunctionChange::all(&self.union), culprit_threshold(&self.union))
    }
}
