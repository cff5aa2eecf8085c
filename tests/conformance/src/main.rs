//! Answers cases of reference vectors: `perftest-conformance batch < cases.jsonl`.
#![forbid(unsafe_code)]

use perftest_conformance::batch::answer_cases;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: perftest-conformance batch [--series DIR] < cases.jsonl

Answers many cases: a JSON object a line in, a JSON object a line out, in order.
Each line has the keys op (an operation), name, input and params:
  {\"op\": \"pragmastat_ratio\", \"name\": \"a\", \"input\": {\"x\": [2, 4], \"y\": [1, 2]}, \"params\": {}}
Each answer has the name, and a result or an error:
  {\"name\": \"a\", \"result\": {\"output\": 2.0}}
  {\"name\": null, \"error\": \"no JSON object: ..\"}

--series DIR   where the series are that cases name by series_ref [default: tests/series]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let series = match arguments[..] {
        ["batch"] => "tests/series",
        ["batch", "--series", directory] => directory,
        _ => {
            // Without a standard error it cannot be printed.
            let _ = writeln!(io::stderr(), "{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let answered = answer_cases(io::stdin().lock(), Path::new(series), &mut out);
    match answered.and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "perftest-conformance: {error}");
            ExitCode::FAILURE
        }
    }
}
