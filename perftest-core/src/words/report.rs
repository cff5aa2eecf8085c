//! The paragraph below a verdict: how much, since when, under which conditions, and what next.

use super::cause::not_counted;
use super::notes::covariate;
use super::origin_of_ratio::origin_of_ratio;
use super::ratio::{ratio, without_ratio};
use super::settled_by::settled_by;
use super::verdict_line::recorded;
use super::{
    cause, counted, detects, explanatory_metrics, instructions, judge_it_alone, last_good_build,
    machine, not_alone, notes, one_line, plain_quantity, quantity, quoted, range, rare,
    short_verdict, worse,
};
use crate::list::IntoList;
use crate::model::{
    BenchmarkId, Environment, Evidence, Metric, Note, PairedResult, Reason, Revision, SeriesKind,
};
use crate::text::Text;

/// The data of a report besides the evidence.
#[derive(Debug, Clone, Copy)]
pub struct ReportSubject<'a> {
    /// The name in suggested commands.
    pub test: &'a str,
    /// The command that runs the test again; `None` if only the name of the test is known, as in a record.
    pub again: Option<&'a str>,
    /// What was measured.
    pub metric: &'a Metric,
    /// The conditions of the run.
    pub environment: &'a Environment,
    /// The testbed of the history.
    pub testbed: &'a str,
    /// The measured code.
    pub revision: &'a Revision,
    /// The reason of the acceptance that was applied, if it is known.
    pub accepted_for: Option<&'a str>,
    /// The functions that explain the difference, if they are known.
    pub functions: Option<&'a str>,
}

impl ReportSubject<'_> {
    fn series_kind(&self) -> SeriesKind {
        match self.test.cut('/') {
            Some((_, stage)) => SeriesKind::Stage(stage.to_owned()),
            None if *self.metric == Metric::wall() => SeriesKind::Whole,
            None => SeriesKind::Process(self.metric.clone()),
        }
    }
}

/// The suggested bound for a better level, as a ratio to the level before. Acceptances are bounds
/// for slower runs, and a new better level should have hardly any.
const BOUND_OF_A_BETTER_LEVEL: f64 = 1.05;

/// The suggested bound where the red has no upper bound, and not more is accepted already.
const BOUND_WITHOUT_A_RATIO: f64 = 2.0;

/// A verdict as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The verdict in a sentence.
    pub headline: String,
    /// The measurements and the next steps, by name.
    pub lines: Vec<(&'static str, String)>,
}

/// Formats a verdict.
pub fn report(evidence: &Evidence, subject: &ReportSubject<'_>) -> Report {
    let unit = &subject.metric.unit;
    let known = |it, from: String| format!("{}   {from}", range(it, unit)).trim_end().to_owned();
    let now = evidence.now.map(|now| known(now, measured(evidence)));
    let before = evidence.before.map(|it| known(it, baseline(evidence)));
    let pairs_of_red = evidence.paired_result.as_ref().filter(|_| evidence.reason == Reason::Red);
    // The line about placement says that functions are not aligned.
    let notes_beside_placement =
        evidence.notes.iter().filter(|it| **it != Note::FunctionsNotAligned).cloned();
    let lines = [
        ("cause", cause_of_red(evidence, subject.metric)),
        ("functions", subject.functions.map(ToOwned::to_owned)),
        ("ratio", origin_of_ratio(evidence, subject.metric)),
        ("now", now),
        ("baseline", before),
        ("last good", evidence.paired_result.as_ref().map(|it| last_good(it, evidence, unit))),
        ("also", also(evidence)),
        ("processes", processes(evidence, worse(subject.metric))),
        ("detects", detectable(evidence, subject.metric)),
        ("adjusted", evidence.normalised_by.map(|it| format!("for {}", covariate(it)))),
        ("accepted", accepted(evidence, subject.accepted_for)),
        ("machine", Some(machine(subject.environment))),
        ("testbed", Some(subject.testbed.to_owned())),
        ("code", code(subject.revision)),
        ("build", pairs_of_red.and_then(|pairs| other_build(pairs, subject.revision))),
        ("placement", placement(evidence, subject)),
        ("note", notes(&notes_beside_placement.into_list())),
    ];
    let known = lines.into_iter().filter_map(|(name, text)| Some((name, text?)));
    let on_one_line = |(name, text): (_, String)| (name, one_line(&text).into_owned());
    let lines = known.chain(next(evidence, subject)).map(on_one_line).into_list();
    Report { headline: one_line(&headline(evidence, subject.metric)).into_owned(), lines }
}

