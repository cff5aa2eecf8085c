//! `cargo perftest compare`: the speed of two revisions, side by side.

use crate::args::{Compare as Args, Format, Undecided};
use crate::compare::{
    Answer, Builder, CodeCheck, Conclusion, Finding, Matched, Measurer, Names, Place, Repository,
    Revision, match_up,
};
use crate::exit::Failure;
use crate::report::{Table, tell};
use perftest_core::model::BenchmarkId;
use serde_json::{Value, json};
use std::env;
use std::io::Write;
use std::time::Instant;

/// `None` where nothing was to be compared.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Option<Conclusion>, Failure> {
    let here = env::current_dir().map_err(|error| {
        Failure::Usage(format!("the current directory cannot be told: {error}"))
    })?;
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
    let conclusion = Conclusion::of(&answers, args.undecided == Undecided::Fail);
    match args.answer.format() {
        Format::Json => {
            let names = Names { base: as_json(&sides.base), head: as_json(&sides.head) };
            answers.iter().try_for_each(|it| writeln!(out, "{}", it.as_json(&names)))?;
        }
        Format::Table => {
            writeln!(out, "base: {}\nhead: {}\n", sides.base, sides.head)?;
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
    Ok(Some(conclusion))
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
        let builder = Builder {
            repository: &self.repository,
            options: &args.build,
            tests: &args.tests,
            longest: args.pairs.timeout,
        };
        let base = builder.build([&base_slot, &head_slot], &self.base, "the base")?;
        let head = builder.build([&head_slot, &base_slot], &self.head, "the head")?;
        let tests = match_up(base, head);
        if tests.is_empty() {
            let what = if args.tests.is_empty() { "" } else { " of this name" };
            return Err(Failure::Usage(format!(
                "neither side has a performance test{what} that is built with these options"
            )));
        }
        let check = CodeCheck::new(&base_slot, &head_slot);
        let mut session = Session { check, measurer: Measurer::new(&args.pairs) };
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
}

/// What all tests are looked at with.
struct Session<'a> {
    check: CodeCheck<'a>,
    measurer: Measurer,
}

impl Session<'_> {
    fn answer(&mut self, benchmark: BenchmarkId, matched: Matched) -> Answer {
        let began = Instant::now();
        let finding = match matched {
            Matched::OnlyInBase => Finding::OnlyInBase,
            Matched::OnlyInHead => Finding::OnlyInHead,
            Matched::InBoth { base, head } if self.check.is_same(&base, &head) => Finding::SameCode,
            Matched::InBoth { base, head } => match self.measurer.compare(&base, &head) {
                Ok(compared) => Finding::Measured(Box::new(compared)),
                Err(why) => Finding::Failed(why),
            },
        };
        Answer { benchmark, finding, spent: began.elapsed() }
    }
}
