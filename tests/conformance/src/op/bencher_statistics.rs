//! `bencher_statistics`: the figures that Bencher's tests take from a history. The first part of the
//! case's name is one of `mean`, `variance`, `std_dev`, `quartiles`, `delta_quartiles` or `ln`.

use crate::case::Case;
use crate::stats::variance_about;
use perftest_analysis::stats::mean;
use perftest_analysis::thresholds::{Compat, LogSummary, Quartiles};
use serde_json::{Value, json};

/// `data` in the order of the series, and `about` for variance and deviation; null where there is no
/// such figure.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let data = case.numbers("data")?;
    let variance = || Ok::<_, String>(variance_about(case.number("about")?, &data));
    Ok(match case.kind() {
        "mean" => json!(mean(&data)),
        "variance" => json!(variance()?),
        "std_dev" => json!(variance()?.filter(|it| *it > 0.0).map(f64::sqrt)),
        "quartiles" => quartiles(Quartiles::of(&data)),
        "delta_quartiles" => quartiles(Quartiles::of_changes(&data)),
        "ln" => LogSummary::of(&data, Compat::Present)
            .map_or(Value::Null, |it| json!({ "location": it.location, "scale": it.scale })),
        kind => {
            return Err(format!("there is no figure {kind}; begin the name with one of {KINDS}"));
        }
    })
}

const KINDS: &str = "mean/, variance/, std_dev/, quartiles/, delta_quartiles/ and ln/";

fn quartiles(quartiles: Option<Quartiles>) -> Value {
    quartiles.map_or(Value::Null, |it| json!({ "q1": it.first, "q2": it.second, "q3": it.third }))
}
