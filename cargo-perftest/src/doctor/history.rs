//! Where this project's history is kept.

use super::{Finding, Severity};

/// The place of the history, without the name of a directory of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HistoryPlace {
    /// Nowhere; the reason and the way out.
    Nowhere(String),
    /// It is there and cannot be read.
    Unreadable,
    /// With this many series of this project.
    Kept {
        /// Which directory, in words.
        place: String,
        /// Histories of one test on one testbed.
        series: usize,
    },
}

/// Whether there is a history to judge by.
pub(super) fn history(place: &HistoryPlace) -> Finding {
    match place {
        HistoryPlace::Nowhere(why) => {
            let effect = "nothing is judged and nothing recorded";
            let finding = Finding::new(Severity::Warning, "history", "no history is kept", effect);
            finding.advise(why)
        }
        HistoryPlace::Unreadable => {
            let fact = "the history cannot be read";
            let finding = Finding::new(Severity::Warning, "history", fact, "every test fails");
            finding.advise("cargo perftest history names the file and the way out")
        }
        HistoryPlace::Kept { place, series: 0 } => {
            let fact = format!("no history of this project yet in {place}");
            let effect = "the first run records, the second has a verdict; of a body of more than 20 ms the sixth";
            let finding = Finding::new(Severity::Note, "history", fact, effect);
            finding.advise("cargo test --release")
        }
        HistoryPlace::Kept { place, series } => {
            let fact = format!("{series} series in {place}");
            Finding::new(Severity::Good, "history", fact, "tests are judged against them")
        }
    }
}
