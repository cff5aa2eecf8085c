//! The body of a comment on a pull request.

use super::markdown::markdown;
use crate::reading::SessionView;

/// GitHub takes a body of 65,536 characters, which are at most as many bytes.
const LARGEST: usize = 65_000;

/// By this line a workflow finds its comment, to change it instead of writing another one.
const MARKER: &str = "<!-- perftest -->\n";

/// A hidden marker, and the session as Markdown.
pub(crate) fn comment(session: &SessionView) -> String {
    MARKER.to_owned() + &markdown(session, LARGEST - MARKER.len())
}
