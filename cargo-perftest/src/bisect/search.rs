//! Builds and compares the commits that `Bisection` requests.

use super::CommitLine;
use super::probe::{BisectProbe, ProbeResult};
use crate::compare::{Builder, Measurer, SideTest, SideTests};
use crate::exit::{CommandError, Result};
use crate::report::print_progress;
use crate::series::take_the_one;
use perftest_analysis::verdicts::{
    Bisection, BisectionAnswer, BisectionResult, BisectionStep, Span,
};
use perftest_core::judge::Side;
use perftest_core::model::{BenchmarkId, Tolerance};
use perftest_core::words::one_line;
use std::collections::BTreeMap;
use std::time::Instant;

/// The search for the commit of a line that made one test slower.
pub(crate) struct CommitSearch<'a> {
    line: &'a CommitLine,
    builder: Builder<'a>,
    measurer: Measurer,
    /// The name of the test, and the one that it has in commits before it was renamed.
    names: Vec<BenchmarkId>,
    tolerance: Tolerance,
    base: BuiltCommit,
    head: BuiltCommit,
    /// The results by machine code, with the commit.
    known: BTreeMap<String, (usize, BisectionAnswer)>,
    builds: u32,
}

/// A commit that is built on a side.
struct BuiltCommit {
    commit: usize,
    /// Its test, or why there is none.
    test: Result<SideTest, String>,
}

impl<'a> CommitSearch<'a> {
    /// Builds both ends. The bad commit has the one test with `name` in its name, and says which name it had before.
    pub(crate) fn begin(
        line: &'a CommitLine,
        builder: Builder<'a>,
        measurer: Measurer,
        name: &str,
    ) -> Result<Self> {
        let [good_revision, bad_revision] =
            [0, line.steps()].map(|place| &line.commit(place).revision);
        builder.note_differences(good_revision, bad_revision);
        let tests = builder.tests(Side::Head, bad_revision, "the bad commit")?;
        let bad = chosen(&tests, name)?;
        let names: Vec<BenchmarkId> = tests.names_of(&bad).cloned().collect();
        let good = builder.tests(Side::Base, good_revision, "the good commit")?.take(&names)?;
        let benchmark = &names[0];
        let good = good.ok_or_else(|| {
            CommandError::Usage(format!(
                "the good commit has no performance test `{benchmark}` that is built with these options; \
                 where the test came later, begin at the first commit that has it"
            ))
        })?;
        let code = builder.code_check().code(&good);
        let known = code.map(|code| (code, (0, BisectionAnswer::NotSlower)));
        Ok(Self {
            line,
            builder,
            names,
            tolerance: measurer.tolerance_of(&bad),
            measurer,
            base: BuiltCommit { commit: 0, test: Ok(good) },
            head: BuiltCommit { commit: line.steps(), test: Ok(bad) },
            known: known.into_iter().collect(),
            builds: 2,
        })
    }

    pub(crate) fn benchmark(&self) -> &BenchmarkId {
        &self.names[0]
    }

    /// Number of commits that were built, including failed builds.
    pub(crate) fn builds(&self) -> u32 {
        self.builds
    }

    /// Searches to the end, and reports each probe.
    pub(crate) fn run(
        &mut self,
        mut hand_over: impl FnMut(BisectProbe) -> Result<()>,
    ) -> Result<BisectionResult> {
        let mut bisection = Bisection::new(self.line.steps(), self.tolerance);
        loop {
            let probe = match bisection.step() {
                BisectionStep::Done(bisected) => return Ok(bisected),
                BisectionStep::Probe { commit, tolerance } => self.probe(commit, tolerance)?,
                BisectionStep::Confirm { span, tolerance } => self.confirm(span, tolerance),
            };
            bisection.observe(probe.probed());
            self.report_probe(&probe, &bisection);
            hand_over(probe)?;
        }
    }