fn headline(evidence: &Evidence, metric: &Metric) -> String {
    let tolerance = evidence.tolerance;
    let ratio = ratio(evidence, metric).unwrap_or_else(|| "nothing to compare with".to_owned());
    match evidence.reason {
        Reason::Green => match evidence.accepted_ratio {
            Some(accepted) if evidence.is_accepted() => format!(
                "accepted: {ratio} of the level before, accepted up to {accepted:.2}x (tolerance {tolerance})"
            ),
            Some(accepted) => format!(
                "green: {ratio}, accepted up to {accepted:.2}x the level before (tolerance {tolerance})"
            ),
            None => format!("green: {ratio}, no degradation that matters (tolerance {tolerance})"),
        },
        Reason::Improved => format!("improved: {ratio} of its baseline"),
        Reason::Unaccepted => format!(
            "improved {ratio} and not accepted yet: `on_improved = \"fail\"` fails it until the better level is \
             accepted"
        ),
        Reason::Red => beyond_tolerance(evidence, metric),
        Reason::OverLimit => short_verdict(evidence, metric) + ", in fresh processes too",
        Reason::Unclear if evidence.limit_is_open => {
            let limit = plain_quantity(evidence.limit.unwrap_or_default(), &metric.unit);
            format!("unclear: whether it is over its limit of {limit}")
        }
        Reason::Unclear => {
            format!("unclear: {ratio}, neither proven nor excluded (tolerance {tolerance})")
        }
        Reason::Unstable => {
            format!("unstable: {ratio}, its own noise exceeds the tolerance of {tolerance}")
        }
        Reason::NoBaseline => notes(&evidence.notes)
            .map_or_else(|| recorded(evidence), |notes| format!("no baseline yet, and {notes}")),
        Reason::NotMeasurable | Reason::SameCode | Reason::MachineSlower => {
            short_verdict(evidence, metric)
        }
        Reason::NotAlone => format!("no verdict: {ratio}, but {}", not_alone(&evidence.notes)),
        Reason::Untrusted => format!("no verdict: {ratio}, on a machine in no state to measure"),
    }
}

fn beyond_tolerance(evidence: &Evidence, metric: &Metric) -> String {
    let (tolerance, worse) = (evidence.tolerance, worse(metric));
    let than =
        if evidence.paired_result.is_some() { "the last good build" } else { "its baseline" };
    if let Some((now, from)) = evidence.now.zip(without_ratio(evidence, metric)) {
        return format!(
            "{worse} than {than}: {}, {from} (tolerance {tolerance})",
            quantity(now.estimate, &metric.unit)
        );
    }
    evidence.degradation.map_or_else(
        || format!("{worse} than {than}"),
        |it| {
            format!(
                "{worse} than {than}: {:.2}x, at least {:.2}x (tolerance {tolerance})",
                it.estimate, it.lower
            )
        },
    )
}

/// Formats what else changed with a red, and what was not counted: the line `cause` of its [`report`].
pub fn cause_of_red(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let pairs = evidence.paired_result.as_ref().filter(|_| evidence.reason == Reason::Red)?;
    whole_cause(pairs, metric).map(|cause| one_line(&cause).into_owned())
}

/// Adds to the cause what was not counted.
fn whole_cause(pairs: &PairedResult, metric: &Metric) -> Option<String> {
    let known = cause(pairs, metric);
    let Some(missing) = not_counted(pairs, metric) else {
        return known;
    };
    let known = known.unwrap_or_else(|| "nothing else is known to have changed".to_owned());
    Some(format!("{known}; not counted: {missing}"))
}

/// Formats `up to 1.35x the old level, for: checksums are on now`.
fn accepted(evidence: &Evidence, reason: Option<&str>) -> Option<String> {
    let reason = reason.map_or_else(String::new, |it| format!(", for: {it}"));
    evidence.accepted_ratio.map(|it| format!("up to {it:.2}x the old level{reason}"))
}

/// Empty where another program wrote the record without it.
fn measured(evidence: &Evidence) -> String {
    let Evidence { measurements, processes, suspects, .. } = evidence;
    if *measurements == 0 {
        return String::new();
    }
    let plural = if *processes == 1 { "process" } else { "processes" };
    let interrupted = if *suspects > 0 { format!(", {suspects} disturbed") } else { String::new() };
    format!("{} in {processes} {plural}{interrupted}", counted(*measurements, "measurement"))
}

