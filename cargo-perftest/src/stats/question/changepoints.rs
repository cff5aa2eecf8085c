//! `stats changepoints`: finds the changes in a series of numbers.

use super::{StatsOutput, format_change, labelled, noted};
use crate::args::series::{Changepoints as Args, SeasonChoice};
use crate::args::value_name;
use crate::exit::{CommandError, Result, refuse};
use crate::report::{LISTED, Table, Unit, ValuePlot, counted, json_number};
use crate::season::DeseasonedHistory;
use crate::stats::input::Input;
use crate::stats::ticks::{coarse_tick, note_on_ticks};
use perftest_analysis::detect::{ChangePoints, TemporaryChange};
use serde_json::{Value, json};

pub(crate) fn changepoints(
    (input, times_ms): (Input, Option<Vec<u64>>),
    args: &Args,
    ascii: bool,
) -> Result<StatsOutput> {
    let deseasoned = deseasoned(&input, times_ms.as_deref(), args)?;
    let tick = coarse_tick(&input.sample).map(|it| Unit(&args.shown.unit).format(it));
    let on_ticks = tick.map(|it| note_on_ticks(&it)).into_iter().collect();
    let input = &Input { name: input.name, sample: deseasoned.rest.clone() };
    let found = args.detection.changes(&input.sample).map_err(CommandError::Usage)?;
    let notes = [notes(input, args), deseasoned.notes(), on_ticks].concat();
    let mut json = as_json(input, args, &found, &notes);
    json["season"] = deseasoned.as_json();
    let text = text(input, args, &found, deseasoned.describe(), ascii);
    Ok(StatsOutput { text: text + &noted(&notes), json })
}

/// Removes the pattern from the numbers, if there is one.
fn deseasoned(
    Input { name, sample }: &Input,
    times_ms: Option<&[u64]>,
    args: &Args,
) -> Result<DeseasonedHistory> {
    let choice = args.seasonal.season;
    match (times_ms, choice) {
        (Some(times_ms), _) => DeseasonedHistory::new(choice, times_ms, sample)
            .map_err(|error| CommandError::Usage(format!("{name}: {error}"))),
        (None, SeasonChoice::Auto | SeasonChoice::Off) => Ok(DeseasonedHistory::off(sample)),
        (None, SeasonChoice::Daily | SeasonChoice::Weekly) => refuse(
            "a season needs to know when the numbers were measured: name a column with --times",
        ),
    }
}

fn notes(input: &Input, args: &Args) -> Vec<String> {
    let fewest = args.detection.fewest();
    let note = format!("too few values to see a change: {fewest} are needed");
    (input.sample.size() < fewest).then_some(note).into_iter().collect()
}

fn text(
    input: &Input,
    args: &Args,
    found: &ChangePoints,
    season: Option<String>,
    ascii: bool,
) -> String {
    let (values, unit) = (input.sample.values(), Unit(&args.shown.unit));
    let temporary = found.temporary.iter().map(|it| (it.values.clone(), '~'));
    let lasting = found.lasting.iter().map(|change| (change.index..change.index + 1, '^'));
    let marks: Vec<_> = temporary.chain(lasting).collect();
    let count = found.lasting.len();
    let changes = format!(
        "{count} in {}, by {}",
        counted(values.len(), "value"),
        value_name(args.detection.detector)
    );
    let mut rows = vec![("changes", vec![changes])];
    if !found.temporary.is_empty() {
        let listed = found.temporary.iter().take(LISTED);
        let mut lines: Vec<String> = listed.map(|it| format_temporary(it, &unit)).collect();
        lines.extend(more(found.temporary.len()));
        rows.push(("temporary", lines));
    }
    rows.extend(season.map(|season| ("season", vec![season])));
    let mut text = ValuePlot(values).picture(&marks, ascii) + "\n" + &labelled(&rows);
    if count > 0 {
        let table = Table::of(found.lasting.iter().take(LISTED))
            .column(" place", |it| it.index + 1)
            .column(" before", |it| unit.format(it.before))
            .column(" after", |it| unit.format(it.after))
            .column(" change", |it| format_change(it.before, it.after))
            .whole();
        text += &format!("\n{}", table.text());
        text.extend(more(count).map(|more| more + "\n"));
    }
    text
}

fn more(count: usize) -> Option<String> {
    let more = count.checked_sub(LISTED).filter(|more| *more > 0)?;
    Some(format!("and {more} more: --json lists all"))
}

fn format_temporary(change: &TemporaryChange, unit: &Unit<'_>) -> String {
    format!(
        "from place {} to {}: {}, and {} around it",
        change.values.start + 1,
        change.values.end,
        unit.format(change.meanwhile),
        unit.format(change.usual)
    )
}

fn as_json(input: &Input, args: &Args, found: &ChangePoints, notes: &[String]) -> Value {
    let lasting = found.lasting.iter().map(|change| {
        json!({
            "place": change.index + 1, "before": json_number(change.before), "after": json_number(change.after),
        })
    });
    let temporary = found.temporary.iter().map(|change| {
        json!({
            "from": change.values.start + 1,
            "to": change.values.end,
            "usual": json_number(change.usual),
            "meanwhile": json_number(change.meanwhile),
        })
    });
    json!({
        "event": "changepoints",
        "v": 1,
        "source": input.name,
        "unit": args.shown.unit,
        "count": input.sample.size(),
        "detector": value_name(args.detection.detector),
        "settings": args.detection.set(),
        "changes": lasting.collect::<Vec<_>>(),
        "temporary": temporary.collect::<Vec<_>>(),
        "notes": notes,
    })
}
