//! `cargo perftest compare`: the speed of two revisions, or of two executables, side by side.

use crate::args::{BuildOptions, Compare as Args, Format, Undecided};
use crate::compare::{
    Answer, CodeCheck, Conclusion, Counting, Executables, Lesson, Matched, Measurer, Names, Place,
    Repository, Revision, SideTest, Sides, Teacher, performance_test, write_answers,
};
use crate::exit::Failure;
use crate::place::{here, writable};
use crate::report::tell;
use perftest_core::model::BenchmarkId;
use std::io::Write;
use std::path::PathBuf;

/// `None` where nothing was to be compared.
pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<Option<Conclusion>, Failure> {
    if let [base, head] = &args.executables[..] {
        let executables = Executables { base, head, directory: here()? };
        return compare_executables(&executables, args, out).map(Some);
    }
    let repository = Repository::around(&here()?)?;
    let Some(base) = &args.base else {
        Place::of(&repository)?.clean(&repository)?;
        return Ok(None);
    };
    // What is unknown or cannot be written is told before anything waits.
    let counting = counting(args)?;
    let base = Revision::named(base, &repository)?;
    let head = args.head.as_ref().map(|head| Revision::named(head, &repository)).transpose()?;
    let teacher = if args.history { Some(writable(store).and_then(Teacher::new)?) } else { None };
    let sides = Sides::new(repository, base, head)?;
    let tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    refuse_none(&tests, args)?;
    let answers = sides.compare(tests, Measurer::new(&args.pairs), counting);
    let conclusion = conclude(&answers, &sides.names(), args, out)?;
    if let Some(teacher) = teacher {
        let lessons = lessons(&teacher, &sides, &answers, args)?;
        write_lessons(&lessons, args.answer.format(), out)?;
    }
    Ok(Some(conclusion))
}

fn compare_executables(
    executables: &Executables<'_>,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Conclusion, Failure> {
    let counting = counting(args)?;
    let tests = executables.list(&args.tests, args.pairs.timeout)?;
    refuse_none(&tests, args)?;
    let check = (!args.measure_same_code).then(CodeCheck::default);
    let answers = executables.compare(tests, check, Measurer::new(&args.pairs), counting);
    conclude(&answers, &executables.names(), args, out)
}

fn counting(args: &Args) -> Result<Counting, Failure> {
    if args.instructions { Counting::by_valgrind() } else { Ok(Counting::by_processor()) }
}

fn refuse_none(tests: &[(BenchmarkId, Matched)], args: &Args) -> Result<(), Failure> {
    if !tests.is_empty() {
        return Ok(());
    }
    let what = performance_test(&args.tests);
    Err(Failure::Usage(format!("neither side has a {what} in what was built")))
}

/// Writes the answers, and what they come to.
fn conclude(
    answers: &[Answer],
    names: &Names,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Conclusion, Failure> {
    let conclusion = Conclusion::of(answers, args.undecided == Undecided::Fail);
    write_answers(answers, names, conclusion, args.answer.format(), out)?;
    Ok(conclusion)
}

/// Lets the base teach what the head has, too. It is built as `cargo test` builds it: what follows
/// will be, too.
fn lessons(
    teacher: &Teacher,
    sides: &Sides,
    answers: &[Answer],
    args: &Args,
) -> Result<Vec<Lesson>, Failure> {
    tell(&"letting the base's tests record a history, where there is none");
    let own_flags = BuildOptions { no_align: true, ..args.build.clone() };
    let tests = sides.build_base(&own_flags, &args.tests, args.pairs.timeout)?;
    let is_of_both = |test: &SideTest| {
        let mut answers = answers.iter().filter(|answer| answer.is_of_both());
        answers.any(|answer| answer.benchmark == test.listed.benchmark)
    };
    teacher.teach(tests.into_iter().filter(is_of_both))
}

fn write_lessons(lessons: &[Lesson], format: Format, out: &mut dyn Write) -> Result<(), Failure> {
    match format {
        Format::Json => lessons.iter().try_for_each(|it| writeln!(out, "{}", it.as_json()))?,
        Format::Table => {
            writeln!(out)?;
            lessons.iter().try_for_each(|lesson| writeln!(out, "{lesson}"))?;
        }
    }
    Ok(())
}
