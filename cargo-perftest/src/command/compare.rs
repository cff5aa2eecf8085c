//! `cargo perftest compare`: the speed of two revisions, or of two executables, side by side.

use crate::args::{Compare as Args, Format, Undecided};
use crate::compare::{
    Answer, CodeCheck, Conclusion, Executable, Finding, Matched, Measurer, Names, Place,
    Repository, Revision, SideTest, SideTests, Slot, build, match_up,
};
use crate::exit::Failure;
use crate::report::Table;
use perftest_core::judge::ComparisonPolicy;
use perftest_core::model::BenchmarkId;
use serde_json::{Value, json};
use std::env;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// `None` where nothing was to be compared.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Option<Conclusion>, Failure> {
    let here = env::current_dir().map_err(|error| {
        Failure::Usage(format!("the current directory cannot be told: {error}"))
    })?;
    if let [base, head] = &args.executables[..] {
        return compare_executables([base, head], &here, args, out).map(Some);
    }
    let repository = Repository::around(&here)?;
    let Some(base) = &args.base else {
        Place::of(&repository)?.clean(&repository)?;
        return Ok(None);
    };
    let base = Revision::named(base, &repository)?;
    // An unknown name is told before anything waits.
    let head = args.head.as_ref().map(|head| Revision::named(head, &repository)).transpose()?;
    let place = Place::of(&repository)?;
    let head = match head {
        Some(head) => head,
        None => Revision::of_working_tree(&repository, &place.index())?,
    };
    let sides = Sides { repository, base, head, place };
    let answers = sides.compare(args)?;
    let names = Names { base: as_json(&sides.base), head: as_json(&sides.head) };
    show(&answers, [&sides.base, &sides.head], &names, args, out).map(Some)
}

/// Two executables that were built before, whose tests run in the directory `here`.
fn compare_executables(
    [base, head]: [&Path; 2],
    here: &Path,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Conclusion, Failure> {
    let tests = |path: &Path| {
        let executable = Executable { path: here.join(path), directory: here.to_owned() };
        SideTests::list(&[executable], &args.tests, args.timeout)
    };
    let answers = answer_all(tests(base)?, tests(head)?, CodeCheck::default(), args)?;
    let named = |path: &Path| json!({ "name": path.to_string_lossy() });
    let names = Names { base: named(base), head: named(head) };
    show(&answers, [&base.display(), &head.display()], &names, args, out)
}

/// Prints the answers, and what they come to.
fn show(
    answers: &[Answer],
    [base, head]: [&dyn Display; 2],
    names: &Names,
    args: &Args,
    out: &mut dyn Write,
) -> Result<Conclusion, Failure> {
    let conclusion = Conclusion::of(answers, args.undecided == Undecided::Fail);
    match args.answer.format() {
        Format::Json => {
            answers.iter().try_for_each(|it| writeln!(out, "{}", it.as_json(names)))?;
        }
        Format::Table => {
            writeln!(out, "base: {base}\nhead: {head}\n")?;
            let mut table =
                Table::new(&["test", " base", " head", " ratio", "answer", " pairs", " seconds"]);
            answers.iter().for_each(|answer| table.push(answer.as_row()));
            table.write(out)?;
            for remark in answers.iter().filter_map(Answer::remark) {
                writeln!(out, "\n{remark}")?;
            }
            writeln!(out, "\n{conclusion}")?;
        }
    }
    Ok(conclusion)
}

fn as_json(revision: &Revision) -> Value {
    json!({ "name": revision.name, "commit": revision.commit, "dirty": revision.is_dirty })
}

/// Both revisions, and where they are built.
struct Sides {
    repository: Repository,
    base: Revision,
    head: Revision,
    place: Place,
}

impl Sides {
    /// The answers for all tests, the worst first.
    fn compare(&self, args: &Args) -> Result<Vec<Answer>, Failure> {
        let (base_slot, head_slot) = (self.place.slot("base"), self.place.slot("head"));
        let base = self.tests([&base_slot, &head_slot], &self.base, "the base", args)?;
        let head = self.tests([&head_slot, &base_slot], &self.head, "the head", args)?;
        answer_all(base, head, CodeCheck::of_slots(&base_slot, &head_slot), args)
    }

    fn tests(
        &self,
        [slot, other]: [&Slot; 2],
        revision: &Revision,
        whose: &str,
        args: &Args,
    ) -> Result<SideTests, Failure> {
        tell(&format_args!("building {whose}: {revision}"));
        slot.check_out(revision, &self.repository, other)?;
        let whose = format!("{whose} ({})", revision.name);
        let executables = build(slot, &self.repository.below, &args.build, &whose)?;
        SideTests::list(&executables, &args.tests, args.timeout)
    }
}

/// The answers for all tests of both sides, the worst first.
fn answer_all(
    base: SideTests,
    head: SideTests,
    check: CodeCheck<'_>,
    args: &Args,
) -> Result<Vec<Answer>, Failure> {
    let tests = match_up(base, head);
    if tests.is_empty() {
        let what = if args.tests.is_empty() { "" } else { " of this name" };
        return Err(Failure::Usage(format!(
            "neither side has a performance test{what} in what was built"
        )));
    }
    let check = (!args.measure_same_code).then_some(check);
    let mut session = Session { check, measurer: measurer(args) };
    let count = tests.len();
    let mut answers: Vec<Answer> = Vec::new();
    for (benchmark, matched) in tests {
        let answer = session.answer(benchmark, matched);
        tell(&format_args!("[{}/{count}] {}", answers.len() + 1, answer.in_passing()));
        answers.push(answer);
    }
    answers.sort_by(Answer::worst_first);
    Ok(answers)
}

fn measurer(args: &Args) -> Measurer {
    let policy = ComparisonPolicy {
        budget_ns: u64::try_from(args.budget.as_nanos()).unwrap_or(u64::MAX),
        most_pairs: args.pairs,
        ..ComparisonPolicy::default()
    };
    Measurer { policy, tolerance: args.tolerance, longest: args.timeout }
}

/// What all tests are looked at with.
struct Session<'a> {
    /// `None` where the same code is measured, too.
    check: Option<CodeCheck<'a>>,
    measurer: Measurer,
}

impl Session<'_> {
    fn answer(&mut self, benchmark: BenchmarkId, matched: Matched) -> Answer {
        let began = Instant::now();
        let finding = match matched {
            Matched::OnlyInBase => Finding::OnlyInBase,
            Matched::OnlyInHead => Finding::OnlyInHead,
            Matched::InBoth { base, head } if self.is_same_code(&base, &head) => Finding::SameCode,
            Matched::InBoth { base, head } => match self.measurer.compare(&base, &head) {
                Ok(compared) => Finding::Measured(Box::new(compared)),
                Err(why) => Finding::Failed(why),
            },
        };
        Answer { benchmark, finding, spent: began.elapsed() }
    }

    fn is_same_code(&mut self, base: &SideTest, head: &SideTest) -> bool {
        self.check.as_mut().is_some_and(|check| check.is_same(base, head))
    }
}

/// Says how far it is. Without a standard error there is nobody to tell.
fn tell(what: &dyn Display) {
    let _ = writeln!(anstream::stderr(), "{what}");
}
