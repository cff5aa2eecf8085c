//! `stats shift` and `stats ratio`: how far two inputs are apart, quantile by quantile.

use super::compare::drawn_over;
use super::{StatsOutput, labelled};
use crate::args::stats::{FunctionEstimator, Functions as Args};
use crate::exit::CommandError;
use crate::report::{FunctionPlot, Table};
use crate::stats::case::json_number;
use crate::stats::input::Input;
use crate::stats::unit::Unit;
use perftest_analysis::stats::trimmed_harrell_davis;
use perftest_core::stats::{
    Quantile, bounded_margin, bounded_probabilities, harrell_davis, quantile, ratio_range,
    shift_range,
};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(crate) fn shift(inputs: &[Input; 2], args: &Args, ascii: bool) -> StatsOutput {
    let [before, current] = inputs;
    let range = shift_range(&before.sample, &current.sample, estimator(args));
    QuantileCurve::of(FunctionKind::Shift, range, inputs, args).output(ascii)
}

pub(crate) fn ratio(
    inputs: &[Input; 2],
    args: &Args,
    ascii: bool,
) -> Result<StatsOutput, CommandError> {
    for Input { name, sample } in inputs {
        if let Some(place) = sample.values().iter().position(|value| *value <= 0.0) {
            return Err(CommandError::Usage(format!(
                "{name}: value {} is {}, and a ratio needs values above 0; `stats shift` takes any",
                place + 1,
                sample.values()[place]
            )));
        }
    }
    let [before, current] = inputs;
    let range = ratio_range(&before.sample, &current.sample, estimator(args)).ok_or_else(|| {
        CommandError::Usage(
            "the values are too near to 0 for a ratio: `stats shift` takes any".into(),
        )
    })?;
    Ok(QuantileCurve::of(FunctionKind::Ratio, range, inputs, args).output(ascii))
}

fn estimator(args: &Args) -> Quantile {
    match args.estimator {
        FunctionEstimator::ThdSqrt => trimmed_harrell_davis,
        FunctionEstimator::Hd => harrell_davis,
        FunctionEstimator::Hf7 => quantile,
    }
}

/// A difference in the unit of the numbers, or a ratio.
#[derive(Clone, Copy, PartialEq)]
enum FunctionKind {
    Shift,
    Ratio,
}

/// A quantile of both inputs.
struct Row {
    probability: f64,
    before: f64,
    current: f64,
    /// Whether both inputs are large enough to tell it.
    is_bounded: bool,
}

/// A function over the quantiles.
struct QuantileCurve<'a> {
    function: FunctionKind,
    rows: Vec<Row>,
    /// From the least to the most of what is told.
    range: RangeInclusive<f64>,
    margin: f64,
    inputs: &'a [Input; 2],
    args: &'a Args,
}

impl<'a> QuantileCurve<'a> {
    fn of(
        function: FunctionKind,
        range: RangeInclusive<f64>,
        inputs: &'a [Input; 2],
        args: &'a Args,
    ) -> Self {
        let [before, current] = inputs.each_ref().map(|input| &input.sample);
        let (quantile, margin) = (estimator(args), bounded_margin(before.size(), current.size()));
        let row = |probability: &f64| Row {
            probability: *probability,
            before: quantile(before, *probability),
            current: quantile(current, *probability),
            is_bounded: (margin - 1e-9..=1.0 - margin + 1e-9).contains(probability),
        };
        let rows = args.probabilities.iter().map(row).collect();
        Self { function, rows, range, margin, inputs, args }
    }

    fn output(&self, ascii: bool) -> StatsOutput {
        StatsOutput { text: self.picture(ascii) + &self.text(), json: self.json() }
    }

    /// The function over the quantiles that both inputs tell.
    fn picture(&self, ascii: bool) -> String {
        let [before, current] = self.inputs.each_ref().map(|input| &input.sample);
        let quantile = estimator(self.args);
        let probabilities = bounded_probabilities(before.size(), current.size());
        let at = |probability: &f64| {
            let ends = (quantile(before, *probability), quantile(current, *probability));
            self.function.between(ends.0, ends.1)
        };
        let values: Vec<f64> = probabilities.iter().map(at).collect();
        let unit = Unit(&self.args.shown.unit);
        let same = self.function.same();
        let rows = FunctionPlot { values: &values, same, ascii }
            .rows(|value| self.function.format(value, &unit));
        drawn_over(&rows, &probabilities)
    }

