//! `cargo perftest compare`: the speed of two revisions, side by side.

use crate::args::{BuildOptions, Compare as Args, Format, Undecided};
use crate::compare::{
    Answer, Conclusion, Counting, Lesson, Measurer, Place, Repository, Revision, SideTest, Sides,
    Teacher, write_answers,
};
use crate::exit::Failure;
use crate::place::{here, writable};
use crate::report::tell;
use std::io::Write;
use std::path::PathBuf;

/// `None` where nothing was to be compared.
pub(crate) fn run(
    args: &Args,
    store: Option<PathBuf>,
    out: &mut dyn Write,
) -> Result<Option<Conclusion>, Failure> {
    let repository = Repository::around(&here()?)?;
    let Some(base) = &args.base else {
        Place::of(&repository)?.clean(&repository)?;
        return Ok(None);
    };
    // What is unknown or cannot be written is told before anything waits.
    let counting =
        if args.instructions { Counting::by_valgrind()? } else { Counting::by_processor() };
    let base = Revision::named(base, &repository)?;
    let head = args.head.as_ref().map(|head| Revision::named(head, &repository)).transpose()?;
    let teacher = if args.history { Some(writable(store).and_then(Teacher::new)?) } else { None };
    let sides = Sides::new(repository, base, head)?;
    let tests = sides.build(&args.build, &args.tests, args.pairs.timeout)?;
    if tests.is_empty() {
        let what = if args.tests.is_empty() { "" } else { " of this name" };
        return Err(Failure::Usage(format!(
            "neither side has a performance test{what} that is built with these options"
        )));
    }
    let answers = sides.compare(tests, Measurer::new(&args.pairs), counting);
    let conclusion = Conclusion::of(&answers, args.undecided == Undecided::Fail);
    write_answers(&answers, &sides, conclusion, args.answer.format(), out)?;
    if let Some(teacher) = teacher {
        let lessons = lessons(&teacher, &sides, &answers, args)?;
        write_lessons(&lessons, args.answer.format(), out)?;
    }
    Ok(Some(conclusion))
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
