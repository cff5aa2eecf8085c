//! Detects that perftest started this process for an internal mode: to list its tests, or as a
//! worker.
//!
//! The variable for such a mode may be set by accident or be inherited from a worker. It has no
//! effect without a second variable that names the parent.

use std::process::Command;

/// The environment variable with the parent process of an internal mode.
pub const PARENT_VARIABLE: &str = "PERFTEST_PARENT";

/// The environment variable that asks an executable for its perf tests, beside [`PARENT_VARIABLE`].
/// The arguments make its harness list all tests. An executable with perf tests lists them behind that.
pub const LIST_VARIABLE: &str = "PERFTEST_LIST";

/// The environment variable with the test that a worker measures. It has no effect without
/// [`PARENT_VARIABLE`].
pub const WORKER_VARIABLE: &str = "PERFTEST_WORKER";

/// The environment variable that makes a worker count instructions instead of time.
pub const COUNTING_VARIABLE: &str = "PERFTEST_WORKER_COUNTS";

/// The environment variable that makes a worker serve the function that its test is compared with.
pub const RIVAL_VARIABLE: &str = "PERFTEST_WORKER_RIVAL";

/// The environment variable with the file in which a worker leaves the samples of a profile. Such a worker takes
/// samples instead of measurements.
pub const SAMPLES_VARIABLE: &str = "PERFTEST_WORKER_SAMPLES";

/// The environment variable with the directory of the programs that a worker starts in place of those that its compiler
/// knew: the worker is of an earlier build. Or [`OWN_PROGRAMS`].
pub const PROGRAMS_VARIABLE: &str = "PERFTEST_WORKER_PROGRAMS";

/// The value of [`PROGRAMS_VARIABLE`] for the other process of a pair, which starts the programs that its compiler knew.
pub const OWN_PROGRAMS: &str = "own";

/// The environment variable with the time until the verdict for which a worker warms up, in nanoseconds. Otherwise the
/// worker warms up for that of its attribute, as both of a pair do.
pub const BUDGET_VARIABLE: &str = "PERFTEST_WORKER_BUDGET";

/// The variables of internal modes.
const MODE_VARIABLES: [&str; 7] = [
    LIST_VARIABLE,
    WORKER_VARIABLE,
    COUNTING_VARIABLE,
    RIVAL_VARIABLE,
    SAMPLES_VARIABLE,
    PROGRAMS_VARIABLE,
    BUDGET_VARIABLE,
];

const BEGINNING: &str = "perftest process ";

/// Returns the value of [`PARENT_VARIABLE`] for the children of this process.
pub fn parent_token() -> String {
    token_of(std::process::id())
}

/// Makes `command` start a child of this process in the mode of this variable, and in no other that is set
/// by accident.
pub fn start_in_mode(command: &mut Command, variable: &str, value: &str) {
    for name in MODE_VARIABLES {
        command.env_remove(name);
    }
    command.env(PARENT_VARIABLE, parent_token()).env(variable, value);
}

/// Returns whether the parent of this process wrote `token` for it. A token that the parent
/// inherited names its grandparent, and does not count.
///
/// Systems other than unix report no parent: there any well-formed token counts.
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
