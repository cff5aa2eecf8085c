//! The hints at a history under another name.

/// Hints that the project with this slug may be the same repository.
///
/// ```
/// use perftest_core::words::former_project;
/// assert_eq!(
///     former_project("codec.0b1c2d3e"),
///     "this repository has no history yet, and the project codec.0b1c2d3e has runs of its commits. If the repository \
///      was moved, continue that history: cargo perftest merge --project codec.0b1c2d3e"
/// );
/// ```
pub fn former_project(slug: &str) -> String {
    format!(
        "this repository has no history yet, and the project {slug} has runs of its commits. If the repository was \
         moved, continue that history: cargo perftest merge --project {slug}"
    )
}

/// Hints that the project with this slug has runs of this repository from before it had an origin.
///
/// ```
/// use perftest_core::words::project_left_behind;
/// assert_eq!(
///     project_left_behind("codec.0b1c2d3e"),
///     "the project codec.0b1c2d3e has runs of this repository, too: a test ran while the remote `origin` was added. \
///      Add them to this history: cargo perftest merge --project codec.0b1c2d3e"
/// );
/// ```
pub fn project_left_behind(slug: &str) -> String {
    format!(
        "the project {slug} has runs of this repository, too: a test ran while the remote `origin` was added. Add them \
         to this history: cargo perftest merge --project {slug}"
    )
}
