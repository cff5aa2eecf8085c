//! Parsing real JSON: which media types are worth compressing?

use crate::data::MEDIA_TYPES;
use crate::slowdown::stretch;
use serde_json::{Map, Value};

/// How many entries [`input`] puts into one document.
pub const ENTRIES_PER_DOCUMENT: usize = 25;

/// The catalogue of media types as a server would hand it out, in documents of
/// [`ENTRIES_PER_DOCUMENT`] entries; `factor` times as many entries. Documents differ too much in
/// length for a few of them to be a share of the work.
#[must_use]
pub fn input(factor: f64) -> Vec<String> {
    stretch(&entries(MEDIA_TYPES), factor)
        .chunks(ENTRIES_PER_DOCUMENT)
        .map(|entries| format!("{OPENING}{}{CLOSING}", entries.join(SEPARATOR)))
        .collect()
}

const OPENING: &str = "{\n  \"";
/// What stands between two entries. The fields inside an entry are indented further.
const SEPARATOR: &str = ",\n  \"";
const CLOSING: &str = "\n}\n";

/// The text of each entry, without the quotation mark in front of its name.
fn entries(catalogue: &str) -> Vec<&str> {
    catalogue.trim_start_matches(OPENING).trim_end_matches(CLOSING).split(SEPARATOR).collect()
}

/// The names of all media types in `documents` that are marked as compressible.
///
/// # Errors
/// When a document is not a JSON object.
pub fn compressible<D: AsRef<str>>(documents: &[D]) -> serde_json::Result<Vec<String>> {
    let mut names = Vec::new();
    for document in documents {
        let catalogue: Map<String, Value> = serde_json::from_str(document.as_ref())?;
        let compressible = catalogue.into_iter().filter(|(_, entry)| is_compressible(entry));
        names.extend(compressible.map(|(name, _)| name));
    }
    Ok(names)
}

fn is_compressible(entry: &Value) -> bool {
    entry["compressible"] == Value::Bool(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_read_to_its_end() {
        let names = compressible(&[MEDIA_TYPES]).unwrap();
        assert_eq!(names.len(), 687);
        assert!(names.iter().any(|name| name == "text/html"));
        assert!(!names.iter().any(|name| name == "image/jpeg"));
    }

    #[test]
    fn a_torn_document_is_an_error() {
        let torn = &MEDIA_TYPES[..MEDIA_TYPES.len() / 2];
        assert!(compressible(&[torn]).unwrap_err().is_eof());
    }

    #[test]
    fn cutting_the_catalogue_into_documents_loses_nothing() {
        assert_eq!(compressible(&input(1.0)).unwrap(), compressible(&[MEDIA_TYPES]).unwrap());
        let count =
            |document: &String| serde_json::from_str::<Map<String, Value>>(document).unwrap().len();
        assert_eq!(input(1.0).iter().map(count).sum::<usize>(), 2_522);
    }

    #[test]
    fn a_slowdown_adds_entries() {
        let bytes = |factor| input(factor).iter().map(String::len).sum::<usize>() as f64;
        let added = bytes(1.05) / bytes(1.0);
        assert!((added - 1.05).abs() < 0.005, "{added}");
        assert_eq!(compressible(&input(2.0)).unwrap().len(), 2 * 687);
    }
}