    /// Compares a commit with the good one, unless its code was compared before.
    fn probe(&mut self, commit: usize, tolerance: Tolerance) -> Result<BisectProbe> {
        let began = Instant::now();
        let head = self.test(Side::Head, commit);
        let code = head.as_ref().ok().and_then(|head| self.builder.code_check().code(head));
        let known = code.as_ref().and_then(|code| self.known.get(code));
        let seen = match known {
            Some((commit, probed)) => ProbeResult::SameCode { commit: *commit, probed: *probed },
            None => self.compare(tolerance),
        };
        let probe = BisectProbe { base: 0, head: commit, seen, spent: began.elapsed() };
        match (&probe.seen, code) {
            // Without the bad commit there is nothing to search.
            (ProbeResult::Unanswered(why), _) if commit == self.line.steps() => {
                return Err(CommandError::Usage(why.clone()));
            }
            (ProbeResult::Measured(_), Some(code))
                if probe.probed() != BisectionAnswer::Unanswered =>
            {
                self.known.insert(code, (commit, probe.probed()));
            }
            _ => {}
        }
        Ok(probe)
    }

    /// Compares the two ends of a span.
    fn confirm(&mut self, span: Span, tolerance: Tolerance) -> BisectProbe {
        let began = Instant::now();
        // Both stay in their slots, with the reason if a build fails now.
        let _ = self.test(Side::Base, span.before);
        let _ = self.test(Side::Head, span.after);
        let seen = self.compare(tolerance);
        BisectProbe { base: span.before, head: span.after, seen, spent: began.elapsed() }
    }

    /// Compares the commit that is built as the head with that of the base.
    fn compare(&self, tolerance: Tolerance) -> ProbeResult {
        let both = self.base.test.as_ref().and_then(|base| Ok((base, self.head.test.as_ref()?)));
        let compared = both.map_err(String::clone);
        let measure = |(base, head)| {
            self.measurer.compare(tolerance, base, head).map_err(|failed| failed.why)
        };
        match compared.and_then(measure) {
            Ok((decided, _)) => ProbeResult::Measured(Box::new(decided.result)),
            Err(why) => ProbeResult::Unanswered(why),
        }
    }

    /// Returns the test at a commit. Builds it on this side unless it is there already.
    fn test(&mut self, side: Side, commit: usize) -> Result<SideTest, String> {
        let built = match side {
            Side::Base => &mut self.base,
            Side::Head => &mut self.head,
        };
        if built.commit != commit {
            let whose = if commit == self.line.steps() { "the bad commit" } else { "a commit" };
            let revision = &self.line.commit(commit).revision;
            let tests = self.builder.tests(side, revision, whose);
            self.builds += 1;
            let missing = || format!("{revision} has no performance test `{}`", self.names[0]);
            let found = tests.and_then(|mut tests| tests.take(&self.names));
            let test = found.map_err(|it| it.to_string()).and_then(|it| it.ok_or_else(missing));
            *built = BuiltCommit { commit, test };
        }
        built.test.clone()
    }

    fn report_probe(&self, probe: &BisectProbe, bisection: &Bisection) {
        let (commit, description) = (self.line.commit(probe.head), probe.in_full(self.line));
        let left = match bisection.step() {
            BisectionStep::Probe { .. } => {
                let (commits, probes) = (bisection.span().commits(), bisection.probes_left());
                format!("; {commits} commits are left, about {probes} more to build")
            }
            BisectionStep::Confirm { span, .. } => {
                let [before, after] =
                    [span.before, span.after].map(|commit| self.line.commit(commit).short());
                format!("; it remains to compare {after} with {before}")
            }
            BisectionStep::Done(_) => String::new(),
        };
        print_progress(&format_args!(
            "{} ({}): {description}{left}",
            one_line(&commit.subject),
            commit.short()
        ));
    }
}

/// Returns the test of the bad commit with this name.
fn chosen(tests: &SideTests, name: &str) -> Result<SideTest> {
    let chosen = tests.choose(&[name.to_owned()])?;
    let found = take_the_one(chosen, name, |it| it.listed.benchmark.as_str())?;
    found.ok_or_else(|| {
        CommandError::Usage(format!(
            "the bad commit has no performance test with `{name}` in its name that is built with \
             these options"
        ))
    })
}
