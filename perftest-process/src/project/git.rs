//! Questions to git about the repository around a directory.

use crate::last_lines::LastLines;
use crate::program_output::{all_text_of, wait_at_most};
use crate::reader_thread::TextReceiver;
use perftest_core::list::IntoList;
#[cfg(feature = "tool")]
use std::fs::File;
use std::io::empty;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Variables that direct git to another repository, as in a hook.
///
/// Source: `git rev-parse --local-env-vars`, without the variables of configuration, in which users
/// list safe directories, and with the variables that end git's search early.
const MISLEADING: [&str; 15] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_CEILING_DIRECTORIES",
];

/// Time to read the last output of an ended process.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Returns git in this directory. It ignores variables about other repositories, and reads no
/// standard input.
pub fn git_command(directory: &Path) -> Command {
    let mut command = Command::new("git");
    MISLEADING.iter().for_each(|name| {
        command.env_remove(name);
    });
    command.current_dir(directory).stdin(Stdio::null());
    command
}

/// Returns whether the repository around a directory has one of these commits, on whatever branch. If git does not
/// answer, it has none.
pub(super) fn has_any_commit(directory: &Path, commits: &[String]) -> bool {
    let is_hash = |commit: &&String| commit.bytes().all(|it| it.is_ascii_hexdigit());
    let mut command = git_command(directory);
    // A partial clone asks no server for commits of others.
    command.env("GIT_NO_LAZY_FETCH", "1").args(["rev-list", "--no-walk", "--ignore-missing"]);
    command.args(commits.iter().filter(is_hash));
    let answer = GitQuestion::ask(command).answer(GitQuestion::LONGEST);
    answer.is_ok_and(|found| !found.is_empty())
}

/// A running question to git; the caller can work meanwhile.
#[derive(Debug)]
pub struct GitQuestion {
    /// The command, for messages.
    words: String,
    asked: Instant,
    process: Result<GitProcess, String>,
}

#[derive(Debug)]
struct GitProcess {
    child: Child,
    output: TextReceiver,
    errors: LastLines,
}

impl GitQuestion {
    /// The longest wait for a question that git answers in milliseconds.
    pub const LONGEST: Duration = Duration::from_secs(10);

    /// Starts the command.
    pub fn ask(mut command: Command) -> Self {
        command.stdout(Stdio::piped());
        Self::start(command)
    }

    /// Starts a command whose long output goes into a file: its answer is empty.
    #[cfg(feature = "tool")]
    pub fn ask_into(mut command: Command, file: File) -> Self {
        command.stdout(file);
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        command.stderr(Stdio::piped());
        let asked = Instant::now();
        let process = command.spawn().map_err(|error| format!("cannot be started: {error}"));
        Self { words: words(&command), asked, process: process.and_then(GitProcess::read) }
    }

    /// Returns git's output, at most `longest` after the start.
    ///
    /// # Errors
    /// A message that names the command, when git cannot be started, fails, or takes longer.
    pub fn answer(self, longest: Duration) -> Result<String, String> {
        let Self { words, asked, process } = self;
        let answer = process.and_then(|process| process.answer(asked + longest, longest));
        answer.map_err(|why| format!("`{words}` {why}"))
    }
}

impl GitProcess {
    /// Starts to read the output, so that git never waits for a reader.
    fn read(mut child: Child) -> Result<Self, String> {
        let Some(stderr) = child.stderr.take() else {
            return Err("has no pipe for its messages".to_owned());
        };
        let output = child.stdout.take().map_or_else(|| all_text_of(empty()), all_text_of);
        Ok(Self { child, output, errors: LastLines::of(stderr) })
    }

