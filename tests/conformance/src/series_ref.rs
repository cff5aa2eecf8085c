//! A series that a case names instead of holding it: `series_ref` is a file of a directory.
//!
//! `NAME.json` there is an object with `values`, and with `times` where they are known. What a case
//! has itself stays: a `series` beside the name is not replaced.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// The input with `series` and `times` of the file that its `series_ref` names in this directory;
/// unchanged where it names none.
///
/// # Errors
///
/// There is no such file, or it holds no series.
pub(crate) fn resolved(mut input: Value, directory: &Path) -> Result<Value, String> {
    let Some(parts) = input.as_object_mut().filter(|parts| !parts.contains_key("series")) else {
        return Ok(input);
    };
    let Some(name) = parts.get("series_ref") else {
        return Ok(input);
    };
    let is_plain = |name: &&str| {
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    let name = name.as_str().filter(is_plain).ok_or(
        "the input series_ref has to be the name of a series: letters, digits, - and _".to_owned(),
    )?;
    let path = directory.join(name).with_extension("json");
    let refusal = |error: &dyn std::fmt::Display| {
        format!(
            "the series {name} is not {}: {error}; name its directory with --series, or give its \
             values as series",
            path.display()
        )
    };
    let file = fs::read(&path).map_err(|error| refusal(&error))?;
    let mut file: Value = serde_json::from_slice(&file).map_err(|error| refusal(&error))?;
    if !file["values"].is_array() {
        return Err(refusal(&"the file has no array of values"));
    }
    parts.insert("series".into(), file["values"].take());
    if file["times"].is_array() {
        parts.insert("times".into(), file["times"].take());
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("one.json"), r#"{"values": [1, 2], "times": [5, 6]}"#)
            .unwrap();
        fs::write(directory.path().join("torn.json"), "{").unwrap();
        fs::write(directory.path().join("none.json"), "{}").unwrap();
        directory
    }

    #[test]
    fn a_named_series_comes_with_its_times() {
        let input = resolved(json!({ "series_ref": "one" }), directory().path()).unwrap();
        assert_eq!(input["series"], json!([1, 2]));
        assert_eq!(input["times"], json!([5, 6]));
    }

    #[test]
    fn what_a_case_holds_itself_stands() {
        for input in [json!({ "series": [9], "series_ref": "one" }), json!({ "x": 1 }), json!(null)]
        {
            assert_eq!(resolved(input.clone(), directory().path()), Ok(input));
        }
    }

    #[test]
    fn what_is_no_series_is_reported_with_its_name() {
        for name in ["absent", "torn", "none"] {
            let refusal = resolved(json!({ "series_ref": name }), directory().path()).unwrap_err();
            assert!(refusal.contains(name) && refusal.contains("--series"), "{refusal}");
        }
        for name in [json!("../one"), json!("/etc/passwd"), json!(3)] {
            let refusal = resolved(json!({ "series_ref": name }), directory().path()).unwrap_err();
            assert!(refusal.contains("name of a series"), "{refusal}");
        }
    }
}
