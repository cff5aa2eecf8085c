//! Builds and compares the commits that `Bisection` requests.

use super::CommitLine;
use super::probe::{BisectProbe, ProbeResult};
use crate::compare::{
    Builder, CodeCheck, CompareDirectory, Measurer, SideDirectory, SideTest, SideTests,
};
use crate::exit::{CommandError, Result};
use crate::report::print_progress;
use crate::series::the_one;
use perftest_analysis::verdicts::{
    Bisection, BisectionAnswer, BisectionResult, BisectionStep, Span,
};
use perftest_core::judge::Side;
use perftest_core::model::{BenchmarkId, Tolerance};
use std::collections::BTreeMap;
use std::time::Instant;

/// The search for the commit of a line that made one test slower.
pub(crate) struct CommitSearch<'a> {
    line: &'a CommitLine,
    builder: Builder<'a>,
    measurer: Measurer,
    benchmark: BenchmarkId,
    /// Its name in commits before it was renamed.
    former_name: Option<BenchmarkId>,
    tolerance: Tolerance,
    base: CommitSlot,
    head: CommitSlot,
    /// The results by machine code, with the commit.
    known: BTreeMap<String, (usize, BisectionAnswer)>,
    builds: u32,
}

/// A slot with its content.
struct CommitSlot {
    slot: SideDirectory,
    commit: Option<usize>,
    /// Its test, or why there is none.
    test: Result<SideTest, String>,
}

impl<'a> CommitSearch<'a> {
    /// Builds both ends. The bad commit has the one test with `name` in its name, and says which name it had before.
    pub(crate) fn begin(
        line: &'a CommitLine,
        mut builder: Builder<'a>,
        measurer: Measurer,
        place: &CompareDirectory,
        name: &str,
    ) -> Result<Self> {
        let [base, head] = ["base", "head"].map(|side| place.slot(side));
        let [good_revision, bad_revision] =
            [0, line.steps()].map(|place| &line.commit(place).revision);
        let tests = builder.build([&head, &base], bad_revision, "the bad commit")?;
        tests.refuse_only_ignored(&builder.tests)?;
        let bad = chosen(&tests, name)?;
        let benchmark = bad.listed.benchmark.clone();
        let former_name = tests.former_name(&bad).cloned();
        let names = [&benchmark].into_iter().chain(&former_name);
        builder.tests = names.map(ToString::to_string).collect();
        let tests = builder.build([&base, &head], good_revision, "the good commit")?;
        let good = named(tests, &benchmark, former_name.as_ref()).ok_or_else(|| {
            CommandError::Usage(format!(
                "the good commit has no performance test `{benchmark}` that is built with these options; \
                 where the test came later, begin at the first commit that has it"
            ))
        })?;
        let code = CodeCheck::new(&base, &head).code(&good);
        let known = code.map(|code| (code, (0, BisectionAnswer::NotSlower)));
        Ok(Self {
            line,
            builder,
            benchmark,
            former_name,
            tolerance: measurer.tolerance_of(&bad),
            measurer,
            base: CommitSlot { slot: base, commit: Some(0), test: Ok(good) },
            head: CommitSlot { slot: head, commit: Some(line.steps()), test: Ok(bad) },
            known: known.into_iter().collect(),
            builds: 2,
        })
    }

    pub(crate) fn benchmark(&self) -> &BenchmarkId {
        &self.benchmark
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
        let mut check = CodeCheck::new(&self.base.slot, &self.head.slot);
        let code = head.as_ref().ok().and_then(|head| check.code(head));
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

    /// Compares the head's slot with the base's.
    fn compare(&mut self, tolerance: Tolerance) -> ProbeResult {
        self.measurer.tolerance = Some(tolerance);
        let both = self.base.test.clone().and_then(|base| Ok((base, self.head.test.clone()?)));
        match both.and_then(|(base, head)| self.measurer.compare(&base, &head)) {
            Ok(decided) => ProbeResult::Measured(Box::new(decided.result)),
            Err(why) => ProbeResult::Unanswered(why),
        }
    }

    /// Returns the test at a commit. Builds it in the slot of this side unless it is there already.
    fn test(&mut self, side: Side, commit: usize) -> Result<SideTest, String> {
        let (bench, other) = match side {
            Side::Base => (&mut self.base, &self.head),
            Side::Head => (&mut self.head, &self.base),
        };
        if bench.commit != Some(commit) {
            let whose = if commit == self.line.steps() { "the bad commit" } else { "a commit" };
            let revision = &self.line.commit(commit).revision;
            let tests = self.builder.build([&bench.slot, &other.slot], revision, whose);
            self.builds += 1;
            let missing = || format!("{revision} has no performance test `{}`", self.benchmark);
            bench.commit = Some(commit);
            bench.test = tests.map_err(|failure| failure.to_string()).and_then(|tests| {
                named(tests, &self.benchmark, self.former_name.as_ref()).ok_or_else(missing)
            });
        }
        bench.test.clone()
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
            commit.subject,
            commit.short()
        ));
    }
}

/// Returns the test of the bad commit with this name.
fn chosen(tests: &SideTests, name: &str) -> Result<SideTest> {
    let names: Vec<&str> = tests.iter().map(|it| it.listed.benchmark.as_str()).collect();
    let found = the_one(&names, name)?;
    let is_it = |test: &&SideTest| found == Some(test.listed.benchmark.as_str());
    tests.iter().find(is_it).cloned().ok_or_else(|| {
        CommandError::Usage(format!(
            "the bad commit has no performance test with `{name}` in its name that is built with \
             these options"
        ))
    })
}

/// Returns the test of a commit with this name, or else with its former one, also where the commit ignores it.
fn named(
    mut tests: SideTests,
    benchmark: &BenchmarkId,
    former_name: Option<&BenchmarkId>,
) -> Option<SideTest> {
    [benchmark].into_iter().chain(former_name).find_map(|name| tests.take(name))
}
