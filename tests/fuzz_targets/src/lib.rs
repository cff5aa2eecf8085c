//! What fuzzing calls: readers of input that somebody else may have written.
//!
//! Each target takes any bytes. It fails by a panic: where a reader panics, and where a law does not hold, such as
//! "what was written is read again as it was". `fuzz/` calls the targets under a fuzzer, and the tests of this
//! package with the kept inputs and changes of them.

// A target that fails has to panic.
#![allow(clippy::unwrap_used)]

mod changed_input;
mod file_list;
mod scratch;
mod targets;

pub use changed_input::ChangedInput;
pub use targets::{FuzzTarget, TARGETS};

// Nothing can be linked with a program, nor with private modules of the harness. So their readers are compiled here
// again, at the paths by which they name each other.

#[allow(dead_code)]
#[path = "../../../cargo-perftest/src/exit.rs"]
mod exit;
#[allow(dead_code, unused_imports)]
#[path = "../../../cargo-perftest/src/import/mod.rs"]
mod import;
#[allow(dead_code)]
#[path = "../../../perftest/src/misspelt.rs"]
mod misspelt;
#[allow(dead_code)]
#[path = "../../../cargo-perftest/src/project_directories.rs"]
mod project_directories;
#[allow(dead_code, unused_imports)]
#[path = "../../../cargo-perftest/src/rules/mod.rs"]
mod rules;
#[allow(dead_code)]
#[path = "../../../cargo-perftest/src/shard.rs"]
mod shard;

/// The readers of numbers on the command line.
#[allow(dead_code)]
#[path = "../../../cargo-perftest/src/args"]
mod args {
    mod import;
    mod numbers;
    mod output;
    mod values;

    pub(crate) use import::{CriterionBaselines, ImportFormat};
    use output::OutputOptions;

    /// What a value of the command line was read as.
    #[derive(Debug, PartialEq)]
    pub(crate) enum OptionValue {
        Count(usize),
        Factor(f64),
        Positive(f64),
        Probability(f64),
        Ratio(f64),
        Reason(String),
        Seconds(f64),
        Shard(u64, u64),
        Threshold(f64),
        Tolerance(f64),
    }

    /// What each reader reads of a text.
    pub(crate) fn option_values(text: &str) -> Vec<OptionValue> {
        let read = [
            values::at_least_one(text).map(OptionValue::Count),
            values::upto_two_thousand(text).map(OptionValue::Count),
            values::history_runs(text).map(OptionValue::Count),
            values::factor(text).map(OptionValue::Factor),
            values::ratio(text).map(OptionValue::Ratio),
            values::reason(text).map(OptionValue::Reason),
            values::budget(text).map(|it| OptionValue::Seconds(it.as_secs_f64())),
            values::shard(text).map(|it| OptionValue::Shard(it.number, it.count)),
            values::tolerance(text).map(|it| OptionValue::Tolerance(it.share())),
            numbers::positive(text).map(OptionValue::Positive),
            numbers::probability(text).map(OptionValue::Probability),
            numbers::threshold(text).map(OptionValue::Threshold),
        ];
        read.into_iter().flatten().collect()
    }
}

/// The readers of executables and of git's answers.
#[allow(dead_code)]
#[path = "../../../perftest/src/provenance"]
mod provenance {
    mod git_answers;
    mod mangled;
    mod symbols;

    use perftest_core::model::{Ancestor, Revision};
    use perftest_process::elf::Elf;
    use symbols::FunctionSymbols;

    /// The starts and names of an executable's functions in their order; none if it has no symbols.
    pub(crate) fn functions(elf: &mut Elf<'_>) -> Vec<(u64, String)> {
        let symbols = FunctionSymbols::of_elf(elf).unwrap_or_default();
        let _ = symbols.functions_aligned();
        symbols.functions.iter().map(|it| (it.start, symbols.name(it).to_owned())).collect()
    }

    pub(crate) fn parse_revision(status: &str, log: &str) -> Revision {
        git_answers::parse_revision(status, log)
    }

