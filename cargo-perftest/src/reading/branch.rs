//! Whose runs are read.

use perftest_core::model::Run;

/// The runs of a branch, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Branch {
    Every,
    /// This one, as was asked for.
    Named(String),
    /// This one if there are enough of them.
    Default(String),
}

impl Branch {
    /// The one that was asked for, else the default one, whose name is empty where nobody knows it.
    pub(super) fn of(asked: Option<&str>, default: String) -> Self {
        match asked {
            Some("*") => Self::Every,
            Some(name) => Self::Named(name.to_owned()),
            None if default.is_empty() => Self::Every,
            None => Self::Default(default),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Every => None,
            Self::Named(name) | Self::Default(name) => Some(name),
        }
    }

    /// Whether the run is of a commit of it, and of nothing else.
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
