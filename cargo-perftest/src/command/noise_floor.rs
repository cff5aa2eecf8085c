//! `cargo perftest doctor --aa`: the noise floor of comparisons on this machine.

use crate::args::{DoctorArgs as Args, OutputFormat};
use crate::compare::{
    AgainstItself, Builder, CompareDirectory, SelfComparison, SourceRevision, noise_floor_as_json,
    performance_test, write_noise_floor,
};
use crate::exit::{CommandEnd, Result, refuse};
use crate::git_checkout::GitCheckout;
use crate::history_directory::here;
use crate::report::{print_progress, write_json_lines};
use perftest_core::judge::Side;
use perftest_process::WorkerCommand;
use std::io::Write;

/// Most tests if the user names none.
const MOST_TESTS: usize = 8;

pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<CommandEnd> {
    let mut subjects = subjects(args)?;
    let against_itself = AgainstItself::new(args.budget, subjects.len());
    against_itself.measure(&mut subjects);
    match args.answer.format() {
        OutputFormat::Json => {
            write_json_lines(out, noise_floor_as_json(&subjects, &against_itself))?;
        }
        OutputFormat::Table => write_noise_floor(&subjects, &against_itself, out)?,
    }
    let failed = subjects.iter().find_map(|it| Some((it, it.failure.as_ref()?)));
    match failed {
        None => Ok(CommandEnd::Done),
        Some((subject, why)) => {
            let benchmark = &subject.test.listed.benchmark;
            refuse(format!("{benchmark} could not be measured: {why}"))
        }
    }
}

/// Returns the requested tests of the working tree, or a selection of all.
fn subjects(args: &Args) -> Result<Vec<SelfComparison>> {
    let here = here()?;
    let repository = GitCheckout::around(&here)?;
    let place = CompareDirectory::of(&repository)?;
    let revision = SourceRevision::of_working_tree(&repository, &place.index())?;
    let builder = Builder {
        repository: &repository,
        place: &place,
        options: &args.build,
        longest: WorkerCommand::LONGEST_START,
    };
    let tests = builder.tests(Side::Head, &revision, "the tests")?.choose(&args.tests)?;
    let all: Vec<SelfComparison> = tests.into_iter().map(SelfComparison::new).collect();
    if all.is_empty() {
        let what = performance_test(&args.tests);
        return refuse(format!("the working tree has no {what} that is built with these options"));
    }
    let count = all.len();
    let taken = if args.tests.is_empty() { spread(all, MOST_TESTS) } else { all };
    let (some, seconds) = (taken.len(), args.budget.as_secs_f64());
    print_progress(&format_args!(
        "comparing with themselves, for {seconds:.0} s: {some} of {count} tests"
    ));
    Ok(taken)
}

/// Selects at most `most` items, evenly spread.
fn spread<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let count = all.len();
    let is_taken = |place: usize| count <= most || place * most % count < most;
    all.into_iter().enumerate().filter(|(place, _)| is_taken(*place)).map(|(_, it)| it).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_many_are_taken_from_all_over() {
        assert_eq!(spread((0..5).collect(), 8), [0, 1, 2, 3, 4]);
        for count in 8..60 {
            let some = spread((0..count).collect::<Vec<i32>>(), 8);
            assert_eq!(some.len(), 8, "{count}");
            assert!(some[7] >= count - (count + 7) / 8, "{count}: {some:?}");
        }
    }
}
