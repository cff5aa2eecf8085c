//! The place of the code in its repository, and its ancestors, from git.

use super::git::GitAnswer;
use super::git_answers::{parse_ancestors, parse_revision};
use super::position_gap::PositionGap;
use crate::config::Config;
use perftest_core::list::IntoList;
use perftest_core::model::{Ancestor, Lineage, Revision};
use perftest_process::{DefaultBranch, JobBranch, Repository};
use perftest_store::{Cache, file_state};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Number of listed ancestors, newest first: more than the loaded runs of a history, and few enough
/// for one millisecond of git. Older ones are compared by time.
const LISTED: &str = "--max-count=500";

/// The place of the code.
#[derive(Debug, Default)]
pub(crate) struct CodePosition {
    pub revision: Revision,
    pub lineage: Lineage,
    /// What git lacks in a CI job.
    pub gap: Option<PositionGap>,
    /// Why git cannot name the commit, inside a repository.
    pub trouble: Option<String>,
}

/// Running questions about a checkout.
pub(crate) struct Questions {
    checkout: Checkout,
    is_ci: bool,
    job_branch: JobBranch,
    default_branch: String,
    status: GitAnswer,
    log: GitAnswer,
    references: GitAnswer,
}

/// The directory for git, and facts of its repository from files.
struct Checkout {
    directory: PathBuf,
    /// `None` if only git can read it.
    repository: Option<Repository>,
    /// The directory of git is elsewhere, and perhaps out of reach.
    is_linked: bool,
    head: Option<String>,
    cache: Option<Cache>,
}

/// Asks git about the checkout in `directory`; the answer takes some milliseconds, in which the
/// caller can do other work. Constant answers are stored in `cache`. `None` where no repository can be.
pub(crate) fn ask_git(
    directory: &Path,
    config: &Config,
    cache: Option<Cache>,
) -> Option<Questions> {
    let physical = fs::canonicalize(directory).ok();
    if physical.as_deref().is_some_and(|it| !Repository::may_contain(it)) {
        return None;
    }
    let checkout = Checkout::new(directory, physical.as_deref(), cache);
    let default_branch = config.default_branch.clone();
    Some(Questions {
        is_ci: config.ci.is_present(),
        job_branch: config.ci.branch.clone(),
        status: checkout.status(&config.session),
        log: checkout.log(),
        references: checkout.references(&default_branch),
        default_branch,
        checkout,
    })
}

impl Checkout {
    fn new(directory: &Path, physical: Option<&Path>, cache: Option<Cache>) -> Self {
        let repository = physical.and_then(Repository::containing);
        let head = repository.as_ref().and_then(Repository::head);
        let is_linked = physical.is_some_and(Repository::is_linked);
        Self { directory: directory.to_owned(), repository, is_linked, head, cache }
    }

    /// Asks for the commit and for changed files, once in a runner's `run`: the runner built the
    /// executable before, so later changes are not in it.
    fn status(&self, run: &str) -> GitAnswer {
        let key = || {
            let executable = fs::metadata(env::current_exe().ok()?).ok()?;
            let states = [file_state(&executable)?, self.repository.as_ref()?.index_state()?];
            let place = [run.to_owned(), self.directory.to_string_lossy().into_owned()];
            Some(["status".to_owned()].into_iter().chain(place).chain(states).into_list())
        };
        let question = ["status", "--porcelain=v2", "--branch"];
        let further = ["--no-ahead-behind", "--untracked-files=no"];
        let key = if run.is_empty() { None } else { key() };
        self.find(&[&question[..], &further].concat(), key.and_then(|key| self.at_head(key)))
    }

    /// Asks for the newest ancestors.
    fn log(&self) -> GitAnswer {
        let key = self.at_head(vec!["ancestors".to_owned()]);
        self.find(&["rev-list", LISTED, "--timestamp", "--parents", self.commit()], key)
    }

    /// Asks for the default branch.
    fn references(&self, named: &str) -> GitAnswer {
        let names = DefaultBranch::references(named);
        match self.repository.as_ref().and_then(|it| it.references(&names)) {
            Some(references) => GitAnswer::Kept(references),
            None => {
                let question = DefaultBranch::question(named);
                self.find(&question.iter().map(String::as_str).into_list(), None)
            }
        }
    }

