//! The result of a search, as text and as JSON.

use super::{BisectProbe, Commit, CommitLine};
use crate::compare::ratio_in_words;
use perftest_analysis::verdicts::{BisectionAnswer, BisectionResult, Span};
use perftest_core::model::BenchmarkId;
use perftest_core::named;
use perftest_core::words::{one_line, quoted};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Most commits of a range that are listed.
const LISTED: usize = 20;

named! {
    /// How a search ended. The names are those of the events.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum BisectEnd {
        /// One commit made the test slower.
        Found = "found",
        /// One of several commits did, or one of the other line of a merge.
        Range = "range",
        /// The probes contradict each other.
        Doubtful = "doubtful",
        /// There is nothing to find.
        NotSlower = "not_slower",
        /// Whether the test is slower is not known.
        Undecided = "undecided",
    }
}

/// The result of a search with its probes.
pub(crate) struct BisectConclusion<'a> {
    pub(crate) bisected: BisectionResult,
    pub(crate) line: &'a CommitLine,
    pub(crate) probes: &'a [BisectProbe],
    pub(crate) benchmark: &'a BenchmarkId,
    pub(crate) builds: u32,
    /// Options of the next search, each after a space.
    pub(crate) options: String,
}

impl BisectConclusion<'_> {
    /// Returns the exit code: 0 for a commit, 1 for nothing to find, 3 for less than one commit.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(match self.end() {
            BisectEnd::Found => 0,
            BisectEnd::NotSlower => 1,
            BisectEnd::Range | BisectEnd::Doubtful | BisectEnd::Undecided => 3,
        })
    }

    fn end(&self) -> BisectEnd {
        match self.bisected {
            BisectionResult::Found(span) if self.is_one_commit(span) => BisectEnd::Found,
            BisectionResult::Found(_) => BisectEnd::Range,
            BisectionResult::Doubtful { .. } => BisectEnd::Doubtful,
            BisectionResult::NotSlower => BisectEnd::NotSlower,
            BisectionResult::Undecided => BisectEnd::Undecided,
        }
    }

    pub(crate) fn in_words(&self) -> String {
        let (line, test) = (self.line, self.benchmark);
        match self.bisected {
            BisectionResult::Found(span) if self.is_one_commit(span) => self.found(span),
            BisectionResult::Found(span) if span.commits() == 1 => self.on_the_other_side(span),
            BisectionResult::Found(span) => format!(
                "one of these {} commits made {test} slower{}; those between its ends could not be \
                 compared\n{}",
                span.commits(),
                self.beside(span),
                listed(line.of(span)),
            ),
            BisectionResult::Doubtful { suspected, within } => self.doubtful(suspected, within),
            BisectionResult::NotSlower => format!(
                "{} is not slower than {}: there is nothing to find",
                line.commit(line.steps()).revision,
                line.commit(0).revision
            ),
            BisectionResult::Undecided => self.undecided(),
        }
    }

    pub(crate) fn as_json(&self) -> Value {
        let span = match self.bisected {
            BisectionResult::Found(span) | BisectionResult::Doubtful { within: span, .. } => {
                Some(span)
            }
            BisectionResult::NotSlower | BisectionResult::Undecided => None,
        };
        let hash = |place: usize| self.line.commit(place).revision.commit.as_str();
        let commits = span.map_or(&[][..], |span| self.line.of(span));
        let commits: Vec<&str> = commits.iter().map(|it| it.revision.commit.as_str()).collect();
        let is_found = self.end() == BisectEnd::Found;
        let ratio = span.and_then(|span| self.last_of(span)).and_then(BisectProbe::compared);
        json!({
            "event": "bisect",
            "v": 1,
            "benchmark": self.benchmark.as_str(),
            "good": hash(0),
            "bad": hash(self.line.steps()),
            "answer": self.end().name(),
            "commit": if is_found { commits.first() } else { None },
            "commits": commits,
            "ratio": ratio.map(|it| it.ratio.estimate),
            "ratio_lower": ratio.map(|it| it.ratio.lower),
            "ratio_upper": ratio.map(|it| it.ratio.upper),
            "builds": self.builds,
        })
    }

    /// Whether a span is a commit that was compared with its first parent.
    fn is_one_commit(&self, span: Span) -> bool {
        span.commits() == 1 && !self.line.came_in_by_merge(span.after)
    }

    /// Describes a merge whose first parent has other commits than the good one.
    fn on_the_other_side(&self, span: Span) -> String {
        let (merge, good) = (self.line.commit(span.after), self.line.commit(span.before));
        let (hash, good) = (merge.short(), good.short());
        format!(
            "{} is slower in {hash}{}. That is a merge into a line without {good}, so the slowdown may be of that \
             line\n{}\nSearch it with: {}",
            self.benchmark,
            self.beside(span),
            as_line(merge),
            self.search(&format!("$(git merge-base {good} {hash}^1) {hash}^1")),
        )
    }

    /// Describes a search whose last comparison did not prove the slowdown of the suspected commit.
    fn doubtful(&self, suspected: Span, within: Span) -> String {
        let (line, last) = (self.line, self.last_of(suspected));
        let proof = last.map_or_else(String::new, |probe| probe.in_full(line));
        let reason = match last.map(BisectProbe::probed) {
            Some(BisectionAnswer::Unanswered) => "so that is not proven. Search again, or look",
            _ => {
                "so the slowdown came in several small steps, or a probe was wrong. Search again, or look"
            }
        };
        format!(
            "no commit is proven to have made {} slower. The probes come to {}, but compared with {} it is {proof}, \
             {reason} within these {} commits\n{}",
            self.benchmark,
            line.commit(suspected.after).short(),
            line.commit(suspected.before).short(),
            within.commits(),
            listed(line.of(within)),
        )
    }

    fn found(&self, span: Span) -> String {
        let commit = self.line.commit(span.after);
        let beside = self.beside(span);
        let mut text = format!("{} made {} slower{beside}\n", commit.short(), self.benchmark);
        text.push_str(&as_line(commit));
        if commit.is_merge {
            let hash = commit.short();
            text.push_str(&format!(
                "\nIt is a merge. To search what it brought: {}",
                self.search(&format!("$(git merge-base {hash}^1 {hash}^2) {hash}^2"))
            ));
        }
        text
    }

    /// Returns the command that searches between these revisions.
    fn search(&self, revisions: &str) -> String {
        let test = quoted(self.benchmark.as_str());
        format!("cargo perftest bisect {test} {revisions}{}", self.options)
    }

    fn undecided(&self) -> String {
        let compared = self.probes.first().and_then(BisectProbe::compared);
        let smallest_detectable = compared
            .map(|it| it.smallest_detectable)
            .filter(|smallest_detectable| smallest_detectable.is_finite());
        let smallest_detectable =
            smallest_detectable.map_or_else(String::new, |smallest_detectable| {
                format!(
                    " Here and now such a comparison detects slowdowns from {:.0}%.",
                    (100.0 * smallest_detectable).ceil()
                )
            });
        format!(
            "whether {} is slower than {} is not decided, so nothing was searched.{smallest_detectable} A quieter \
             machine, more --test-budget or more --pairs would help, or commits that lie further apart",
            self.line.commit(self.line.steps()).revision,
            self.line.commit(0).revision
        )
    }

    /// Describes the slowdown of a span.
    fn beside(&self, span: Span) -> String {
        let compared = self.last_of(span).and_then(BisectProbe::compared);
        let before = self.line.commit(span.before).short();
        compared.map_or_else(String::new, |it| {
            format!(": {} compared with {before}", ratio_in_words(it.ratio))
        })
    }

    /// Returns the last comparison of the ends of a span.
    fn last_of(&self, span: Span) -> Option<&BisectProbe> {
        let is_it = |probe: &&BisectProbe| (probe.base, probe.head) == (span.before, span.after);
        self.probes.iter().rev().find(is_it)
    }
}