fn baseline(evidence: &Evidence) -> String {
    if evidence.baseline_runs == 0 {
        return String::new();
    }
    let commits = match (evidence.baseline_commits, evidence.baseline_commit.get(..7)) {
        (1, Some(commit)) => format!(", all of commit {commit}"),
        (many, Some(commit)) => format!(", {many} commits, the newest {commit}"),
        _ => String::new(),
    };
    let distance = match evidence.commits_before_base {
        None => String::new(),
        Some(0) => ", the base itself".to_owned(),
        Some(1) => ", 1 commit before the base".to_owned(),
        Some(many) => format!(", {many} commits before the base"),
    };
    let began = evidence.level_began.as_ref().and_then(|it| Some((it, it.commit.get(..7)?)));
    let began = began.map_or_else(String::new, |(it, commit)| {
        format!("; a level since commit {commit}, {:.2}x the one before", it.ratio)
    });
    let kind = if evidence.baseline_is_provisional {
        "runs, with fresh processes of the first one"
    } else {
        "runs"
    };
    format!("{} {kind}{commits}{distance}{began}", evidence.baseline_runs)
}

/// Formats what the history detects; `None` where pairs decided, which detect other slowdowns.
fn detectable(evidence: &Evidence, metric: &Metric) -> Option<String> {
    let share = evidence.smallest_detectable.filter(|_| !evidence.is_proven_by_pairs())?;
    let rate = evidence.false_alarm_rate;
    let rate = rate.map_or_else(String::new, |it| format!("; false-alarm rate {}", rare(it)));
    Some(format!("{} in 99 of 100 cases{rate}", detects(share, metric)))
}

fn processes(evidence: &Evidence, worse: &str) -> Option<String> {
    let Evidence { processes, slow_processes, .. } = evidence;
    let is_alone = *processes > 1 && evidence.paired_result.is_none();
    (is_alone && evidence.reason != Reason::OverLimit).then(|| {
        format!(
            "{worse} than tolerated in {slow_processes} of {processes}, the others started afresh"
        )
    })
}

fn last_good(paired_result: &PairedResult, evidence: &Evidence, unit: &str) -> String {
    let is_slower = paired_result.ratio > evidence.tolerance.ratio();
    let conclusion = match evidence.reason {
        Reason::Red if is_slower => "; this is the build, not the machine",
        Reason::MachineSlower if is_slower => "; this is the build, and the machine besides",
        Reason::MachineSlower => "; this is the machine or its input, not the code",
        _ => "",
    };
    let (now, pairs) = (quantity(paired_result.now, unit), counted(paired_result.pairs, "pair"));
    let build = last_good_build(paired_result);
    format!("{now} in {pairs} of fresh processes just now, {build}{conclusion}")
}

/// Formats counts and measurements beside time that explain it.
fn also(evidence: &Evidence) -> Option<String> {
    let pairs = evidence.paired_result.as_ref();
    let slowdown = pairs.filter(|_| evidence.reason == Reason::Red).map(|it| it.ratio);
    let counted = pairs.and_then(|it| it.instructions.as_ref());
    let counted = counted.map(|it| instructions(it, slowdown));
    // The pairs know the changes better than the history.
    let has_changes = pairs.is_some_and(|it| !it.changes.is_empty());
    let by_history = &evidence.explanatory_metrics;
    let explanatory_metrics = (!has_changes).then(|| explanatory_metrics(by_history)).flatten();
    let all: Vec<String> = counted.into_iter().chain(explanatory_metrics).into_list();
    (!all.is_empty()).then(|| all.iter().joined("; "))
}

fn code(revision: &Revision) -> Option<String> {
    let commit = revision.commit.get(..7)?;
    let branch = match revision.branch.as_str() {
        "" => String::new(),
        branch => format!(" on {branch}"),
    };
    let dirty = if revision.dirty { ", with changes that are not committed" } else { "" };
    Some(format!("commit {commit}{branch}{dirty}"))
}

/// Formats why builds of one commit may differ; `None` where they are of different commits.
fn other_build(pairs: &PairedResult, revision: &Revision) -> Option<String> {
    let is_of_one_commit = !revision.commit.is_empty() && pairs.commit == revision.commit;
    (is_of_one_commit && !revision.dirty).then(|| {
        "the last good build is of the same commit: it may have other features, another profile or changes that were \
         not committed. Give each kind of build its own PERFTEST_TESTBED"
            .to_owned()
    })
}