    fn answer(mut self, deadline: Instant, longest: Duration) -> Result<String, String> {
        let left = || deadline.saturating_duration_since(Instant::now());
        let output = self.output.wait(left());
        let status = wait_at_most(&mut self.child, left());
        // A process that had not ended was killed.
        let _ = self.child.wait();
        match (output, status) {
            (Ok(output), Some(status)) if status.success() => Ok(output),
            (Ok(_), Some(status)) => Err(match self.errors.wait(LAST_WORDS) {
                words if words.is_empty() => format!("failed ({status})"),
                words => format!("failed: {words}"),
            }),
            (_, _) => Err(format!("gave no answer for {} s and was ended", longest.as_secs())),
        }
    }
}

/// `git status --branch`
fn words(command: &Command) -> String {
    let arguments = command.get_args().map(|it| it.to_string_lossy());
    ["git".into()].into_iter().chain(arguments).joined(" ")
}

/// Returns git in this directory, with a name for commits and without the settings that a developer has for git.
#[cfg(test)]
pub(super) fn git_of_tests(directory: &Path) -> Command {
    let mut command = git_command(directory);
    let who = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];
    command.envs(who.map(|variable| (variable, "a")));
    command.env("GIT_CONFIG_GLOBAL", "").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_store::conformance::scratch;
    use std::fs;

    fn answer(command: Command) -> Result<String, String> {
        GitQuestion::ask(command).answer(GitQuestion::LONGEST)
    }

    fn git(directory: &Path, arguments: &[&str]) -> Result<String, String> {
        let mut command = git_of_tests(directory);
        command.args(arguments);
        answer(command)
    }

    #[test]
    fn git_answers_for_the_repository_around_its_directory() {
        let root = scratch("git-around");
        let (here, other) = (root.join("here"), root.join("other"));
        for directory in [&here, &other] {
            fs::create_dir_all(directory).expect("a scratch directory can be written");
            git(directory, &["init", "-q"]).expect("git makes a repository");
        }
        let mut command = git_command(&here);
        command.args(["rev-parse", "--show-toplevel"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).collect();
        assert_eq!(removed.len(), MISLEADING.len());
        let root = answer(command).expect("git knows its repository");
        assert!(root.trim().ends_with("here"), "{root}");
    }

    #[test]
    fn a_repository_has_its_own_commits_and_no_others() {
        let root = scratch("git-commits");
        git(&root, &["init", "-q"]).expect("git makes a repository");
        let commit = ["commit", "-q", "--allow-empty", "-m", "one"];
        git(&root, &commit).expect("git makes a commit");
        let own = git(&root, &["rev-parse", "HEAD"]).expect("there is a commit").trim().to_owned();
        let foreign = "1".repeat(40);
        assert!(has_any_commit(&root, &[foreign.clone(), own]));
        assert!(!has_any_commit(&root, &[foreign, "1f2e3d4c".into(), "--all".into()]));
        assert!(!has_any_commit(&root, &["v1.2".into()]), "nothing is left to ask");
    }

    #[test]
    fn a_question_that_fails_has_the_message_of_git_and_the_command() {
        let root = scratch("git-fails");
        let failure = git(&root, &["rev-parse", "--verify", "nothing^{commit}"]).unwrap_err();
        assert!(failure.starts_with("`git rev-parse --verify nothing^{commit}` failed: fatal"));
    }

    #[test]
    #[cfg(unix)]
    fn a_git_that_sleeps_is_ended_after_the_longest_wait() {
        for script in ["exec sleep 600", "exec >&- 2>&-; exec sleep 600"] {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            let longest = Duration::from_millis(200);
            let failure = GitQuestion::ask(command).answer(longest).unwrap_err();
            assert!(failure.contains("gave no answer"), "{failure}");
        }
    }

    #[test]
    fn an_answer_longer_than_a_pipe_comes_whole() {
        let root = scratch("git-long");
        git(&root, &["init", "-q"]).expect("git makes a repository");
        fs::write(root.join("long"), "x\n".repeat(100_000)).expect("a file can be written");
        let hash = git(&root, &["hash-object", "-w", "long"]).expect("git keeps the file");
        let long = git(&root, &["cat-file", "blob", hash.trim()]).expect("git gives it back");
        assert_eq!(long.len(), 200_000);
    }
}
