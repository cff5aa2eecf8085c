//! The form of numbers, times and rows.

mod environment;
mod fields;
mod findings;
mod folded_tables;
mod function_plot;
mod histogram;
mod line;
mod mark;
mod markdown_table;
mod moment;
mod ratio;
mod run;
mod run_markdown;
mod run_summary;
mod some_names;
mod sparkline;
mod suspects;
mod table;
mod unit;
mod value_plot;
mod verdict;
mod width;

pub(crate) use environment::{conditions_as_json, environment_as_json};
pub(crate) use fields::{extend, interval_as_json, object_of, series_event};
pub(crate) use findings::write_findings;
pub(crate) use folded_tables::folded_tables;
pub(crate) use function_plot::FunctionPlot;
pub(crate) use histogram::Histogram;
pub(crate) use line::{
    can_redraw, json_line, print_damage, print_progress, progress, report_damage, report_errors,
    write_json_line, write_json_lines, write_line,
};
pub(crate) use mark::Mark;
pub(crate) use markdown_table::{MarkdownTable, code, prose, whole_lines};
pub(crate) use moment::{deadline, end_of, local_minute};
pub(crate) use ratio::{rate, ratio, ratio_range};
pub(crate) use run::{run_as_json, run_report};
pub(crate) use run_markdown::run_markdown;
pub(crate) use run_summary::{SummarisedTest, write_run_summary};
pub(crate) use some_names::{each_once, some_names};
pub(crate) use sparkline::sparkline;
pub(crate) use suspects::{suspect_range, suspects_in_words};
pub(crate) use table::{Columns, LISTED, Table};
pub(crate) use unit::{Unit, counted, fresh_processes, histories, json_number, percent};
pub(crate) use value_plot::ValuePlot;
pub(crate) use verdict::{ShownVerdict, decided_value, short_commit, verdict_in_words};
pub(crate) use width::{find_out_width, width, wrapped};
