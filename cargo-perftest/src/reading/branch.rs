//! The branch whose runs are read.

use perftest_core::model::Run;

/// The runs of a branch, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Branch {
    Every,
    /// This branch, as the user asked.
    Named(String),
    /// This branch, if it has enough runs.
    Default(String),
}

impl Branch {
    /// Returns the requested branch, or else the default one, whose name is empty if it is unknown.
    pub(super) fn of(asked: Option<&str>, default: String) -> Self {
        match asked {
            Some("*") => Self::Every,
            Some(name) => Self::Named(name.to_owned()),
            None if default.is_empty() => Self::Every,
            None => Self::Default(default),
        }
    }

    /// The name of the branch.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Every => None,
            Self::Named(name) | Self::Default(name) => Some(name),
        }
    }

    /// Returns whether the run is of a commit of the branch, without uncommitted changes.
    pub(super) fn has(&self, run: &Run) -> bool {
        self.name().is_none_or(|name| run.revision.branch == name && !run.revision.dirty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_counts_more_than_the_default_branch() {
        let default = || "main".to_owned();
        assert_eq!(Branch::of(None, default()), Branch::Default("main".into()));
        assert_eq!(Branch::of(Some("topic"), default()), Branch::Named("topic".into()));
        assert_eq!(Branch::of(Some("*"), default()), Branch::Every);
        assert_eq!(Branch::of(None, String::new()), Branch::Every);
    }
}
