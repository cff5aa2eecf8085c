//! The default branch and its newest commits.

use super::github_event::GitHubEvent;
use perftest_core::list::IntoList;
use perftest_core::order::sort;
use perftest_core::text::Text;

/// The reference with the name of the default branch in a clone.
const ORIGIN_HEAD: &str = "refs/remotes/origin/HEAD";
const ORIGIN: &str = "refs/remotes/origin/";
const LOCAL: &str = "refs/heads/";
/// Common names, the likelier first.
const USUAL: [&str; 2] = ["main", "master"];

/// The default branch of a repository, by git's references. This type only prepares the question to
/// git and reads the answer.
///
/// ```
/// use perftest_process::DefaultBranch;
/// let answer = "refs/remotes/origin/HEAD 5f2a refs/remotes/origin/trunk\n";
/// assert_eq!(DefaultBranch::find("", answer).name, "trunk");
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DefaultBranch {
    /// The name; empty if it is unknown.
    pub name: String,
    /// The branch's newest commits, at the remote and in this clone.
    pub tips: Vec<String>,
    /// Whether the name is only a usual one among the branches of the remote.
    pub is_guessed: bool,
}

impl DefaultBranch {
    /// Returns the name from the user's setting or else from the CI job, in the variables that
    /// `get` looks up. Empty without either. A job's checkout often has a single commit and no
    /// branch.
    pub fn from_variables(get: &dyn Fn(&str) -> Option<String>) -> String {
        let event = || GitHubEvent::from_variables(get)?.default_branch();
        let get = |name: &str| get(name).filter(|value| !value.is_empty());
        let gitlab = || get("GITLAB_CI").and_then(|_| get("CI_DEFAULT_BRANCH"));
        get("PERFTEST_DEFAULT_BRANCH").or_else(event).or_else(gitlab).unwrap_or_default()
    }

    /// Returns the arguments of the question to git for the configured name, which may be empty.
    pub fn question(named: &str) -> Vec<String> {
        let how = ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"];
        how.into_iter().map(str::to_owned).chain(Self::references(named)).into_list()
    }

    /// The references in the question.
    pub fn references(named: &str) -> Vec<String> {
        let named = [named].into_iter().filter(|name| !name.is_empty() && !USUAL.contains(name));
        let of_both = |name| [format!("{ORIGIN}{name}"), format!("{LOCAL}{name}")];
        let names = named.chain(USUAL).flat_map(of_both);
        [ORIGIN_HEAD.to_owned()].into_iter().chain(names).into_list()
    }

    /// Returns the configured branch, or else the remote's default one, or else one with a usual name, a local one before
    /// one of the remote, from git's answer to the [`question`](Self::question).
    pub fn find(named: &str, answer: &str) -> Self {
        let references: Vec<Vec<&str>> =
            answer.each_line().map(|line| line.parts(" ").into_list()).into_list();
        let of_origin = references.iter().find_map(|reference| match reference[..] {
            [ORIGIN_HEAD, _, target] => target.strip_prefix(ORIGIN),
            _ => None,
        });
        let usual = |beginning| {
            let has = |name: &str| {
                references.iter().any(|it| it[0].strip_prefix(beginning) == Some(name))
            };
            USUAL.into_iter().find(|name| has(name))
        };
        let named = Some(named).filter(|name| !name.is_empty());
        // A job that fetches a commit into an empty repository has none of these.
        let found = named.or(of_origin).or_else(|| usual(LOCAL));
        let Some(name) = found.or_else(|| usual(ORIGIN)) else {
            return Self::default();
        };
        let is_tip = |reference: &str| {
            let is_named = |beginning| reference.strip_prefix(beginning) == Some(name);
            is_named(LOCAL)
                || is_named(ORIGIN)
                || (reference == ORIGIN_HEAD && of_origin == Some(name))
        };
        let tips = references.iter().filter(|reference| is_tip(reference[0]));
        let mut tips: Vec<String> =
            tips.filter_map(|reference| Some((*reference.get(1)?).to_owned())).into_list();
        sort(&mut tips);
        tips.dedup();
        Self { name: name.to_owned(), tips, is_guessed: found.is_none() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLONE: &str = "refs/heads/main aa \nrefs/remotes/origin/HEAD bb refs/remotes/origin/trunk\n\
                         refs/remotes/origin/main cc \n";

    fn found(named: &str, answer: &str) -> (String, Vec<String>) {
        let DefaultBranch { name, tips, .. } = DefaultBranch::find(named, answer);
        (name, tips)
    }

    fn expected(name: &str, tips: &[&str]) -> (String, Vec<String>) {
        (name.to_owned(), tips.iter().map(|tip| (*tip).to_owned()).collect())
    }

    #[test]
    fn the_user_is_stronger_than_the_job_and_each_job_has_its_variable() {
        let directory = perftest_store::conformance::scratch("event");
        let event = directory.join("event.json");
        let text = "{\n  \"repository\": {\n    \"default_branch\": \"trunk\"\n  }\n}\n";
        std::fs::write(&event, text).unwrap();
        let named = |pairs: &[(&str, &str)]| {
            let value = |name: &str| pairs.iter().find(|(key, _)| *key == name);
            DefaultBranch::from_variables(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let event = ("GITHUB_EVENT_PATH", event.to_str().unwrap());
        let github = ("GITHUB_ACTIONS", "true");
        let name = ("CI_DEFAULT_BRANCH", "main");
        assert_eq!(named(&[("PERFTEST_DEFAULT_BRANCH", "develop"), github, event]), "develop");
        assert_eq!(named(&[("PERFTEST_DEFAULT_BRANCH", ""), github, event]), "trunk");
        assert_eq!(named(&[github, ("GITHUB_EVENT_PATH", "/nowhere/event.json")]), "");
        assert_eq!(named(&[("GITLAB_CI", "true"), name]), "main");
        assert_eq!(named(&[]), "");
    }

    #[test]
    fn what_is_reported_counts_more_than_the_clone() {
        assert_eq!(found("main", CLONE), expected("main", &["aa", "cc"]));
        assert_eq!(found("", CLONE), expected("trunk", &["bb"]));
    }

    #[test]
    fn without_a_remote_a_local_branch_with_a_usual_name_is_the_default() {
        let both = "refs/heads/main aa \nrefs/heads/master bb \n";
        assert_eq!(found("", both), expected("main", &["aa"]));
        assert_eq!(found("", "refs/heads/master bb \n"), expected("master", &["bb"]));
        assert_eq!(found("", ""), expected("", &[]));
    }

    #[test]
    fn a_job_without_a_local_branch_has_the_usual_one_of_the_remote() {
        let fetched = "refs/remotes/origin/main aa \nrefs/remotes/origin/master bb \n";
        assert_eq!(found("", fetched), expected("main", &["aa"]));
        let local = format!("refs/heads/master cc \n{fetched}");
        assert_eq!(found("", &local), expected("master", &["bb", "cc"]));
        let is_guessed = |named, answer: &str| DefaultBranch::find(named, answer).is_guessed;
        assert!(is_guessed("", fetched));
        assert!(!is_guessed("main", fetched) && !is_guessed("", &local) && !is_guessed("", ""));
    }

    #[test]
    fn a_branch_that_was_not_fetched_has_a_name_and_no_tip() {
        assert_eq!(found("main", ""), expected("main", &[]));
    }
}
