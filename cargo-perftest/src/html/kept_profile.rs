//! What is known of where the time of a run went.

use serde_json::{Value, json};

/// The kept profiles of a run, in words and as a page beside the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptProfile {
    /// The functions that changed most, in a sentence; `None` where only one profile is kept.
    pub(crate) cause: Option<String>,
    /// The address of the page, relative to the report; `None` where there is no page.
    pub(crate) href: Option<String>,
    /// What the page shows.
    pub(crate) words: String,
}

/// The link to the page.
pub(super) fn link_as_json(profile: &KeptProfile) -> Option<Value> {
    let href = profile.href.as_ref()?;
    Some(json!({ "href": href, "words": profile.words }))
}
