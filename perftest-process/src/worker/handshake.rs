//! How a process knows that perftest started it for an internal mode: to list its tests, or as a worker.
//!
//! The variable that asks for such a mode may be set by accident or be inherited from a worker. It has no
//! effect without a second one that names the parent.

/// The environment variable in which a process that starts another one for an internal mode names itself.
pub const PARENT_VARIABLE: &str = "PERFTEST_PARENT";

const BEGINNING: &str = "perftest process ";

/// What [`PARENT_VARIABLE`] holds for the children of this process.
pub fn parent_token() -> String {
    token_of(std::process::id())
}

/// Whether the parent of this process wrote `token` for it. One that a process inherited from its parent
/// names its grandparent, and is none.
///
/// Systems other than unix name no parent: there any token counts that is well formed.
pub fn is_from_parent(token: &str) -> bool {
    #[cfg(unix)]
    return token == token_of(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    token.strip_prefix(BEGINNING).is_some_and(|id| id.parse::<u32>().is_ok())
}

fn token_of(process: u32) -> String {
    format!("{BEGINNING}{process}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_that_is_set_by_accident_is_a_token() {
        for value in ["", "0", "1", "x", "true", "perftest process", "perftest process x"] {
            assert!(!is_from_parent(value), "{value:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_token_is_for_the_children_of_the_process_that_made_it() {
        assert!(is_from_parent(&token_of(std::os::unix::process::parent_id())));
        assert!(!is_from_parent(&parent_token()), "this process is not its own parent");
    }
}
