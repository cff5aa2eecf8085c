//! `cargo perftest stats`: numbers of any origin, described and compared.

use crate::args::OutputFormat;
use crate::args::numbers::DisplayOptions;
use crate::args::stats::{Question, Stats as Args};
use crate::exit::Result;
use crate::report::write_json_line;
use crate::stats::question::{self, StatsOutput};
use crate::stats::{CompareInput, compared, one, timed};
use std::io::Write;

pub(crate) fn run(args: &Args, ascii: bool, out: &mut dyn Write) -> Result<()> {
    let (answer, shown) = match &args.question {
        Question::Summary(args) => {
            (question::summary(&one(&args.numbers)?, args, ascii), &args.shown)
        }
        Question::Compare(args) => {
            let answer = match compared(&args.numbers)? {
                CompareInput::Numbers(inputs) => question::compare(&inputs, args, ascii)?,
                CompareInput::Printouts(files) => question::compare_printed(&files, args)?,
            };
            (answer, &args.shown)
        }
        Question::Changepoints(args) => {
            let timed = timed(&args.numbers, args.seasonal.times.as_deref())?;
            (question::changepoints(timed, args, ascii)?, &args.shown)
        }
        Question::Threshold(args) => {
            (question::threshold(&one(&args.numbers)?, args, ascii)?, &args.shown)
        }
    };
    write(&answer, shown, out)
}

fn write(answer: &StatsOutput, shown: &DisplayOptions, out: &mut dyn Write) -> Result<()> {
    match shown.answer.format() {
        OutputFormat::Json => write_json_line(out, &answer.json)?,
        OutputFormat::Table => out.write_all(answer.text.as_bytes())?,
    }
    Ok(())
}
