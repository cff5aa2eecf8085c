//! Many cases at once: one JSON object a line in, one line out for each, in order.

use super::case::Case;
use super::{op, series_ref};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Answers every line of `cases` on `out`; a line that is not understood is answered with its error,
/// and the rest goes on.
///
/// # Errors
///
/// Reading or writing fails.
pub(crate) fn answer_cases(cases: impl BufRead, out: &mut impl Write) -> io::Result<()> {
    for line in cases.split(b'\n') {
        let line = line?;
        if !line.trim_ascii().is_empty() {
            writeln!(out, "{}", answer_line(&line))?;
        }
    }
    out.flush()
}

fn answer_line(line: &[u8]) -> Value {
    let mut case: Map<String, Value> = match serde_json::from_slice(line) {
        Ok(case) => case,
        Err(error) => return json!({ "name": null, "error": format!("no JSON object: {error}") }),
    };
    let name = case.remove("name").unwrap_or_default();
    match answer(case, &name) {
        Ok(result) => json!({ "name": name, "result": result }),
        Err(error) => json!({ "name": name, "error": error }),
    }
}

fn answer(mut case: Map<String, Value>, name: &Value) -> Result<Value, String> {
    let op = case.get("op").and_then(Value::as_str).ok_or("the key op has to name an operation")?;
    let answer = op::find(op).ok_or_else(|| format!("there is no operation {op}"))?;
    let mut part = |key| case.remove(key).unwrap_or_default();
    let input = series_ref::resolved(part("input"), Path::new(series_ref::DIRECTORY))?;
    let case = Case::new(input, part("params")).named(name.as_str().unwrap_or_default());
    answer(&case)
}
