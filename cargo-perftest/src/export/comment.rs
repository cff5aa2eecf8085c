//! The body of a comment on a pull request.

use super::markdown::markdown;
use crate::reading::SessionView;

/// GitHub takes a body of 65,536 characters, which are at most as many bytes.
const LARGEST: usize = 65_000;

/// By this line a workflow finds its comment, to change it instead of writing another one.
const MARKER: &str = "<!-- perftest -->\n";

/// A hidden marker, and the session as Markdown.
pub(crate) fn comment(session: &SessionView) -> String {
    comment_of(|room| markdown(session, room))
}

/// The same with other Markdown, which gets the number of bytes that it may have.
pub(crate) fn comment_of(body: impl FnOnce(usize) -> String) -> String {
    MARKER.to_owned() + &body(LARGEST - MARKER.len())
}
