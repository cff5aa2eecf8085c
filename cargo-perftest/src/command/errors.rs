//! `cargo perftest history --errors`: the false alarms that a history had.

use crate::args::{HistoryArgs as Args, OutputFormat};
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::report::{Table, interval_as_json, rate, write_json_line};
use crate::series::in_words;
use perftest_analysis::verdicts::TrackRecord;
use perftest_store::Series;
use serde_json::{Value, json};

pub(crate) fn run(all: &[Series], args: &Args, context: &mut CommandContext<'_>) -> Result<()> {
    let table = Table::new(&[
        "test",
        "testbed",
        " decisions",
        " reds",
        " judged again",
        " not repeated",
        "false reds",
    ]);
    let left_out = ["testbed", "decisions", "judged again", "reds"];
    let mut table = table.narrowed(&["test"], &left_out);
    let mut together = TrackRecord::default();
    context.announce_whole_runs(all, args.limit);
    for series in all {
        let history = context.whole_runs(series, args.limit);
        let Some(history) = context.read_failures.or_added(history)? else {
            continue;
        };
        let record = TrackRecord::of(&history);
        together.add(&record);
        match args.answer.format() {
            OutputFormat::Json => {
                write_json_line(context.out, &as_json(&record, "errors", Some(series)))?;
            }
            OutputFormat::Table => {
                let name = in_words(&series.benchmark, &series.metric);
                table.push(row(&name, &series.testbed, &record));
            }
        }
    }
    if args.answer.format() == OutputFormat::Json {
        write_json_line(context.out, &as_json(&together, "errors_together", None))?;
        return Ok(());
    }
    table.push(row("all together", "", &together));
    table.write(context.out)?;
    writeln!(
        context.out,
        "\nA red counts as false if the same code was green later without an acceptance. \
         A red whose code did not run again counts as right."
    )?;
    Ok(())
}

fn row(test: &str, testbed: &str, record: &TrackRecord) -> [String; 7] {
    let false_reds = match record.decisions {
        0 => "-".to_owned(),
        _ => rate(record.false_alarm_rate()),
    };
    [
        test.to_owned(),
        testbed.to_owned(),
        record.decisions.to_string(),
        record.reds.to_string(),
        record.judged_again.to_string(),
        record.not_repeated.to_string(),
        false_reds,
    ]
}

fn as_json(record: &TrackRecord, event: &str, series: Option<&Series>) -> Value {
    let mut value = json!({
        "event": event,
        "v": 1,
        "decisions": record.decisions,
        "reds": record.reds,
        "judged_again": record.judged_again,
        "not_repeated": record.not_repeated,
        "false_alarm_rate": interval_as_json(record.false_alarm_rate()),
    });
    if let Some(series) = series {
        value["benchmark"] = series.benchmark.as_str().into();
        value["testbed"] = series.testbed.as_str().into();
        value["metric"] = series.metric.name.as_str().into();
    }
    value
}