    fn merge_base(&self, tips: &[String]) -> String {
        let question = ["merge-base", self.commit()].into_iter();
        let question: Vec<&str> = question.chain(tips.iter().map(String::as_str)).into_list();
        let key = question.iter().map(ToString::to_string).into_list();
        let answer = self.find(&question, self.at_head(key)).get(self.cache.as_ref());
        answer.unwrap_or_default().trim().to_owned()
    }

    /// Names the commit in questions: a cached answer belongs to this commit, whatever is checked
    /// out meanwhile.
    fn commit(&self) -> &str {
        self.head.as_deref().unwrap_or("HEAD")
    }

    /// The position where git does not answer: a trouble, unless there is no repository.
    fn unknown(&self, why: String) -> CodePosition {
        let trouble = (self.repository.is_some() || self.is_linked).then_some(why);
        CodePosition { trouble, ..CodePosition::default() }
    }

    fn find(&self, arguments: &[&str], key: Option<Vec<String>>) -> GitAnswer {
        GitAnswer::find(&self.directory, arguments, key, self.cache.as_ref())
    }

    /// Returns the key of an answer for this commit, with as much of its past as the clone has.
    fn at_head(&self, mut key: Vec<String>) -> Option<Vec<String>> {
        key.push(self.head.clone()?);
        key.push(self.repository.as_ref()?.shallow_commits());
        Some(key)
    }
}

impl Questions {
    /// Returns the answer; empty without git, or if git refuses.
    pub(crate) fn answer(self) -> CodePosition {
        let Self { checkout, is_ci, job_branch, default_branch, status, log, references } = self;
        let cache = checkout.cache.as_ref();
        let (status, log) = (status.get(cache), log.get(cache));
        let references = references.get(cache).unwrap_or_default();
        let status = match status {
            Ok(status) => status,
            Err(why) => return checkout.unknown(why),
        };
        let log = match log {
            Ok(log) => log,
            Err(why) if !parse_revision(&status, "").commit.is_empty() => {
                return checkout.unknown(why);
            }
            // There is no commit yet.
            Err(_) => String::new(),
        };
        let mut revision = parse_revision(&status, &log);
        if revision.branch.is_empty() {
            let name = job_branch.name_of(&revision.commit, checkout.repository.as_ref());
            revision.branch = name.to_owned();
        }
        let default_branch = DefaultBranch::find(&default_branch, &references);
        let ancestors = parse_ancestors(&log);
        revision.base = base(&revision, &default_branch, &ancestors, |it| checkout.merge_base(it));
        let mut revision = at_home_if_merged(revision, &default_branch);
        if revision.branch.is_empty() {
            revision.branch = job_branch.name_of_other(&default_branch.name).to_owned();
        }
        let is_at_home = revision.branch == default_branch.name && !default_branch.name.is_empty();
        let gap = PositionGap::of(&revision, &default_branch);
        CodePosition {
            lineage: Lineage::new(&revision, &default_branch.name, &ancestors),
            gap: gap.filter(|_| is_ci && !is_at_home && !revision.commit.is_empty()),
            trouble: None,
            revision,
        }
    }
}

/// Returns the base commit; empty if there is none, or it is unknown.
fn base(
    revision: &Revision,
    default_branch: &DefaultBranch,
    ancestors: &[Ancestor],
    merge_base: impl FnOnce(&[String]) -> String,
) -> String {
    let Revision { commit, parent, branch, dirty, .. } = revision;
    let tips = &default_branch.tips;
    if !branch.is_empty() && *branch == default_branch.name {
        return if *dirty { commit.clone() } else { parent.clone() };
    }
    let place = |tip: &String| ancestors.iter().position(|ancestor| ancestor.commit == *tip);
    let places = tips.iter().map(place).into_list_of_some();
    match places.map(|places| places.into_iter().min()) {
        // Nothing was merged since then: the branch contains the whole default branch.
        Some(Some(newest)) => ancestors[newest].commit.clone(),
        Some(None) => String::new(),
        None => merge_base(tips),
    }
}

