//! Histories that `cargo perftest check` cannot judge, because `pull --newest` received them only in part.

use crate::command_context::CommandContext;
use crate::exit::{CommandError, Result};
use crate::remote::SyncState;
use crate::report::histories;
use perftest_core::words::quoted;
use perftest_store::{RecordFileName, Series};
use std::collections::BTreeSet;

/// Refuses histories with a gap: a rule would compare the first run behind the gap with runs before it, and miss the
/// alerts of the runs between.
pub(super) fn refuse_cut(series: &[Series], context: &CommandContext<'_>) -> Result<()> {
    if context.remote.is_some() {
        return Ok(());
    }
    let testbeds = context.store.decisions()?.value.testbeds;
    let is_cut = |state: &SyncState, series: &Series| {
        let names = [&series.benchmark].into_iter().chain(&series.formerly);
        let members = testbeds.members_of(&series.testbed);
        let files = names.flat_map(|name| {
            members.iter().map(|testbed| RecordFileName::of_history(testbed, name))
        });
        files.into_iter().any(|file| state.is_cut(&file))
    };
    for state in SyncState::all(&context.place.root, &context.project) {
        let cut = series.iter().filter(|series| is_cut(&state, series));
        // Each metric of a test is a series of its own.
        let cut: BTreeSet<(&str, &str)> =
            cut.map(|it| (it.benchmark.as_str(), it.testbed.as_str())).collect();
        if let Some((test, testbed)) = cut.first() {
            return Err(refusal(cut.len(), test, testbed, state.remote()));
        }
    }
    Ok(())
}

fn refusal(count: usize, test: &str, testbed: &str, remote: &str) -> CommandError {
    let [remote, of] = [remote, testbed].map(quoted);
    CommandError::Usage(format!(
        "`pull --newest` received only a part of {}, such as {test} on {testbed}; the missing runs can change the \
         result\nreceive them: cargo perftest pull {remote} --testbed {of}\nor check the remote: cargo perftest \
         check --remote {remote}",
        histories(count)
    ))
}
