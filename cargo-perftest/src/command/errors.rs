//! `cargo perftest history --errors`: the false alarms that a history had.

use crate::args::{HistoryArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::report::{Table, extend, interval_as_json, rate, series_event, write_json_lines};
use crate::series::name_of;
use perftest_analysis::verdicts::TrackRecord;
use perftest_store::Series;
use serde_json::{Value, json};

pub(crate) fn run(all: &[Series], args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    context.announce_whole_runs(all, args.limit);
    let records = context.map_histories(all, |series, records| {
        Ok((series.clone(), TrackRecord::of(&records.whole_runs(series.query(args.limit))?)))
    })?;
    let mut together = TrackRecord::default();
    records.iter().for_each(|(_, record)| together.add(record));
    if args.answer.format() == OutputFormat::Json {
        let events = records.iter().map(|(series, it)| series_event("errors", series, as_json(it)));
        let mut of_all = as_json(&together);
        extend(&mut of_all, json!({ "event": "errors_together", "v": 1 }));
        return Ok(write_json_lines(context.out, events.chain([of_all]))?);
    }
    let rows = records.iter().map(|(series, it)| (name_of(series), series.testbed.as_str(), it));
    Table::of(rows.chain([("all together".to_owned(), "", &together)]))
        .column("test", |(test, ..)| test.clone())
        .column("testbed", |(_, testbed, _)| *testbed)
        .column(" decisions", |(.., it)| it.decisions)
        .column(" reds", |(.., it)| it.reds)
        .column(" judged again", |(.., it)| it.judged_again)
        .column(" not repeated", |(.., it)| it.not_repeated)
        .column("false reds", |(.., it)| match it.decisions {
            0 => "-".to_owned(),
            _ => rate(it.false_alarm_rate()),
        })
        .narrowed(&["test"], &["testbed", "decisions", "judged again", "reds"])
        .write(context.out)?;
    writeln!(
        context.out,
        "\nA red counts as false if the same code was green later without an acceptance. \
         A red whose code did not run again counts as right."
    )?;
    Ok(())
}

fn as_json(record: &TrackRecord) -> Value {
    json!({
        "decisions": record.decisions,
        "reds": record.reds,
        "judged_again": record.judged_again,
        "not_repeated": record.not_repeated,
        "false_alarm_rate": interval_as_json(record.false_alarm_rate()),
    })
}
