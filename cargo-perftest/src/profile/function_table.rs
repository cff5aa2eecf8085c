//! The functions of one profile.

use super::ProfileFile;
use crate::args::profile::{ProfileRows, RankedTime};
use crate::reading::notes::write_notes;
use crate::report::{Table, write_json_line, write_line};
use perftest_analysis::profile::{
    FunctionWeights, Profile, SampledShare, function_weights, share_interval,
};
use serde_json::json;
use std::io::{self, Write};

/// Functions in a table.
pub(super) const LISTED: usize = 20;

/// Writes the functions with the largest shares.
pub(crate) fn write_functions(
    file: &ProfileFile,
    rows: &ProfileRows,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profile = &file.profile;
    let functions = ranked(profile, rows.by);
    let mut table = Table::new(&[" own", " 95% interval", " total", "function"])
        .narrowed(&["function"], &["95% interval"]);
    for (name, weights) in functions.iter().take(rows.top.unwrap_or(LISTED)) {
        let own = share_interval(share(profile, weights.own));
        let total = share_interval(share(profile, weights.total));
        table.push([
            percent(own.estimate),
            format!("{} to {}", percent(own.lower), percent(own.upper)),
            percent(total.estimate),
            (*name).to_owned(),
        ]);
    }
    let (samples, functions_in_all) = (profile.samples(), functions.len());
    write_line(
        out,
        &format_args!("{}: {samples} samples, {functions_in_all} functions", file.name),
    )?;
    writeln!(out)?;
    table.write(out)?;
    write_notes_below(&file.notes(), out)
}

/// Writes the profile and its functions, an object a line.
pub(crate) fn write_functions_as_json(
    file: &ProfileFile,
    rows: &ProfileRows,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profile = &file.profile;
    let functions = ranked(profile, rows.by);
    let whole = json!({
        "event": "profile",
        "v": 1,
        "file": file.name,
        "samples": profile.samples(),
        "weight": profile.total(),
        "functions": functions.len(),
        "notes": profile.notes().sentences(),
    });
    write_json_line(out, &whole)?;
    for (name, weights) in functions.iter().take(rows.top.unwrap_or(usize::MAX)) {
        let [own, total] =
            [weights.own, weights.total].map(|it| share_interval(share(profile, it)));
        let function = json!({
            "event": "profile_function",
            "v": 1,
            "function": name,
            "own_weight": weights.own,
            "own_share": own.estimate,
            "own_share_lower": own.lower,
            "own_share_upper": own.upper,
            "total_weight": weights.total,
            "total_share": total.estimate,
            "total_share_lower": total.lower,
            "total_share_upper": total.upper,
        });
        write_json_line(out, &function)?;
    }
    Ok(())
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Writes what limits the use of a profile, below its table.
pub(super) fn write_notes_below(notes: &[String], out: &mut dyn Write) -> io::Result<()> {
    if !notes.is_empty() {
        writeln!(out)?;
    }
    write_notes(notes, out)
}

fn share(profile: &Profile, weight: u64) -> SampledShare {
    SampledShare::new(weight, profile.total(), profile.samples())
}

/// The largest first.
fn ranked(profile: &Profile, by: RankedTime) -> Vec<(&str, FunctionWeights)> {
    let tree = profile.tree();
    let names = tree.names().iter().map(|name| &**name);
    let weights = function_weights(tree, profile.weights());
    let mut all: Vec<(&str, FunctionWeights)> =
        names.zip(weights).filter(|(_, weights)| weights.total > 0).collect();
    all.sort_by_key(|(name, FunctionWeights { own, total })| {
        let largest = match by {
            RankedTime::Own => (*own, *total),
            RankedTime::Total => (*total, *own),
        };
        (std::cmp::Reverse(largest), *name)
    });
    all
}
