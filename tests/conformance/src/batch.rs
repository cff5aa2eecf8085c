//! Many cases at once: one JSON object a line in, one line out for each, in order.

use crate::case::Case;
use crate::{op, series_ref};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::panic;
use std::path::Path;

/// Answers every line of `cases` on `out`, with the series that cases name out of the directory
/// `series`; a line that is not understood is answered with its error, and the rest goes on. A caller that waits
/// for an answer before the next case gets it.
///
/// # Errors
///
/// Reading or writing fails.
pub fn answer_cases(cases: impl Read, series: &Path, out: &mut impl Write) -> io::Result<()> {
    let mut cases = BufReader::new(cases);
    let mut line = Vec::new();
    while cases.read_until(b'\n', &mut line)? > 0 {
        let case = line.strip_suffix(b"\n").unwrap_or(&line);
        writeln!(out, "{}", answer_line(case, series))?;
        line.clear();
        if !cases.buffer().contains(&b'\n') {
            out.flush()?;
        }
    }
    Ok(())
}

fn answer_line(line: &[u8], series: &Path) -> Value {
    if line.trim_ascii().is_empty() {
        return json!({ "name": null, "error": "the line is empty" });
    }
    let mut case: Map<String, Value> = match serde_json::from_slice(line) {
        Ok(case) => case,
        Err(error) => return json!({ "name": null, "error": format!("no JSON object: {error}") }),
    };
    let name = case.remove("name").unwrap_or_default();
    // An operation that fails on one case must not take the others with it.
    let result = panic::catch_unwind(|| answer(case, &name, series))
        .unwrap_or_else(|_| Err("the operation failed; this is a fault of the tool".into()));
    match result {
        Ok(result) => json!({ "name": name, "result": result }),
        Err(error) => json!({ "name": name, "error": error }),
    }
}

fn answer(mut case: Map<String, Value>, name: &Value, series: &Path) -> Result<Value, String> {
    let op = case.get("op").and_then(Value::as_str).ok_or("the key op has to name an operation")?;
    let answer = op::find(op).ok_or_else(|| {
        let known: Vec<&str> = op::OPS.iter().map(|(name, _)| *name).collect();
        format!("there is no operation {op}; there are {}", known.join(", "))
    })?;
    let mut part = |key| case.remove(key).unwrap_or_default();
    let input = series_ref::resolved(part("input"), series)?;
    let case = Case::new(input, part("params")).named(name.as_str().unwrap_or_default());
    answer(&case)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(cases: &[u8]) -> Vec<Value> {
        let mut out = Vec::new();
        answer_cases(cases, Path::new("none"), &mut out).unwrap();
        let lines = std::str::from_utf8(&out).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_line_that_is_not_understood_is_answered_and_the_rest_goes_on() {
        let good = r#"{"op": "pragmastat_center", "name": "b", "input": {"x": [1, 3]}}"#;
        let cases = ["{torn", "[1]", r#"{"op": "no_such", "name": "a"}"#, good].join("\n");
        let answers = answers(&[cases.as_bytes(), b"\n\xff\xfe\n"].concat());
        assert_eq!(answers.len(), 5);
        let is_error =
            |answer: &Value| answer["error"].is_string() && answer.get("result").is_none();
        assert!([0, 1, 2, 4].iter().all(|line| is_error(&answers[*line])), "{answers:?}");
        assert_eq!(answers[2]["name"], "a");
        assert_eq!(answers[3], json!({ "name": "b", "result": { "output": 2.0 } }));
    }

    #[test]
    fn each_line_has_an_answer_an_empty_one_too() {
        let good = r#"{"op": "pragmastat_center", "name": "b", "input": {"x": [1, 3]}}"#;
        let empty = json!({ "name": null, "error": "the line is empty" });
        let right = json!({ "name": "b", "result": { "output": 2.0 } });
        let all = answers(format!("{good}\n\n \t\r\n{good}\n").as_bytes());
        assert_eq!(all, [&right, &empty, &empty, &right].map(Clone::clone));
        assert_eq!(answers(format!("\n{good}").as_bytes()), [empty, right]);
        // Behind the last end of a line is no line.
        assert_eq!(answers(b""), [json!(null); 0]);
    }
}
