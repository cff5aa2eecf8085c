//! `cargo perftest compare`: the speed of two revisions, or of two executables, side by side.

use crate::args::{AnswerFormat, BuildOptions, CompareArgs as Args, OnUndecided};
use crate::compare::{
    BaselineProgress, BaselineRecorder, CodeCheck, CompareConclusion, CompareDirectory,
    CompareSession, Counting, MatchedTest, Measurer, SideNames, SideTest, Sides, SourceRevision,
    TestComparison, performance_test, tests_of_executables, write_answers,
};
use crate::exit::{Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::history_directory::{here, testbeds, writable};
use crate::report::{print_progress, write_json_line};
use perftest_core::model::BenchmarkId;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<CompareConclusion> {
    if let [base, head] = &args.executables[..] {
        return compare_executables([base, head], args, out);
    }
    let repository = GitCheckout::around(&here()?)?;
    let Some(base) = &args.base else {
        CompareDirectory::of(&repository)?.clean(&repository)?;
        return Ok(CompareConclusion::NothingSlower);
    };
    // Report unknown names and unwritable files before any waiting.
    let counting = counting(args)?;
    let base = SourceRevision::named(base, &repository)?;
    let head =
        args.head.as_ref().map(|head| SourceRevision::named(head, &repository)).transpose()?;
    let testbeds = testbeds(store.clone(), &here()?);
    let recorder =
        if args.history { Some(writable(store).and_then(BaselineRecorder::new)?) } else { None };
    let sides = Sides::new(repository, base, head)?;
    let tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    refuse_none(&tests.matched, args)?;
    let mut in_base = names_in_base(&tests.matched);
    let check = (!args.measure_same_code).then(|| sides.code_check(&tests)).transpose()?;
    let answers =
        sides.compare(tests.matched, check, Measurer::new(&args.pairs), counting, &testbeds)?;
    // What failed there once would do so again.
    answers.iter().filter(|it| it.has_base_failed()).for_each(|it| {
        in_base.remove(&it.benchmark);
    });
    let conclusion = conclude(&answers, &sides.names(), args, out)?;
    if let Some(recorder) = recorder {
        let progresses = progresses(&recorder, &sides, &in_base, args)?;
        write_base_runs(&progresses, args.answer.format(), out)?;
    }
    Ok(conclusion)
}

fn compare_executables(
    [base, head]: [&Path; 2],
    args: &Args,
    out: &mut dyn Write,
) -> Result<CompareConclusion> {
    let counting = counting(args)?;
    let tests = tests_of_executables([base, head], &args.tests, args.pairs.timeout)?;
    refuse_none(&tests, args)?;
    let check = (!args.measure_same_code).then(CodeCheck::default);
    let session = CompareSession::new(check, Measurer::new(&args.pairs), counting);
    let names = SideNames { base: base.into(), head: head.into() };
    conclude(&session.answers(tests), &names, args, out)
}

fn counting(args: &Args) -> Result<Counting> {
    if args.instructions { Counting::by_valgrind() } else { Ok(Counting::by_processor()) }
}

fn refuse_none(tests: &[(BenchmarkId, MatchedTest)], args: &Args) -> Result<()> {
    if !tests.is_empty() {
        return Ok(());
    }
    let what = performance_test(&args.tests);
    refuse(format!("neither side has a {what} in what was built"))
}

/// Writes the answers, and the conclusion.
fn conclude(
    answers: &[TestComparison],
    names: &SideNames,
    args: &Args,
    out: &mut dyn Write,
) -> Result<CompareConclusion> {
    let conclusion = CompareConclusion::of(answers, args.undecided == OnUndecided::Fail);
    write_answers(answers, names, conclusion, args.answer.format(), out)?;
    Ok(conclusion)
}

/// Returns the names that the tests of both sides have in the base, by those of the head: a renamed test has its former
/// one.
fn names_in_base(tests: &[(BenchmarkId, MatchedTest)]) -> BTreeMap<BenchmarkId, BenchmarkId> {
    let in_base = tests.iter().filter_map(|(name, matched)| match matched {
        // What the base ignores it does not record.
        MatchedTest::InBoth { base, .. } if base.listed.is_ignored => None,
        MatchedTest::InBoth { base, .. } => Some((name.clone(), base.listed.benchmark.clone())),
        MatchedTest::OnlyInBase | MatchedTest::OnlyInHead | MatchedTest::NotMeasured { .. } => None,
    });
    in_base.collect()
}

/// Records a baseline of the base for these of its tests. Builds the base like `cargo
/// test`, because the following runs are built that way.
fn progresses(
    recorder: &BaselineRecorder,
    sides: &Sides,
    names: &BTreeMap<BenchmarkId, BenchmarkId>,
    args: &Args,
) -> Result<Vec<BaselineProgress>> {
    print_progress(&"letting the base's tests record a history, where there is none");
    let own_flags = BuildOptions { no_align: true, ..args.build.clone() };
    let mut tests = sides.build_base(&own_flags, args.pairs.timeout)?;
    let named = names.values().filter_map(|name| tests.take([name]).transpose());
    recorder.record_baselines(named.collect::<Result<Vec<SideTest>>>()?)
}

fn write_base_runs(
    progresses: &[BaselineProgress],
    format: AnswerFormat,
    out: &mut dyn Write,
) -> Result<()> {
    match format {
        AnswerFormat::Json => {
            progresses.iter().try_for_each(|it| write_json_line(out, &it.as_json()))?
        }
        AnswerFormat::Table | AnswerFormat::Markdown => {
            writeln!(out)?;
            progresses.iter().try_for_each(|progress| writeln!(out, "{progress}"))?;
        }
    }
    Ok(())
}
