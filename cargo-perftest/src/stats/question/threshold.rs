//! `stats threshold`: checks a number against limits from the earlier ones.

use super::{StatsOutput, labelled, noted};
use crate::args::series::ThresholdQuestion as Args;
use crate::exit::{CommandError, Result};
use crate::report::{Unit, ValuePlot, counted, json_number};
use crate::stats::input::Input;
use perftest_analysis::thresholds::{Boundaries, Compat, PastValue, Threshold, ThresholdError};
use perftest_core::model::{LimitSide, Limits};
use serde_json::{Value, json};

/// The values before, the new values, and the results.
struct ThresholdReport<'a> {
    past: &'a [f64],
    /// How many of the newest values set the limits.
    used: usize,
    new: &'a [f64],
    limits: Option<Limits>,
}

pub(crate) fn threshold(input: &Input, args: &Args, ascii: bool) -> Result<StatsOutput> {
    let threshold = configured(args).map_err(|error| CommandError::Usage(error.to_string()))?;
    let values = input.sample.values();
    let (past, new) = match args.new.as_slice() {
        [] => values.split_at(values.len() - 1),
        new => (values, new),
    };
    // Without times there is no window, and only the order counts.
    let dated: Vec<PastValue> =
        past.iter().map(|value| PastValue { value: *value, started_ms: 0 }).collect();
    let most = args.max_sample_size.map_or(usize::MAX, |most| most as usize);
    let limits = threshold.limits(&dated, 0);
    let judged = ThresholdReport { past, used: past.len().min(most), new, limits };
    let notes = judged.notes(args);
    Ok(StatsOutput {
        text: judged.text(&threshold, args, ascii) + &noted(&notes),
        json: judged.json(input, &threshold, args, &notes),
    })
}

fn configured(args: &Args) -> Result<Threshold, ThresholdError> {
    let boundaries = Boundaries { lower: args.lower, upper: args.upper };
    let threshold = Threshold::new(args.test, boundaries)?
        .with_sample_sizes(args.min_sample_size, args.max_sample_size)?;
    Ok(threshold.with_compat(args.compat.unwrap_or(Compat::Present)))
}

impl ThresholdReport<'_> {
    fn side(&self, value: f64) -> Option<LimitSide> {
        self.limits.and_then(|limits| limits.broken_by(value))
    }

    fn notes(&self, args: &Args) -> Vec<String> {
        let asked = args.min_sample_size.unwrap_or(1).max(args.test.fewest_values().unwrap_or(1));
        match self.limits {
            Some(_) => Vec::new(),
            None if self.past.len() < asked as usize => vec![format!(
                "too few values to set limits: there are {}, and {asked} are needed",
                self.past.len()
            )],
            None => {
                vec![format!("{} has no limits here: {}", args.test.name(), args.test.lack())]
            }
        }
    }

    fn text(&self, threshold: &Threshold, args: &Args, ascii: bool) -> String {
        let unit = Unit(&args.shown.unit);
        let mut rows = vec![("threshold", vec![threshold.to_string()])];
        let Limits { baseline, lower, upper } = self.limits.unwrap_or_default();
        let count = counted(self.used, "value");
        let baseline = baseline.map(|baseline| format!("{} of {count}", unit.format(baseline)));
        let limits = [("baseline", baseline), ("lower", lower.map(|it| unit.format(it)))];
        let limits = limits.into_iter().chain([("upper", upper.map(|it| unit.format(it)))]);
        rows.extend(limits.filter_map(|(label, limit)| Some((label, vec![limit?]))));
        let new = self.new.iter().map(|value| {
            let verdict = match (self.limits, self.side(*value)) {
                (None, _) => "not judged",
                (_, None) => "within the limits",
                (_, Some(LimitSide::Lower)) => "below the lower limit",
                (_, Some(LimitSide::Upper)) => "above the upper limit",
            };
            format!("{}, {verdict}", unit.format(*value))
        });
        rows.push(("new", new.collect()));
        let all = [self.past, self.new].concat();
        let places = (self.past.len()..).zip(self.new);
        let broken = places.filter(|(_, value)| self.side(**value).is_some());
        let marks: Vec<_> = broken.map(|(place, _)| (place..place + 1, '^')).collect();
        ValuePlot(&all).picture(&marks, ascii) + "\n" + &labelled(&rows)
    }

    fn json(&self, input: &Input, threshold: &Threshold, args: &Args, notes: &[String]) -> Value {
        let limits = self.limits.map(|Limits { baseline, lower, upper }| {
            json!({
                "baseline": baseline.map(json_number),
                "lower": lower.map(json_number),
                "upper": upper.map(json_number),
            })
        });
        let new = self.new.iter().map(
            |value| json!({ "value": value, "broken": self.side(*value).map(LimitSide::name) }),
        );
        json!({
            "event": "threshold",
            "v": 1,
            "source": input.name,
            "unit": args.shown.unit,
            "count": self.used,
            "threshold": threshold.to_string(),
            "limits": limits,
            "new": new.collect::<Vec<_>>(),
            "notes": notes,
        })
    }
}
