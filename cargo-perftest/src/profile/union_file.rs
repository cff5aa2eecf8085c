//! One profile or two, in one tree, with their names.

use super::ProfileFile;
use perftest_analysis::profile::{
    DifferenceCause, FunctionChange, ProfileUnion, culprit_threshold,
};

/// Profiles that differ by more in the share of the time without frames of inlined functions are of different builds.
const OTHER_DEBUG_INFORMATION: f64 = 0.5;

const WITHOUT_INLINED: &str = "only one profile has frames of inlined functions. Build both with debug = \"limited\" and \
                               without `strip`, and record them again";

/// What pages, pictures and tables of a difference show.
#[derive(Debug)]
pub(crate) struct UnionFile {
    pub(crate) union: ProfileUnion,
    /// Of the base profile; `None` where there is only one profile, which is both sides then.
    pub(crate) base: Option<String>,
    pub(crate) new: String,
    pub(crate) notes: Vec<String>,
    /// Only one side has frames of inlined functions: their time is that of their callers on the other one.
    has_inlined_on_one_side: bool,
}

impl UnionFile {
    /// A page of one profile.
    pub(crate) fn of_one(file: ProfileFile) -> Self {
        let notes = file.notes();
        let union = ProfileUnion::of_one(file.profile);
        Self { union, base: None, new: file.name, notes, has_inlined_on_one_side: false }
    }

    /// The difference of two.
    pub(crate) fn of_two(base: ProfileFile, new: ProfileFile) -> Self {
        let union = ProfileUnion::of(&base.profile, &new.profile);
        let notes = [base.notes(), new.notes()].concat();
        let [before, now] = [&base, &new].map(|it| it.profile.notes().share_without_inlined());
        let has_inlined_on_one_side = (before - now).abs() > OTHER_DEBUG_INFORMATION;
        Self { union, base: Some(base.name), new: new.name, notes, has_inlined_on_one_side }
    }

    /// What explains most of the difference, in a sentence; `None` for one profile.
    pub(crate) fn cause(&self) -> Option<String> {
        self.base.as_ref()?;
        Some(if self.has_inlined_on_one_side {
            WITHOUT_INLINED.to_owned()
        } else {
            DifferenceCause::of(&self.union).sentence()
        })
    }

    /// All functions, what grew most first, with the |z| from which a change is no accident.
    pub(crate) fn functions(&self) -> (Vec<FunctionChange>, f64) {
        (FunctionChange::all(&self.union), culprit_threshold(&self.union))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_analysis::profile::{ProfileBuilder, ProfileNotes};

    fn file(stacks: &[&str], remark: String) -> ProfileFile {
        let mut profile = ProfileBuilder::default();
        for stack in stacks {
            assert!(profile.add(stack.split(';'), 1_000, 1_000));
        }
        profile.add_remarks([remark]);
        ProfileFile { name: String::new(), profile: profile.finish() }
    }

    #[test]
    fn of_profiles_with_and_without_inlined_functions_no_function_is_the_cause() {
        let without =
            |percent| format!("{percent}%{} Add it.", ProfileNotes::WITHOUT_DEBUG_INFORMATION);
        let stripped = format!("perf{} Keep them.", ProfileNotes::STRIPPED);
        let cause = |remark: String| {
            let base = file(&["main;parse"], remark);
            let new = file(&["main;parse", "main;parse;unescape"], "of a C library".into());
            UnionFile::of_two(base, new).cause().unwrap()
        };
        for remark in [without(100), stripped] {
            assert_eq!(cause(remark), WITHOUT_INLINED);
        }
        // Functions that are written in C may have no debug information on either side.
        let found = cause(without(30));
        assert!(found.starts_with("mostly in `unescape`"), "{found}");
    }
}