/// Assigns a commit of the default branch to that branch also when it is checked out without a
/// branch, like an older commit, or one in a worktree.
fn at_home_if_merged(revision: Revision, default_branch: &DefaultBranch) -> Revision {
    let is_merged = !revision.base.is_empty() && revision.base == revision.commit;
    if !revision.branch.is_empty() || revision.dirty || !is_merged {
        return revision;
    }
    Revision { branch: default_branch.name.clone(), base: revision.parent.clone(), ..revision }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_that_has_all_of_the_default_one_needs_no_further_question() {
        let listed = parse_ancestors("19 f1 c2\n18 c2 c1\n17 c1\n");
        let on = |branch: &str, dirty| Revision {
            commit: "f1".into(),
            parent: "c2".into(),
            branch: branch.into(),
            dirty,
            ..Revision::default()
        };
        let tips = vec!["c1".into(), "c2".into()];
        let main = DefaultBranch { name: "main".into(), tips, is_guessed: false };
        let base = |revision| base(&revision, &main, &listed, |_| panic!("asked"));
        assert_eq!(base(on("topic", false)), "c2");
        assert_eq!(base(on("main", false)), "c2");
        assert_eq!(base(on("main", true)), "f1");
    }

    #[test]
    fn another_commit_than_the_one_of_the_job_has_the_branch_that_git_proves() {
        let directory = perftest_store::conformance::scratch("commit-of-job");
        let branch = |of_job: &[(&str, &str)], tip: &str| {
            let value = |name: &str| of_job.iter().find(|(key, _)| *key == name);
            let get = |name: &str| value(name).map(|(_, value)| (*value).to_owned());
            let status = "# branch.oid c5\n# branch.head (detached)\n";
            let questions = Questions {
                checkout: Checkout::new(&directory, None, None),
                is_ci: true,
                job_branch: JobBranch::from_variables(&get),
                default_branch: "main".into(),
                status: GitAnswer::Kept(status.into()),
                log: GitAnswer::Kept("19 c5 c4\n18 c4\n".into()),
                references: GitAnswer::Kept(format!("refs/remotes/origin/main {tip} \n")),
            };
            let CodePosition { revision, gap, .. } = questions.answer();
            (revision.branch, gap.is_some())
        };
        let job = |commit| {
            [("GITHUB_ACTIONS", "true"), ("GITHUB_REF_NAME", "main"), ("GITHUB_SHA", commit)]
        };
        assert_eq!(branch(&job("c5"), "c9"), ("main".into(), false));
        // A release has commits that `main` lacks.
        assert_eq!(branch(&job("c9"), "c4"), ("HEAD".into(), false));
        assert_eq!(branch(&job("c9"), "c9"), ("HEAD".into(), true), "the clone cannot tell");
        assert_eq!(branch(&job("c9"), "c5"), ("main".into(), false), "it is merged");
        assert_eq!(
            branch(&job("c9")[..2], "c9"),
            ("main".into(), false),
            "the job names no commit"
        );
        assert_eq!(branch(&job("c9")[..1], "c9"), ("HEAD".into(), true), "nor a branch");
        assert_eq!(branch(&job("c9")[..1], "c4"), ("HEAD".into(), false), "it is not merged");
        assert_eq!(branch(&job("c9")[..1], "c5"), ("main".into(), false), "it is merged");
        let of_topic = [&[("GITHUB_REF_NAME", "topic")][..], &job("c9")].concat();
        assert_eq!(branch(&of_topic, "c4"), ("topic".into(), false), "merged before the tests");
        assert_eq!(branch(&of_topic, "c5"), ("main".into(), false));
    }

    #[test]
    fn a_merged_commit_is_of_the_default_branch_without_being_on_it() {
        let tips = vec!["c9".into()];
        let main = DefaultBranch { name: "main".into(), tips, is_guessed: false };
        let detached = |base: &str, dirty| {
            let [commit, parent] = ["c5", "c4"].map(String::from);
            let revision =
                Revision { commit, parent, base: base.into(), dirty, ..Revision::default() };
            let Revision { branch, base, .. } = at_home_if_merged(revision, &main);
            (branch, base)
        };
        assert_eq!(detached("c5", false), ("main".into(), "c4".into()));
        assert_eq!(
            detached("c3", false),
            (String::new(), "c3".into()),
            "the default branch lacks it"
        );
        assert_eq!(detached("c5", true), (String::new(), "c5".into()), "changed");
        assert_eq!(detached("", false), (String::new(), String::new()));
    }
}
