//! Formats the build that a verdict by pairs was compared with.

use crate::model::PairedResult;

/// Returns "the last good build (a1b2c3d)".
pub(super) fn last_good_build(base: &PairedResult) -> String {
    match base.commit.get(..7) {
        Some(commit) => format!("the last good build ({commit})"),
        None => "the last good build".to_owned(),
    }
}
