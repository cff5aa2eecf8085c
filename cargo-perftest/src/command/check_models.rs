//! `cargo perftest check --models`: the applied versions of rules.

use crate::args::OutputFormat;
use crate::command_context::CommandContext;
use crate::exit::Result;
use crate::report::{Table, local_minute, report_damage, write_json_lines};
use crate::rules::RulesFile;
use perftest_core::model::Model;
use serde_json::json;

pub(super) fn list(
    rules: Option<&RulesFile>,
    format: OutputFormat,
    context: &mut CommandContext<'_>,
) -> Result<()> {
    let models = report_damage(context.store.models()?);
    let now_ms = context.now_ms();
    let is_present = |model: &Model| {
        let thresholds = rules.map_or(&[][..], |rules| &rules.thresholds);
        let mut present = thresholds.iter().map(|it| it.model(now_ms));
        present.any(|it| it.threshold == model.threshold && it.version == model.version)
    };
    if format == OutputFormat::Json {
        let lines = models.iter().map(|model| {
            json!({
                "event": "model",
                "v": 1,
                "threshold": model.threshold,
                "model": model.version,
                "rule": model.rule,
                "since_ms": model.since_ms,
                "present": is_present(model),
            })
        });
        return Ok(write_json_lines(context.out, lines)?);
    }
    if models.is_empty() {
        let none = "no rule has judged a run yet: `cargo perftest check` does";
        return Ok(writeln!(context.out, "{none}")?);
    }
    Table::of(&models)
        .column("threshold", |it| it.threshold.clone())
        .column("model", |it| it.version.clone())
        .column("since", |it| local_minute(it.since_ms))
        .column("judges", |it| if is_present(it) { "yes" } else { "no more" })
        .column("rule", |it| it.rule.clone())
        .narrowed(&["threshold", "rule"], &["model", "judges", "since"])
        .write(context.out)?;
    Ok(())
}
