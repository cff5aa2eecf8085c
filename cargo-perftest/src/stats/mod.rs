//! The statistics layer as a tool for any numbers: what `cargo perftest stats` answers.

mod batch;
mod bench_table;
mod case;
mod case_values;
mod cells;
mod csv;
mod detector;
mod input;
mod mode_pairs;
mod numbers;
mod op;
mod printout;
pub(crate) mod question;
mod sample_description;
mod series_ref;
mod step_work;
mod ticks;
mod times;
mod unit;

pub(crate) use batch::answer_cases;
pub(crate) use case::json_number;
pub(crate) use input::{one, one_or_two, printed, several, timed, two, weighted};
pub(crate) use sample_description::{FEW, SampleDescription};
pub(crate) use unit::{Unit, counted, percent};
