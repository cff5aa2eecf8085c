//! `range_quantile_queries`: the k-th smallest values of stretches of a series.

use crate::case::{Case, whole};
use perftest_analysis::detect::RangeQuantiles;
use serde_json::{Value, json};

/// The most stretches that are answered where none is asked for.
const MOST: usize = 10_000;

/// `values`, and which stretches: rows `[l, r, k, ..]` in the parameter or input `select`, of which the
/// first three are read. Without it, every k of every stretch.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let series = case.sample("values")?;
    let quantiles = RangeQuantiles::new(&series);
    let rows =
        match [case.param("select"), case.input("select")].into_iter().find_map(Value::as_array) {
            Some(rows) => rows.iter().map(row).collect::<Result<_, _>>()?,
            None => every_row(series.size())?,
        };
    let select = |[l, r, k]: [usize; 3]| {
        let value = r.checked_add(1).and_then(|end| quantiles.select(l..end, k));
        value.map(|value| json!([l, r, k, value])).ok_or_else(|| {
            format!("values {l} to {r} of {} have no value of rank {k}", series.size())
        })
    };
    let select: Vec<Value> = rows.into_iter().map(select).collect::<Result<_, _>>()?;
    Ok(json!({ "select": select }))
}

fn row(row: &Value) -> Result<[usize; 3], String> {
    let number = |index: usize| whole(&row[index]);
    let numbers = [number(0), number(1), number(2)];
    match numbers {
        [Some(l), Some(r), Some(k)] => Ok([l, r, k]),
        _ => Err(format!("a row of select has to be [l, r, k] in whole numbers, not {row}")),
    }
}

fn every_row(size: usize) -> Result<Vec<[usize; 3]>, String> {
    // The sum over all stretches of their lengths.
    let count = size.saturating_mul(size + 1).saturating_mul(size + 2) / 6;
    if count > MOST {
        return Err(format!(
            "{size} values have {count} answers: name the stretches, select = [[l, r, k], ..]"
        ));
    }
    let stretches = (0..size).flat_map(|l| (l..size).map(move |r| (l, r)));
    Ok(stretches.flat_map(|(l, r)| (0..=r - l).map(move |k| [l, r, k])).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Case;
    use serde_json::{Value, json};

    #[test]
    fn without_rows_every_stretch_is_answered() {
        let case = Case::new(json!({ "values": [3, 1] }), json!({}));
        let all =
            json!({ "select": [[0, 0, 0, 3.0], [0, 1, 0, 1.0], [0, 1, 1, 3.0], [1, 1, 0, 1.0]] });
        assert_eq!(super::answer(&case).unwrap(), all);
    }

    #[test]
    fn what_has_no_answer_is_a_sentence() {
        for (values, select) in [
            (json!([1, 2]), json!([[0, 2, 0]])),
            (json!([1, 2]), json!([[1, 0, 0]])),
            (json!([1, 2]), json!([[0, 1, 2]])),
            (json!([1, 2]), json!([[0, u64::MAX, 0]])),
            (json!([1, 2]), json!([[0, -1, 0]])),
            (json!([1, 2]), json!([7])),
            (json!([]), json!([])),
            (json!(vec![1.0; 100]), Value::Null),
        ] {
            let case = Case::new(json!({ "values": values }), json!({ "select": select }));
            assert!(super::answer(&case).is_err(), "{values} {select}");
        }
    }
}
