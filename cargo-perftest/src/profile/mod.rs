//! Profiles of any origin: read from files, shown as tables, converted, drawn as pages.

mod difference_table;
mod file;
mod firefox;
mod function_table;
mod line_reader;
mod page;
mod page_data;
mod speedscope;
mod svg;
mod union_file;

pub(crate) use difference_table::{write_difference, write_difference_as_json};
pub(crate) use file::{ProfileFile, read};
pub(crate) use firefox::write_firefox;
pub(crate) use function_table::{write_functions, write_functions_as_json};
pub(crate) use page::write_page;
pub(crate) use speedscope::write_speedscope;
pub(crate) use svg::write_svg;
pub(crate) use union_file::UnionFile;

use line_reader::LineReader;
use page_data::write_page_data;
