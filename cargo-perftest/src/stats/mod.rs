//! The statistics layer as a tool for any numbers: what `cargo perftest stats` answers.

mod batch;
mod case;
mod op;
mod series_ref;

pub(crate) use batch::answer_cases;