fn listed(commits: &[Commit]) -> String {
    let mut lines: Vec<String> = commits.iter().take(LISTED).map(as_line).collect();
    if commits.len() > LISTED {
        lines.push(format!("  and {} more", commits.len() - LISTED));
    }
    lines.join("\n")
}

fn as_line(commit: &Commit) -> String {
    format!("  {} {} {}", commit.short(), commit.day, one_line(&commit.subject))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::probe::ProbeResult;
    use std::time::Duration;

    /// Returns the conclusion of this result, after the second commit seemed fast and the third
    /// slow.
    fn concluded(bisected: BisectionResult) -> (ExitCode, String, Value) {
        concluded_by(bisected, BisectionAnswer::NotSlower)
    }

    /// The same where the last comparison answered so.
    fn concluded_by(bisected: BisectionResult, last: BisectionAnswer) -> (ExitCode, String, Value) {
        let line = CommitLine::of_subjects(&["Good", "One", "Two", "Three", "Bad"]);
        let probe = |base, head, probed| BisectProbe {
            base,
            head,
            seen: ProbeResult::SameCode { commit: 0, probed },
            spent: Duration::ZERO,
        };
        let probes = [
            probe(0, 4, BisectionAnswer::Slower { ratio: 1.2 }),
            probe(0, 2, BisectionAnswer::NotSlower),
            probe(0, 3, BisectionAnswer::Slower { ratio: 1.2 }),
            probe(2, 3, last),
        ];
        let benchmark = BenchmarkId::from_recorded("a::b");
        let conclusion = BisectConclusion {
            bisected,
            line: &line,
            probes: &probes,
            benchmark: &benchmark,
            builds: 5,
            options: String::new(),
        };
        (conclusion.code(), conclusion.in_words(), conclusion.as_json())
    }

    fn commits(json: &Value) -> usize {
        json["commits"].as_array().map_or(0, Vec::len)
    }

    #[test]
    fn a_found_commit_is_named_and_nothing_else_is_called_found() {
        let (code, words, json) = concluded(BisectionResult::Found(Span { before: 2, after: 3 }));
        assert_eq!(code, ExitCode::SUCCESS);
        assert!(words.starts_with("333333333 made a::b slower"), "{words}");
        assert!(words.ends_with("333333333 2027-01-31 Three"), "{words}");
        assert_eq!((&json["commit"], commits(&json)), (&"333333333".into(), 1));
        let (code, words, json) = concluded(BisectionResult::Found(Span { before: 1, after: 4 }));
        assert_eq!(code, ExitCode::from(3));
        assert!(words.starts_with("one of these 3 commits made a::b slower"), "{words}");
        assert_eq!((&json["commit"], commits(&json)), (&Value::Null, 3));
    }

    #[test]
    fn a_merge_that_was_not_compared_with_its_first_parent_is_not_called_found() {
        let answer = |subject| {
            let line = CommitLine::of_subjects(&["Good", subject]);
            let benchmark = BenchmarkId::from_recorded("a::b<c>");
            let bisected = BisectionResult::Found(Span { before: 0, after: 1 });
            let conclusion = BisectConclusion {
                bisected,
                line: &line,
                probes: &[],
                benchmark: &benchmark,
                builds: 2,
                options: " --package a".into(),
            };
            (conclusion.end(), conclusion.in_words())
        };
        let (found, words) = answer("Merge topic");
        assert_eq!(found, BisectEnd::Found);
        let search =
            "bisect 'a::b<c>' $(git merge-base 111111111^1 111111111^2) 111111111^2 --package a";
        assert!(words.ends_with(search), "{words}");
        let (found, words) = answer("Merge main");
        assert_eq!(found, BisectEnd::Range);
        let search =
            "bisect 'a::b<c>' $(git merge-base 000000000 111111111^1) 111111111^1 --package a";
        assert!(words.ends_with(search), "{words}");
    }

    #[test]
    fn a_doubt_names_what_was_suspected_why_not_and_where_to_look() {
        let (suspected, within) = (Span { before: 2, after: 3 }, Span { before: 0, after: 4 });
        let (code, words, json) = concluded(BisectionResult::Doubtful { suspected, within });
        assert_eq!(code, ExitCode::from(3));
        assert!(words.contains("come to 333333333, but compared with 222222222 it is not slower"));
        assert!(words.contains("within these 4 commits") && words.contains("One"), "{words}");
        assert_eq!((&json["answer"], &json["commit"]), (&"doubtful".into(), &Value::Null));
        assert!(words.contains("or a probe was wrong"), "{words}");
        let doubtful = BisectionResult::Doubtful { suspected, within };
        let (_, words, _) = concluded_by(doubtful, BisectionAnswer::Unanswered);
        assert!(words.contains("it is not comparable") && words.contains("so that is not proven"));
        assert!(!words.contains("a probe was wrong"), "{words}");
    }

    #[test]
    fn without_a_slowdown_no_commit_is_named() {
        let (code, words, json) = concluded(BisectionResult::NotSlower);
        assert_eq!((code, commits(&json)), (ExitCode::from(1), 0));
        assert!(words.contains("is not slower than Good"), "{words}");
        let (code, words, _) = concluded(BisectionResult::Undecided);
        assert_eq!(code, ExitCode::from(3));
        assert!(words.contains("is not decided") && words.contains("--test-budget"), "{words}");
    }
}
