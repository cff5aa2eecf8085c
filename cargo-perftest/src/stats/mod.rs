//! The statistics for any numbers: the commands of `cargo perftest stats`.

mod cells;
mod csv;
mod date;
mod detector;
mod input;
mod mode_pairs;
mod mode_shares;
mod numbers;
mod printout;
pub(crate) mod question;
mod sample_description;
mod table_columns;
mod ticks;
mod times;

pub(crate) use csv::{UnclosedQuote, rows as csv_rows};
pub(crate) use input::{CompareInput, compared, one, timed};
pub(crate) use printout::{PrintedBy, PrintedValue, Printout, printout};
pub(crate) use sample_description::{FEW, SampleDescription};
pub(crate) use ticks::{coarse_tick, note_on_ticks};
pub(crate) use times::time_ms;
