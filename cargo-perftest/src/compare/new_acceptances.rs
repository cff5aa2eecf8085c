//! The acceptances that come with a change.

use super::SourceRevision;
use crate::exit::Result;
use crate::git_checkout::GitCheckout;
use crate::report::report_damage;
use perftest_core::model::Acceptance;
use perftest_store::AcceptanceFile;

/// Returns the acceptances in the head's file that the base's file lacks. What the base has already
/// was accepted of an older level: its slowdown is in the base.
pub(super) fn new_acceptances(
    repository: &GitCheckout,
    base: &SourceRevision,
    head: &SourceRevision,
) -> Result<Vec<Acceptance>> {
    let of_base = acceptances(repository, base)?;
    let mut new = acceptances(repository, head)?;
    new.retain(|entry| of_base.iter().all(|it| it.id != entry.id));
    Ok(new)
}

fn acceptances(repository: &GitCheckout, revision: &SourceRevision) -> Result<Vec<Acceptance>> {
    let tree = ["ls-tree", "--name-only", &revision.commit, "--", AcceptanceFile::NAME];
    if repository.git(&tree)?.is_empty() {
        return Ok(Vec::new());
    }
    let text =
        repository.git(&["show", &format!("{}:{}", revision.commit, AcceptanceFile::NAME)])?;
    Ok(report_damage(AcceptanceFile::in_root(&repository.root).acceptances_in(&text)))
}
