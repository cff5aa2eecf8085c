//! The name of an invocation.

use perftest_core::model::RunId;
use perftest_process::SESSION_VARIABLE;
use std::process;
use std::time::{SystemTime, UNIX_EPOCH};

/// What names all jobs of one workflow run, and the beginning of the id that is made of it.
const WORKFLOW_RUNS: [(&str, &str); 2] =
    [("GITHUB_RUN_ID", "github"), ("CI_PIPELINE_ID", "gitlab")];

/// The id of a session: the one that `PERFTEST_SESSION` gives, else one that no other session has.
pub(crate) fn session_id(variable: &dyn Fn(&str) -> Option<String>) -> String {
    known(SESSION_VARIABLE, variable).unwrap_or_else(new_session_id)
}

/// The id of a session that other jobs run other shards of: the same in all jobs of one workflow run, so
/// that a report of the merged stores has all tests.
pub(crate) fn session_id_of_shards(variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut of_workflow = WORKFLOW_RUNS.into_iter().filter_map(|(name, provider)| {
        known(name, variable).map(|run| format!("{provider}-{run}"))
    });
    known(SESSION_VARIABLE, variable).or_else(|| of_workflow.next()).unwrap_or_else(new_session_id)
}

fn known(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    variable(name).filter(|value| !value.is_empty())
}

/// Of this moment and process.
fn new_session_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let entropy = u128::from(now.subsec_nanos()) << 32 | u128::from(process::id());
    RunId::new(now.as_millis() as u64, entropy).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shards_of_a_workflow_run_are_one_session_and_other_invocations_are_not() {
        let on_github = |name: &str| (name == "GITHUB_RUN_ID").then(|| "77".to_owned());
        assert_eq!(session_id_of_shards(&on_github), "github-77");
        assert_ne!(session_id(&on_github), session_id_of_shards(&on_github));
        let on_gitlab = |name: &str| (name == "CI_PIPELINE_ID").then(|| "5".to_owned());
        assert_eq!(session_id_of_shards(&on_gitlab), "gitlab-5");
        let nowhere = |_: &str| Some(String::new());
        assert_ne!(session_id_of_shards(&nowhere), "");
    }

    #[test]
    fn a_session_that_is_given_counts_more() {
        let given = |name: &str| match name {
            SESSION_VARIABLE => Some("nightly-3".to_owned()),
            _ => Some("77".to_owned()),
        };
        assert_eq!(
            (session_id(&given), session_id_of_shards(&given)),
            ("nightly-3".into(), "nightly-3".into())
        );
    }
}
