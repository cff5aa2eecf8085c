//! JSON Lines: the keys of `--json` and of records.

use crate::reading::{SessionView, Standing};
use crate::report::{json_line, run_as_json};
use serde_json::json;

/// A line for the session, then one for each of its runs, worst first.
pub(crate) fn jsonl(session: &SessionView) -> String {
    let head = json!({
        "event": "session",
        "v": 1,
        "session": session.id,
        "project": session.project,
        "series": session.runs.len(),
        "failed": session.count(Standing::Failed),
        "reported": session.count(Standing::Reported),
        "undecided": session.count(Standing::Undecided),
        "without_baseline": session.count(Standing::NoBaseline),
        "accepted": session.count(Standing::Accepted),
        "passed": session.count(Standing::Passed),
    });
    let runs = session.runs.iter().map(|it| run_as_json("verdict", &it.run));
    [head].into_iter().chain(runs).map(|value| json_line(&value) + "\n").collect()
}
