//! `cargo perftest stats`: numbers of any origin, described and compared.

use crate::args::stats::{Question, Stats as Args};
use crate::exit::Failure;
use crate::stats::answer_cases;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, _ascii: bool, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.question {
        Question::Batch => Ok(answer_cases(io::stdin().lock(), &mut BufWriter::new(out))?),
    }
}