    fn text(&self) -> String {
        let (function, unit) = (self.function, Unit(&self.args.shown.unit));
        let mut table = match function {
            FunctionKind::Shift => Table::new(&[" quantile", " before", " current", " shift", ""]),
            FunctionKind::Ratio => Table::new(&[" quantile", " before", " current", " ratio", ""]),
        };
        for row in &self.rows {
            table.push([
                row.probability.to_string(),
                unit.format(row.before),
                unit.format(row.current),
                function.format(function.of(row), &unit),
                if row.is_bounded { String::new() } else { "*".into() },
            ]);
        }
        let words = labelled(&[(function.name(), vec![function.in_words(&self.range, &unit)])]);
        let mut text = table.text() + "\n" + &words;
        if self.rows.iter().any(|row| !row.is_bounded) {
            text += &match self.margin {
                0.5 => "note: * is not counted: these sizes tell the median alone\n".into(),
                margin => format!(
                    "note: * is not counted: these sizes tell the quantiles from {margin:.2} to {:.2}\n",
                    1.0 - margin
                ),
            };
        }
        text
    }

    fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "probability": row.probability,
                "before": json_number(row.before),
                "current": json_number(row.current),
                self.function.name(): json_number(self.function.of(row)),
                "told": row.is_bounded,
            })
        };
        json!({
            "event": self.function.name(),
            "v": 1,
            "sources": self.inputs.each_ref().map(|input| &input.name),
            "unit": self.args.shown.unit,
            "counts": self.inputs.each_ref().map(|input| input.sample.size()),
            "lower": json_number(*self.range.start()),
            "upper": json_number(*self.range.end()),
            "margin": self.margin,
            "quantiles": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

impl FunctionKind {
    fn of(self, row: &Row) -> f64 {
        self.between(row.before, row.current)
    }

    fn between(self, before: f64, current: f64) -> f64 {
        match self {
            Self::Shift => current - before,
            Self::Ratio => current / before,
        }
    }

    /// What it is where nothing differs.
    fn same(self) -> f64 {
        match self {
            Self::Shift => 0.0,
            Self::Ratio => 1.0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Ratio => "ratio",
        }
    }

    fn format(self, value: f64, unit: &Unit<'_>) -> String {
        match self {
            Self::Shift if value > 0.0 => format!("+{}", unit.format(value)),
            Self::Shift => unit.format(value),
            Self::Ratio => format!("{value:.3}x"),
        }
    }

    /// What the ends of the range say together.
    fn in_words(self, range: &RangeInclusive<f64>, unit: &Unit<'_>) -> String {
        let same = self.same();
        let (least, most) = (self.format(*range.start(), unit), self.format(*range.end(), unit));
        match range {
            it if it.start() == it.end() && *it.start() == same => "the same throughout".into(),
            it if *it.start() > same => format!("larger throughout: between {least} and {most}"),
            it if *it.end() < same => format!("smaller throughout: between {least} and {most}"),
            it if *it.start() == same => format!("nowhere smaller: between {least} and {most}"),
            it if *it.end() == same => format!("nowhere larger: between {least} and {most}"),
            _ => format!("a trade: smaller here and larger there, between {least} and {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_smaller_here_and_larger_there_is_a_trade() {
        let shift = |range| FunctionKind::Shift.in_words(&range, &Unit(""));
        for (range, expected) in [
            (0.0..=0.0, "the same throughout"),
            (2.0..=5.0, "larger throughout: between +2.000 and +5.000"),
            (0.0..=5.0, "nowhere smaller: between "),
            (-5.0..=0.0, "nowhere larger: between "),
            (-1.0..=5.0, "a trade: smaller here and larger there, between "),
        ] {
            let text = shift(range);
            assert!(text.starts_with(expected), "{text}");
        }
        let ratio = FunctionKind::Ratio.in_words(&(0.5..=1.0), &Unit(""));
        assert_eq!(ratio, "nowhere larger: between 0.500x and 1.000x");
    }
}
