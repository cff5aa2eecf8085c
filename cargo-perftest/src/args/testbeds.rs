//! The command line of `cargo perftest testbeds`.

use super::OutputOptions;
use clap::Subcommand;

/// The example and the exit codes of a command that decides.
macro_rules! help_of_decision {
    ($example:literal) => {
        concat!(
            "Examples:\n  cargo perftest testbeds ",
            $example,
            "\n\nExit codes:\n  0  decided\n  2  there is no such testbed, or nothing to decide\n  \
             5  the history cannot be read or written"
        )
    };
}

/// List the testbeds of this project, and decide which of them share a history.
///
/// A testbed is a label and a fingerprint of the hardware. Runs of two testbeds are never compared: not even
/// those of two processors behind one label. A decision changes how the history is read, and no record. `push`
/// and `pull` take decisions to other machines.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  cargo perftest testbeds
  cargo perftest testbeds rename ci/7f3a2b90c4d15e68 ubuntu-24.04/7f3a2b90c4d15e68
  cargo perftest testbeds merge ci/7f3a2b90c4d15e68 ci/03c61d8f22ab9174
  cargo perftest testbeds retire local/7f3a2b90c4d15e68
  cargo perftest testbeds restore local/7f3a2b90c4d15e68
  cargo perftest testbeds --json | jq -r 'select(.is_this_machine) | .testbed'

Exit codes:
  0  listed, or decided
  2  there is no such testbed, or nothing to decide
  5  the history cannot be read or written")]
pub(crate) struct TestbedsArgs {
    #[command(subcommand)]
    pub(crate) change: Option<TestbedsChange>,

    #[command(flatten)]
    pub(crate) answer: OutputOptions,
}

/// A decision.
#[derive(Debug, Subcommand)]
pub(crate) enum TestbedsChange {
    /// Read the history of a testbed under another name.
    ///
    /// For a label that changed: the history continues under the new name. Machines that still use the old
    /// label stay in the same history.
    #[command(after_help = help_of_decision!("rename ci/7f3a2b90c4d15e68 ubuntu-24.04/7f3a2b90c4d15e68"))]
    Rename {
        /// The testbed, as `label/fingerprint`.
        old: String,
        /// Its new name, with a label and a `/`.
        new: String,
    },
    /// Let two testbeds share one history from now on.
    ///
    /// For machines that are equally fast although their fingerprints differ. Runs of either are compared
    /// with those of both. Warns where the processors differ: then numbers may differ without any change of
    /// the code.
    #[command(after_help = help_of_decision!("merge ci/7f3a2b90c4d15e68 ci/03c61d8f22ab9174"))]
    Merge {
        /// The testbed that gives the history its name.
        testbed: String,
        /// The testbed whose history joins it.
        other: String,
    },
    /// Leave out what a testbed has recorded until now.
    ///
    /// Its runs enter no baseline and no report. Nothing is deleted. If the machine runs tests again, a new
    /// history begins.
    #[command(after_help = help_of_decision!("retire local/7f3a2b90c4d15e68"))]
    Retire {
        /// The testbed, as `label/fingerprint`.
        testbed: String,
    },
    /// Take back the newest decision about a testbed: its retirement, its other name, or the history that it shares.
    ///
    /// Earlier decisions stay. The answer has the next one, if there is one, and the same command takes it back.
    #[command(after_help = help_of_decision!("restore local/7f3a2b90c4d15e68"))]
    Restore {
        /// The testbed, as `label/fingerprint`.
        testbed: String,
    },
}
