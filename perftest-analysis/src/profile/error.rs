//! Why a file is no profile.

use super::ProfileFormat;
use std::fmt;

/// Why no profile could be made of a file. The texts fit after the name of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is not one line in it.
    Empty,
    /// No line looks like one of a format that is read.
    UnknownFormat,
    /// There are lines, but not one stack.
    NoStacks(ProfileFormat),
    /// More lines are unreadable than readable.
    Unreadable {
        /// The format that was read.
        format: ProfileFormat,
        /// The first unreadable line, from 1.
        line: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The weights add up to more than JSON programs can count exactly.
    TooHeavy {
        /// The line at which the sum is too large, from 1.
        line: u64,
    },
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file is empty: record a profile first"),
            Self::UnknownFormat => f.write_str(
                "the format is unknown: give folded stacks (`main;parse 12`), the output of `perf script`, \
                 or that of gdb's `thread apply all bt`; --from names the format",
            ),
            Self::NoStacks(ProfileFormat::PerfScript) => f.write_str(
                "there are no stacks: record with `perf record -g` or `perf record --call-graph dwarf`",
            ),
            Self::NoStacks(ProfileFormat::Gdb) => {
                f.write_str("there are no stacks: let gdb print them with `thread apply all bt`")
            }
            Self::NoStacks(ProfileFormat::Folded) => {
                f.write_str("there are no stacks: each line is `main;parse;read 12`")
            }
            Self::Unreadable { format, line, why } => {
                write!(f, "line {line} {why}: is this {}? --from names another format", format.name())
            }
            Self::TooHeavy { line } => write!(
                f,
                "line {line}: the weights add up to more than 2^53, beyond which they cannot be counted \
                 exactly: divide all weights of both files by the same number"
            ),
        }
    }
}

impl std::error::Error for ProfileError {}
