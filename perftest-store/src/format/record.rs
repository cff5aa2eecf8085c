//! A record of any kind, before it is copied to another store.

use super::{
    EventLine, Fields, LineError, SUMMARY, check_sum, check_version, decode_judgements,
    decode_model, decode_run, decode_summary,
};
use perftest_core::model::Reason;

/// Refuses a line that no reader could use. Returns its id, if its kind has one.
///
/// A kind and a verdict that this version does not know are accepted: a newer version may read them.
pub(crate) fn check_record(line: &[u8]) -> Result<Option<String>, LineError> {
    refuse_nul(line)?;
    check_sum(line)?;
    let fields = Fields::parse(line)?;
    check_version(&fields)?;
    match fields.need::<String>("kind")?.as_str() {
        "run" if has_unknown_verdict(&fields)? => {}
        "run" => drop(decode_run(&fields)?),
        "judgement" | "quiet" | "correction" => drop(decode_judgements(&fields)?),
        SUMMARY => drop(decode_summary(&fields)?),
        "model" => drop(decode_model(&fields)?),
        _ => drop(EventLine::decode(&fields)?),
    }
    fields.get("id")
}

/// Returns whether a run has a verdict that only a newer version knows.
pub(crate) fn has_unknown_verdict(fields: &Fields<'_>) -> Result<bool, LineError> {
    Ok(fields.text("verdict")?.is_some_and(|name| Reason::from_name(&name).is_none()))
}

/// Refuses a text with a character that no database keeps. JSON has none, but a reader passes over values of other
/// versions.
pub(crate) fn refuse_nul(text: &[u8]) -> Result<(), LineError> {
    match text.contains(&0) {
        true => Err(LineError::Damaged("it has a NUL character".to_owned())),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::{encode_run, resealed};

    fn checked(line: &str) -> Result<Option<String>, LineError> {
        check_record(line.trim_end().as_bytes())
    }

    #[test]
    fn what_a_reader_can_use_may_be_copied() {
        let line = encode_run(&example_run(3)).unwrap();
        let id = example_run(3).id.as_str().to_owned();
        assert_eq!(checked(&line), Ok(Some(id.clone())));
        let newer = resealed(&line.replacen("{\"v\":1,", "{\"v\":1,\"new\":[1],", 1));
        assert_eq!(checked(&newer), Ok(Some(id)));
        assert_eq!(checked("{\"kind\":\"novelty\",\"v\":1}"), Ok(None));
    }

    #[test]
    fn a_verdict_of_a_newer_version_may_be_copied_if_its_line_is_whole() {
        let line = encode_run(&example_run(3)).unwrap();
        let id = example_run(3).id.as_str().to_owned();
        let newer = line.replacen("\"verdict\":\"green\"", "\"verdict\":\"novel\"", 1);
        assert_ne!(newer, line);
        assert_eq!(checked(&resealed(&newer)), Ok(Some(id)));
        assert!(matches!(checked(&newer), Err(LineError::Damaged(_))));
        let fields = resealed(&newer);
        let read = decode_run(&Fields::parse(fields.trim_end().as_bytes()).unwrap());
        assert!(matches!(read, Err(LineError::Damaged(_))), "no reader of this version uses it");
    }

    #[test]
    fn what_no_reader_can_use_is_refused() {
        let line = encode_run(&example_run(3)).unwrap();
        let without_start = resealed(&line.replacen("\"started_ms\":", "\"began\":", 1));
        let no_number = resealed(&line.replacen("\"samples\":[", "\"samples\":[NaN,", 1));
        let nul = "{\"kind\":\"novelty\",\"v\":1,\"x\":[\0]}";
        for damaged in [&line[1..], &without_start, &no_number, "{\"v\":1}", "garbage", nul] {
            assert!(matches!(checked(damaged), Err(LineError::Damaged(_))), "{damaged}");
        }
        assert_eq!(checked("{\"v\":2}"), Err(LineError::OtherVersion(2)));
    }
}