    pub(crate) fn parse_ancestors(log: &str) -> Vec<Ancestor> {
        git_answers::parse_ancestors(log)
    }
}

/// The readers of what remotes answer.
#[allow(dead_code, unused_imports)]
#[path = "../../../cargo-perftest/src/remote"]
mod remote {
    mod address;
    mod error;
    mod interface;
    mod lines_ahead;
    mod sync_state;
    mod whole_files;

    pub(crate) mod clickhouse {
        mod file_place;
        mod sql;

        use perftest_store::ReadPlace;

        /// A place as it is read and written again.
        pub(crate) fn rewritten(place: &ReadPlace) -> ReadPlace {
            file_place::FilePlace::of(place).into()
        }

        /// The values in a row that a server answers.
        pub(crate) fn row_values<const VALUES: usize>(row: &str) -> Option<[String; VALUES]> {
            sql::values(row)
        }

        /// A text between the quotes of its literal.
        pub(crate) fn quoted(text: &str) -> String {
            let literal = sql::literal(text);
            literal[1..literal.len() - 1].to_owned()
        }
    }

    pub(crate) mod git {
        mod file_list;

        use perftest_store::{Project, RecordFile};

        /// The files in an answer of git, each with its object; `None` if the branch has other files.
        pub(crate) fn files_in_tree(
            listed: &str,
            project: &Project,
        ) -> Option<Vec<(RecordFile, String)>> {
            let list = file_list::FileList::of_tree(listed, project, "perf").ok()?;
            let blob = |file: RecordFile| {
                let blob = list.file(&file.name).map_or(String::new(), |it| it.blob.clone());
                (file, blob)
            };
            Some(list.files().into_iter().map(blob).collect())
        }
    }

    pub(crate) use address::RemoteAddress;
    pub(crate) use error::RemoteError;
    pub(crate) use interface::{Batch, EachFile, ReadRequest, Remote};
    use lines_ahead::LinesAhead;
    use perftest_store::LineSource;
    pub(crate) use sync_state::SyncState;

    /// The lines of a remote, for commands that answer from it.
    pub(crate) fn lines_of(remote: Box<dyn Remote>) -> impl LineSource {
        LinesAhead::of(remote)
    }
}

/// The readers of texts with numbers.
#[allow(dead_code)]
#[path = "../../../cargo-perftest/src/stats"]
mod stats {
    mod cells;
    mod csv;
    mod date;
    mod numbers;
    mod printout;
    mod table_columns;
    mod times;

    pub(crate) use csv::{UnclosedQuote, rows as csv_rows};
    pub(crate) use printout::{PrintedBy, PrintedValue, Printout, printout};
    pub(crate) use times::time_ms;

    /// The numbers of a text, in a column of it if one is named.
    pub(crate) fn numbers_of(text: &str, column: Option<&str>) -> Result<Vec<f64>, String> {
        numbers::numbers(text, column).map(|it| it.values)
    }

    /// The numbers of rows that have one, of two columns of which the second has their times.
    pub(crate) fn timed_numbers(text: &str, columns: [&str; 2]) -> Result<Vec<f64>, String> {
        let [values, times] = cells::paired_cells(text, columns)?;
        times::times_ms(&times)?;
        values.iter().filter_map(|cell| numbers::number_in(cell).transpose()).collect()
    }
}

/// The readers of settings.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[path = "../../../perftest/src/settings"]
mod settings {
    mod choices;
    mod effective;
    mod file;
    mod key;
    mod layer;
    mod written;

    pub(crate) use effective::Settings;
    pub(crate) use key::of_variables;
    use std::path::Path;
    use std::time::Duration;

    /// Parses a time.
    pub(crate) fn duration(text: &str) -> Option<Duration> {
        written::duration(text)
    }

    /// Formats a share in percent.
    pub(crate) fn percent(share: f64) -> String {
        written::percent(share)
    }

    /// Reads the file in this directory.
    pub(crate) fn read_file(directory: &Path) -> Result<Option<file::SettingsFile>, String> {
        file::SettingsFile::nearest(directory, directory)
    }
}