/// Formats what points to placement as the cause, and how to find out; `None` where nothing does.
fn placement(evidence: &Evidence, subject: &ReportSubject<'_>) -> Option<String> {
    let counted = evidence.paired_result.as_ref().and_then(|it| it.instructions);
    let same_work = counted.map(|_| "it executes as many instructions as before");
    let not_aligned = evidence.notes.contains(&Note::FunctionsNotAligned);
    let moved = not_aligned.then_some("functions are not aligned, so that other code moves them");
    let signs: Vec<&str> = same_work.into_iter().chain(moved).into_list();
    if signs.is_empty() || !evidence.may_be_placement(subject.metric) {
        return None;
    }
    let avoid = if not_aligned { "; avoid it: cargo perftest doctor" } else { "" };
    Some(format!(
        "{}: this may be code placement. Ask: cargo perftest relink {}{avoid}",
        signs.iter().joined(", and "),
        quoted(subject.test)
    ))
}

fn next(evidence: &Evidence, subject: &ReportSubject<'_>) -> Vec<(&'static str, String)> {
    let next = match evidence.reason {
        Reason::Green => return Vec::new(),
        Reason::Red => {
            let profile = profile_beside_last_good(evidence, subject);
            let unbounded = evidence.accepted_ratio.unwrap_or_default().max(BOUND_WITHOUT_A_RATIO);
            let bound = evidence.suggested_max_ratio().unwrap_or(unbounded);
            let failure = after_a_failure(subject, bound);
            return profile.into_iter().chain(failure).into_list();
        }
        Reason::Unaccepted => return after_a_failure(subject, BOUND_OF_A_BETTER_LEVEL),
        Reason::OverLimit => {
            let faster =
                "make it faster, or raise `limit` where it is set: no acceptance lifts a limit";
            return vec![("again", again(subject)), ("next", faster.to_owned())];
        }
        Reason::Improved => "nothing to do: the baseline follows by itself",
        Reason::Unclear => {
            return vec![("settled by", settled_by(evidence, &subject.series_kind()))];
        }
        Reason::Unstable => {
            let steadier = "make the test steadier: more work in a call, inputs that do not change";
            return vec![
                ("settled by", settled_by(evidence, &subject.series_kind())),
                ("next", steadier.to_owned()),
            ];
        }
        Reason::NoBaseline => "run it again until the baseline has what it needs",
        Reason::NotMeasurable => {
            "if the compiler removed the body, pass its input and output through black_box; else do \
             more work in it"
        }
        Reason::NotAlone => match judge_it_alone(&evidence.notes) {
            Some(alone) => alone,
            None => return vec![("again", again(subject))],
        },
        Reason::SameCode if is_within_tolerance(evidence) => return Vec::new(),
        Reason::SameCode => {
            "look at what else changed: input files, environment, other programs (cargo perftest \
             doctor)"
        }
        Reason::MachineSlower => {
            "nothing in the code: it becomes a level of its own if it lasts (cargo perftest doctor)"
        }
        Reason::Untrusted => "follow the warning of the run, then run it again",
    };
    vec![("next", next.to_owned())]
}

/// Returns whether the ratio is no change that matters, for the better or the worse.
fn is_within_tolerance(evidence: &Evidence) -> bool {
    let tolerated = evidence.tolerance.ratio();
    let is_tolerated = |ratio: f64| ratio.max(1.0 / ratio) <= tolerated;
    evidence.degradation.is_some_and(|it| is_tolerated(it.estimate))
}

/// Suggests to look where the time went, if there is a build to compare with.
fn profile_beside_last_good(
    evidence: &Evidence,
    subject: &ReportSubject<'_>,
) -> Option<(&'static str, String)> {
    let has_base = evidence.paired_result.is_some() && subject.metric.is_time();
    let test = quoted(BenchmarkId::whole_of(subject.test));
    has_base
        .then(|| ("profile", format!("cargo perftest flamegraph {test} --diff last-good --open")))
}

/// Suggests commands to inspect a failure, to see it again, and to accept it up to this bound.
fn after_a_failure(subject: &ReportSubject<'_>, bound: f64) -> Vec<(&'static str, String)> {
    let test = quoted(subject.test);
    vec![
        ("history", format!("cargo perftest history {test}")),
        ("again", again(subject)),
        (
            "if meant",
            format!("cargo perftest accept {test} --max-ratio {bound:.2} --reason \"..\""),
        ),
    ]
}

/// The command that runs the test again.
fn again(subject: &ReportSubject<'_>) -> String {
    let by_name =
        || format!("cargo perftest run -- {}", quoted(BenchmarkId::whole_of(subject.test)));
    subject.again.map_or_else(by_name, str::to_owned)
}
