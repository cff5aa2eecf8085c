//! `cargo perftest stats`: numbers of any origin, described and compared.

use crate::args::OutputFormat;
use crate::args::numbers::DisplayOptions;
use crate::args::stats::{Question, Stats as Args};
use crate::exit::CommandError;
use crate::stats::question::{self, StatsOutput};
use crate::stats::{answer_cases, one, one_or_two, printed, several, timed, two, weighted};
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, ascii: bool, out: &mut dyn Write) -> Result<(), CommandError> {
    let (output, shown) = match &args.question {
        Question::Batch(args) => {
            let mut out = BufWriter::new(out);
            return Ok(answer_cases(io::stdin().lock(), &args.series, &mut out)?);
        }
        Question::Summary(args) => {
            (question::summary(&one(&args.numbers)?, args, ascii), &args.shown)
        }
        Question::Modes(args) => (question::modes(&one(&args.numbers)?, args, ascii), &args.shown),
        Question::Outliers(args) => (question::outliers(&one(&args.numbers)?, args), &args.shown),
        Question::Quantiles(args) => (
            question::quantiles(&weighted(&args.numbers, args.weights.as_deref())?, args)?,
            &args.shown,
        ),
        Question::Shift(args) => (question::shift(&two(&args.numbers)?, args, ascii), &args.shown),
        Question::Ratio(args) => (question::ratio(&two(&args.numbers)?, args, ascii)?, &args.shown),
        Question::Effect(args) => (question::effect(&two(&args.numbers)?, args), &args.shown),
        Question::Bounds(args) => (question::bounds(&one_or_two(args)?, args)?, &args.shown),
        Question::Compare(args) => {
            (question::compare(&several(&args.numbers)?, args, ascii)?, &args.shown)
        }
        Question::Changepoints(args) => {
            let timed = timed(&args.numbers, args.seasonal.times.as_deref())?;
            (question::changepoints(timed, args, ascii)?, &args.shown)
        }
        Question::Step(args) => (question::step(&one(&args.numbers)?, args, ascii)?, &args.shown),
        Question::Threshold(args) => {
            (question::threshold(&one(&args.numbers)?, args, ascii)?, &args.shown)
        }
        Question::Bench(args) => (question::bench(&printed(args)?, args, ascii), &args.shown),
    };
    write(&output, shown, out)
}

fn write(
    output: &StatsOutput,
    shown: &DisplayOptions,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    match shown.answer.format() {
        OutputFormat::Json => writeln!(out, "{}", output.json)?,
        OutputFormat::Table => out.write_all(output.text.as_bytes())?,
    }
    Ok(())
}
