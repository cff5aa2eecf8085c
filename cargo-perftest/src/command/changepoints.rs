//! `cargo perftest changepoints`: when tests became slower or faster for good.

use crate::args::Format;
use crate::args::reading::Changepoints as Args;
use crate::desk::Desk;
use crate::exit::Failure;
use crate::reading::{Changes, Reader};
use crate::report::{changes_as_json, progress, write_changes, write_course};

pub(crate) fn run(args: &Args, desk: &mut Desk<'_>) -> Result<(), Failure> {
    let reader = Reader::new(&args.runs, args.limit, desk)?;
    let (all, mut unread) = reader.series(desk)?;
    let (count, mut runs, mut found) = (all.len(), 0, Vec::new());
    for (number, series) in (1..).zip(&all) {
        progress(&format!("{number} of {count}: {}", series.benchmark));
        for stretch in unread.or_added(reader.stretches(series, desk))?.unwrap_or_default() {
            runs += stretch.runs.len();
            found.push(unread.or_told(Changes::of(stretch, &args.detection))?);
        }
    }
    progress("");
    match found.is_empty() {
        true if !unread.is_empty() => return unread.into_result(),
        true => {}
        false => unread.or_told(reader.refuse_no_run(runs))?,
    }
    match args.answer.format() {
        Format::Json => {
            for line in changes_as_json(&found, args) {
                writeln!(desk.out, "{line}")?;
            }
        }
        Format::Table if found.is_empty() => desk.tell_nothing_recorded()?,
        Format::Table => {
            if args.runs.test.is_some() {
                for changes in &found {
                    write_course(changes, desk.ascii, desk.out)?;
                }
            }
            write_changes(&found, args, desk.out)?;
        }
    }
    unread.into_result()
}
