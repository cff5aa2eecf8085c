//! The checksum at the end of a stored line.
//!
//! A changed byte may leave a line readable with another content, such as another test's name. The
//! run would then be missing without a warning.

use super::LineError;
use super::version::has_our_version;
use crate::Digest;

const KEY: &str = ",\"sum\":\"";
const END: &str = "\"}";
const DIGITS: usize = 16;

/// Ends an object that lacks its brace: adds the checksum of all bytes before, and the brace.
pub(super) fn seal(object: &mut String) {
    let sum = Digest::of_large_block(object.as_bytes()).hex16();
    object.extend([KEY, &sum, END]);
}

/// Refuses a line, without its line feed, whose bytes have changed since they were written. A line
/// with another beginning comes from another tool, which may omit the checksum. A line of another
/// version follows its own rules.
pub fn check_sum(line: &[u8]) -> Result<(), LineError> {
    let damaged = |why: &str| Err(LineError::Damaged(why.to_owned()));
    match split(line) {
        Some((object, sum)) if Digest::of_large_block(object).is_written(sum) => Ok(()),
        Some(_) => damaged("its checksum is wrong: some of it has changed since it was written"),
        None if has_our_version(line) => {
            damaged("its checksum is missing: it was cut short or changed since it was written")
        }
        None => Ok(()),
    }
}

/// Splits a line into the bytes under the checksum, and the checksum.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_suffix(END.as_bytes())?;
    let (rest, sum) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    Some((rest.strip_suffix(KEY.as_bytes())?, sum))
}

/// Returns a line that was changed on purpose, with the checksum of its new text.
#[cfg(any(test, feature = "conformance"))]
pub fn resealed(line: &str) -> String {
    let line = line.trim_end();
    let object = split(line.as_bytes()).map_or(line.len() - 1, |(object, _)| object.len());
    let mut sealed = line[..object].to_owned();
    seal(&mut sealed);
    sealed + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::example_run;
    use crate::format::encode_run;

    #[test]
    fn a_line_is_whole_with_its_own_checksum_and_no_other() {
        let line = encode_run(&example_run(0)).unwrap();
        let line = line.trim_end();
        assert_eq!(check_sum(line.as_bytes()), Ok(()));
        let mut bytes = line.as_bytes().to_vec();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(check_sum(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        // Shorter text is no object.
        for end in "{\"v\":1,".len()..bytes.len() {
            assert!(check_sum(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn lines_of_other_tools_need_none_and_those_of_another_version_are_their_own_matter() {
        for line in ["{\"kind\":\"run\",\"v\":1}", "{\"v\":2}", "{\"k\":1}", "{}", "", "x"] {
            assert_eq!(check_sum(line.as_bytes()), Ok(()), "{line}");
        }
        for line in ["{\"v\":1}", "{\"v\":1,\"kind\":\"run\"}"] {
            assert!(check_sum(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_changed_line_gets_the_checksum_of_its_text() {
        let line = encode_run(&example_run(0)).unwrap();
        assert_eq!(resealed(&line), line);
        let changed = resealed(&line.replace("\"metric\":", "\"metrics\":"));
        assert_eq!(check_sum(changed.trim_end().as_bytes()), Ok(()));
        assert_ne!(changed, line);
    }
}
