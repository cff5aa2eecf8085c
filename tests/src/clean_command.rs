//! A command in a clean environment.

use std::ffi::OsStr;
use std::process::Command;

/// Beginnings of the variables that a command of the tests does not get. They are of whoever runs the tests, and change
/// what programs do or print.
const REMOVED: [&str; 18] = [
    // Settings of perftest, and what test runners and cargo set for a test.
    "PERFTEST_",
    "NEXTEST",
    "RUST_TEST_",
    "CARGO_PKG_",
    // The job of a CI system.
    "CI",
    "GITHUB_",
    "GITLAB_",
    // In a hook these name the repository of the hook, in which git would then commit.
    "GIT_",
    // How code is built, and where.
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTFLAGS",
    "RUST_BACKTRACE",
    // Width and colours of output.
    "CARGO_TERM_",
    "CLICOLOR",
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
];

/// The checkout of this workspace, in which tiny projects are built.
const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns a command that runs alike for everybody: on an ordinary terminal, in UTC, and without the settings that a
/// developer has for git.
pub fn clean_command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if REMOVED.iter().any(|beginning| text.starts_with(beginning)) {
            command.env_remove(&name);
        }
    }
    command.env("TERM", "xterm").env("TZ", "UTC");
    command.env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
    // In the container of a job the checkout is another user's.
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory");
    command.env("GIT_CONFIG_VALUE_0", CHECKOUT);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, TempRepository};
    use std::fs;
    use std::path::Path;

    const INSIDE: &str = "clean_command::tests::what_runs_in_a_hook_and_a_job";

    /// Runs the test `INSIDE` in an environment that would mislead it.
    fn run_inside(git_directory: &Path, home: &Path) {
        let mut inside = Command::new(std::env::current_exe().unwrap());
        inside.args(["--exact", "--ignored", INSIDE]);
        inside.env("GIT_DIR", git_directory).env("GIT_INDEX_FILE", git_directory.join("index"));
        inside.env("HOME", home).env("XDG_CONFIG_HOME", home);
        inside.env("GITLAB_CI", "true").env("CI_DEFAULT_BRANCH", "other");
        inside.env("TERM", "dumb").env("COLUMNS", "40").env("PERFTEST_STORE", "/nowhere");
        let outcome = Outcome::of(&mut inside).ended_with(0);
        assert!(outcome.stdout.contains("1 passed"), "{outcome}");
    }

    #[test]
    fn git_leaves_the_repository_of_a_hook_as_it_is_and_reads_no_settings_of_a_developer() {
        let (hooked, home) = (TempRepository::new(), TempRepository::new());
        hooked.commit("theirs");
        let settings =
            "[commit]\ngpgsign = true\n[core]\nhooksPath = /nowhere\n[user]\nname = Dev\n";
        fs::write(home.path().join(".gitconfig"), settings).unwrap();
        let git_directory = hooked.path().join(".git");
        let state = || {
            let config = fs::read(git_directory.join("config")).unwrap();
            let index = fs::read(git_directory.join("index")).unwrap();
            (config, index, hooked.git(&["log", "--all", "--format=%H %an"]))
        };
        let before = state();
        run_inside(&git_directory, home.path());
        assert!(before == state(), "the repository of the hook has changed");
    }

    #[test]
    #[ignore = "another test runs it in a hostile environment"]
    fn what_runs_in_a_hook_and_a_job() {
        assert!(std::env::var_os("GIT_DIR").is_some(), "there is something to remove");
        let own = TempRepository::new();
        own.commit("ours");
        assert_eq!(own.git(&["log", "--all", "--format=%s %an"]), "ours Tester\n");
        own.git(&["remote", "add", "origin", "https://example.org/own"]);
        let command = clean_command("program");
        let is_removed = |name: &str| command.get_envs().any(|it| it == (OsStr::new(name), None));
        for name in ["GIT_DIR", "GITLAB_CI", "CI_DEFAULT_BRANCH", "COLUMNS", "PERFTEST_STORE"] {
            assert!(is_removed(name), "{name}");
        }
    }
}
