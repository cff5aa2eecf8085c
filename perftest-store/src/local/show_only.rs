//! Runs of a source that nobody vouches for: they are shown, and no run is compared with them.

use super::record::Record;
use super::record_file_name::RecordFileName;
use crate::format::{Fields, LineError, check_version, decode_run, has_unknown_verdict};
use crate::keep_reading::is_run;
use crate::series::SHOW_ONLY;
use perftest_core::model::Run;

/// The records that were added for display.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShownRecords {
    /// Runs that were added.
    pub added: usize,
    /// Runs that were there.
    pub known: usize,
    /// Records that are no runs: decisions, and a source without trust decides nothing. Also runs that only a newer
    /// version reads.
    pub left_out: usize,
}

/// A run for display.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownRun {
    /// The file that has the run of a source with trust.
    pub(super) own_file: RecordFileName,
    /// The file that shows it.
    pub(super) file: RecordFileName,
    pub(super) record: Record,
}

/// Returns the run of a record; `None` for what is no run, or has a verdict that only a newer version knows.
///
/// The run is written again: it is of a testbed that no machine has, so nothing that it claims reaches a
/// baseline, a listed test or a verdict. Unknown keys are left out.
pub(super) fn shown_run(text: &str) -> Result<Option<ShownRun>, LineError> {
    let fields = &Fields::parse(text.as_bytes())?;
    check_version(fields)?;
    if !is_run(fields)? || has_unknown_verdict(fields)? {
        return Ok(None);
    }
    let mut run = decode_run(fields)?;
    let own_file = RecordFileName::of_history(&run.testbed, &run.benchmark);
    run.counts_for_baseline = false;
    if !run.testbed.starts_with(SHOW_ONLY) {
        run.testbed = format!("{SHOW_ONLY}{}", run.testbed);
    }
    if !run.is_show_only() {
        run.flags.push(Run::SHOW_ONLY.to_owned());
    }
    let (file, record) = Record::of_run(&run)
        .map_err(|error| LineError::Damaged(format!("key `{}` is no finite number", error.key)))?;
    Ok(Some(ShownRun { own_file, file, record }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::encode_run;

    fn shown(run: &Run) -> (RecordFileName, Run) {
        let line = encode_run(run).unwrap();
        let ShownRun { file, record, .. } = shown_run(line.trim_end()).unwrap().unwrap();
        (file, decode_run(&Fields::parse(record.text.as_bytes()).unwrap()).unwrap())
    }

    #[test]
    fn a_run_keeps_what_was_measured_and_loses_its_claims() {
        let (name, run) = shown(&example_run(3));
        let expected = Run {
            testbed: "show-only/local/7f3a2b".into(),
            counts_for_baseline: false,
            flags: vec!["libtest".into(), Run::SHOW_ONLY.into()],
            ..example_run(3)
        };
        assert_eq!(run, expected);
        assert!(name.as_str().starts_with("runs/show-only-local-7f3a2b."), "{name}");
        assert!(!name.is_of_testbed("local/7f3a2b"));
    }

    #[test]
    fn a_run_that_is_shown_stays_as_it_is_however_often_it_is_passed_on() {
        let (name, once) = shown(&example_run(3));
        assert_eq!(shown(&once), (name, once));
    }

    #[test]
    fn what_is_no_run_is_none() {
        assert_eq!(shown_run(r#"{"kind":"accept","v":1,"id":"x"}"#), Ok(None));
        assert!(shown_run(r#"{"v":1,"kind":"run"}"#).is_err());
    }
}
