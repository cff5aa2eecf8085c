//! The command line of `cargo perftest stats`.

use clap::Subcommand;

/// Describe and compare numbers of any origin: the results of other benchmarks too.
#[derive(Debug, clap::Args)]
pub(crate) struct Stats {
    #[command(subcommand)]
    pub(crate) question: Question,
}

/// What is asked.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// Answer many cases: a JSON object a line in, a JSON object a line out, in order.
    #[command(after_help = "\
Each line has the keys op (an operation), name, input and params:
  {\"op\": \"pragmastat_ratio\", \"name\": \"a\", \"input\": {\"x\": [2, 4], \"y\": [1, 2]}, \"params\": {}}
and is answered, under its name, with its result or with what is wrong with it:
  {\"name\": \"a\", \"result\": {\"output\": 2.0}}
  {\"name\": null, \"error\": \"no JSON object: ..\"}

Examples:
  cargo perftest stats batch < cases.jsonl > answers.jsonl")]
    Batch,
}
