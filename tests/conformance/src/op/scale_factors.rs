//! `scale_factors`: the published tables, by the name of the case or by the parameter `table`.

use crate::case::Case;
use crate::stats::QadFactors;
use perftest_core::stats::ScaleTable;
use serde_json::{Value, json};

/// Each table with how it is used; from its end on a curve is.
const TABLES: [(&str, &[f64; 99], &str); 5] = [
    (
        "mad_park_bias",
        ScaleTable::MadBias.entries(),
        "C_n=1/(0.674489750196082*(1+b_n)); b_n=table[n] for n<100 (the reference code uses n < \
         len-1), else -0.76213/n-0.86413/n^2",
    ),
    (
        "mad_hd_inverse_factor",
        ScaleTable::HarrellDavisMad.entries(),
        "C_n=1/table[n] for n<100, else 1/(0.674489750196082*(1-0.5/n+6.5/n^2))",
    ),
    (
        "qad_standard",
        QadFactors::Standard.entries(),
        "K_n=table[n] for n<=100, else 1+0.762/n+0.967/n^2",
    ),
    (
        "qad_optimal",
        QadFactors::Optimal.entries(),
        "K_n=table[n] for n<=100, else 0.6747309*(1+1.047/n+1.193/n^2)",
    ),
    (
        "shamos_bias",
        ScaleTable::ShamosBias.entries(),
        "C_n=1/(0.9538726*(1+table[n])) for n<=100, else \
         1/(0.9538726*(1+0.414253297/n-0.442396799/n^2)); makes Spread consistent with sigma under \
         normality",
    ),
];

/// The table, indexed by the number of values from 0; null where there is no entry.
pub(super) fn answer(case: &Case) -> Result<Value, String> {
    let asked = case.param("table").as_str().unwrap_or(case.name());
    let found = TABLES.iter().find(|(name, ..)| *name == asked);
    let (_, table, formula) = found.ok_or_else(|| {
        let names: Vec<&str> = TABLES.iter().map(|(name, ..)| *name).collect();
        format!(
            "there is no table {asked}: name the case or the parameter table {}",
            names.join(", ")
        )
    })?;
    let entries = table.iter().map(|entry| json!(entry));
    let table: Vec<Value> = [Value::Null, Value::Null].into_iter().chain(entries).collect();
    Ok(json!({ "table": table, "formula": formula }))
}
