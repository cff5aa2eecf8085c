//! The command line of `cargo perftest bisect`.

use super::{BuildOptions, CompileOptions, OutputOptions, PairOptions};
use perftest_core::words::quoted;

/// Find the commit that made a test slower.
///
/// Builds the good commit once and compares other commits with it, side by side in pairs of fresh
/// processes: first the bad one, then the middle of the remaining range. Skips commits that cannot be
/// built, lack the test or are not decided. Compares the result with the commit before it. Does not
/// touch the working tree or its index.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest bisect frame::encode                     the newest lasting slowdown in its history
  cargo perftest bisect frame::encode v1.2.0              up to HEAD
  cargo perftest bisect frame::encode HEAD~50 HEAD~3
  cargo perftest bisect encode main~20 main --tolerance 3% --test-budget 2m
  cargo perftest bisect encode v1.2.0 --json | jq -r 'select(.event == \"bisect\") | .commit'
  cargo perftest compare --clean                          remove the builds

The search follows first parents: a merge counts as one commit.

Exit codes:
  0  the commit is found
  1  the bad commit is not slower than the good one
  2  the good or the bad commit cannot be built or measured
  3  not decided: the result is a range or uncertain
  5  without a good commit: the history cannot be read")]
pub(crate) struct BisectArgs {
    /// Name of the test: the whole name, its end after `::`, or a part that only one test has.
    pub(crate) test: String,

    /// Fast revision: a branch, a tag or a commit [default: before the newest lasting slowdown in the
    /// history of the test].
    pub(crate) good: Option<String>,

    /// Later, slow revision [default: HEAD, or the end of that slowdown].
    pub(crate) bad: Option<String>,

    #[command(flatten)]
    pub(crate) pairs: PairOptions,

    #[command(flatten)]
    pub(crate) build: BuildOptions,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

impl BisectArgs {
    /// Returns the options that decide what is built and what is slower, each after a space, as one would type them.
    pub(crate) fn as_typed(&self) -> String {
        let mut words: Vec<String> =
            self.build.selection().into_iter().map(|word| quoted(word).into_owned()).collect();
        if self.build.compile.profile != CompileOptions::PROFILE {
            words.push(format!("--profile {}", quoted(&self.build.compile.profile)));
        }
        if self.build.no_align {
            words.push("--no-align".into());
        }
        words.extend(self.pairs.as_typed());
        words.into_iter().map(|word| format!(" {word}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        args: BisectArgs,
    }

    fn as_typed(words: &str) -> String {
        let line = ["bisect", "encode"].into_iter().chain(words.split_whitespace());
        CommandLine::parse_from(line).args.as_typed()
    }

    #[test]
    fn only_what_was_given_is_typed_again() {
        assert_eq!(as_typed(""), "");
        let all = "--package codec --features fast --profile bench --no-align --tolerance 3% \
                   --test-budget 120s --pairs 60 --timeout 0.5s";
        assert_eq!(as_typed(all), format!(" {all}"));
    }
}
