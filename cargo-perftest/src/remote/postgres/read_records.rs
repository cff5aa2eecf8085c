//! Reads the new records of many files together: each statement takes the time of a network.

use super::session::{PostgresSession, unsigned, value};
use super::{DIGEST_DIGITS, FILE_ID, signed};
use crate::remote::RemoteError;
use crate::remote::database::{MOST_RECORDS, add_line};
use crate::remote::interface::{EachFile, ReadRequest};
use perftest_store::{NewRecords, ReadPlace};

/// The records of the files `$2` of the project `$1` behind the numbers `$3`, whose records have the digests `$4`: from
/// their start where these have others. Of each file `$5` at most.
fn statement() -> String {
    format!(
        "SELECT wanted.place, record.number, encode(record.digest, 'hex'), record.line \
         FROM unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY \
         AS wanted (file, number, digest, place) CROSS JOIN LATERAL ( \
             SELECT coalesce(max(number), 0) AS number FROM perftest_record \
             WHERE file_id = {FILE_ID} AND number = wanted.number AND digest = decode(wanted.digest, 'hex') \
         ) AS known CROSS JOIN LATERAL ( \
             SELECT number, digest, line FROM perftest_record \
             WHERE file_id = {FILE_ID} AND number > known.number ORDER BY number LIMIT $5 \
         ) AS record \
         ORDER BY wanted.place, record.number"
    )
}

/// Reads what is behind the places of these files, or as much of it as fits into memory.
pub(super) fn read(
    session: &mut PostgresSession,
    project: &str,
    wanted: &[ReadRequest],
) -> EachFile<NewRecords> {
    let names: Vec<&str> = wanted.iter().map(|it| it.name.as_str()).collect();
    let ends: Vec<i64> = wanted.iter().map(|it| signed(it.place.end)).collect();
    let digests: Vec<&str> = wanted.iter().map(|it| digest_in(&it.place.mark)).collect();
    let most = signed((MOST_RECORDS / wanted.len().max(1)).max(1) as u64);
    let start =
        |it: &ReadRequest| Ok(NewRecords { place: it.place.clone(), ..NewRecords::default() });
    let mut results: Vec<Result<NewRecords, RemoteError>> = wanted.iter().map(start).collect();
    for row in session.rows(&statement(), &[&project, &names, &ends, &digests, &most])? {
        let place = usize::try_from(unsigned(&row, 0)?).unwrap_or(0).wrapping_sub(1);
        let (Some(Ok(new)), Some(wanted)) = (results.get_mut(place), wanted.get(place)) else {
            continue;
        };
        let (end, mark, line) = (unsigned(&row, 1)?, value(&row, 2)?, value(&row, 3)?);
        if let Err(error) = add_line(new, &wanted.name, ReadPlace { end, mark }, line) {
            results[place] = Err(error);
        }
    }
    Ok(results)
}

/// The digest in a mark; one of another kind of remote has none.
fn digest_in(mark: &str) -> &str {
    let is_digest = mark.len() == DIGEST_DIGITS && mark.bytes().all(|it| it.is_ascii_hexdigit());
    if is_digest { mark } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_another_kind_of_remote_is_no_digest() {
        let digest = "0123456789abcdef0123456789abcdef";
        assert_eq!(digest_in(digest), digest);
        for other in ["", "00112233445566ff", "12c-2-1", "größe", &"x".repeat(64)] {
            assert_eq!(digest_in(other), "", "{other}");
        }
    }
}
