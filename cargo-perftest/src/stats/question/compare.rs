//! `stats compare`: whether one input is larger than another by more than matters.

use super::{Told, labelled, noted};
use crate::args::stats::Compare as Args;
use crate::report::Histogram;
use crate::stats::case::told;
use crate::stats::described::Described;
use crate::stats::input::Input;
use crate::stats::unit::{Unit, counted, percent};
use perftest_analysis::stats::trimmed_harrell_davis;
use perftest_analysis::words::{ShapeDetail, shape_of};
use perftest_core::model::Interval;
use perftest_core::stats::{Lowland, RankStep, ratio_bounds, ratio_range, shift_bounds};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

pub(crate) fn compare(inputs: &[Input; 2], args: &Args, ascii: bool) -> Told {
    let compared = Compared::of(inputs, args);
    Told { text: compared.text(ascii), json: compared.json() }
}

/// What is said of the second input.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    Larger,
    Smaller,
    Same,
    /// The middle did not move and a part of the distribution did.
    Mixed,
    Undecided,
    TooFew,
}

/// Two inputs side by side.
struct Compared<'a> {
    inputs: &'a [Input; 2],
    args: &'a Args,
    described: [Described<'a>; 2],
    /// Values of 0 and below have none.
    ratio: Option<Interval>,
    shift: Option<Interval>,
    /// Ratios of quantiles.
    quantiles: Option<RangeInclusive<f64>>,
}

impl<'a> Compared<'a> {
    fn of(inputs: &'a [Input; 2], args: &'a Args) -> Self {
        let [before, current] = inputs.each_ref().map(|input| &input.sample);
        let tail = args.bounded.misrate / 2.0;
        let described = |sample| Described::of(sample, args.ticks.resolution, Lowland::default());
        Self {
            inputs,
            args,
            described: [before, current].map(described),
            ratio: ratio_bounds(current, before, tail, RankStep::Conservative),
            shift: shift_bounds(current, before, tail, RankStep::Conservative),
            quantiles: ratio_range(before, current, trimmed_harrell_davis),
        }
    }

    /// By the ratio; without one by the shift, in shares of the median before.
    fn answer(&self) -> Answer {
        let most = 1.0 + self.args.threshold;
        let answer = match (self.ratio, self.shift) {
            (Some(ratio), _) => Answer::by(ratio, 1.0 / most, most),
            (None, Some(shift)) => Answer::by(shift, -self.allowed_shift(), self.allowed_shift()),
            (None, None) => Answer::TooFew,
        };
        let is_divided = self.described.iter().any(|it| it.parts.len() > 1);
        let moved = self.quantiles.as_ref();
        let moved = moved.is_some_and(|it| *it.start() < 1.0 / most || *it.end() > most);
        match answer {
            Answer::Same | Answer::Undecided if is_divided && moved => Answer::Mixed,
            answer => answer,
        }
    }

    /// The largest shift that does not matter.
    fn allowed_shift(&self) -> f64 {
        self.args.threshold * self.described[0].sample.median().abs()
    }

    fn in_words(&self) -> String {
        let threshold = percent(self.args.threshold);
        let quantiles = self.quantiles_in_words().unwrap_or_default();
        match (self.answer(), self.ratio) {
            (Answer::Larger, Some(ratio)) => {
                format!("larger: {:.2}x, at least {:.2}x", ratio.estimate, ratio.lower)
            }
            (Answer::Smaller, Some(ratio)) => {
                format!("smaller: {:.2}x, at most {:.2}x", ratio.estimate, ratio.upper)
            }
            (Answer::Larger, None) => "larger".into(),
            (Answer::Smaller, None) => "smaller".into(),
            (Answer::Same, _) => format!("no difference of more than {threshold}"),
            (Answer::Mixed, _) => format!(
                "mixed: a part of the values moved and the others did not, quantiles {quantiles}"
            ),
            (Answer::Undecided, Some(ratio)) => format!(
                "not decided: between {:.2}x and {:.2}x; more values would tell whether it is more \
                 than {threshold}",
                ratio.lower, ratio.upper
            ),
            (Answer::Undecided, None) => "not decided: more values would help".into(),
            (Answer::TooFew, _) => "too few values: give more, or a larger --misrate".into(),
        }
    }

    fn quantiles_in_words(&self) -> Option<String> {
        let range = self.quantiles.as_ref()?;
        Some(format!("from {:.3}x to {:.3}x", range.start(), range.end()))
    }

    fn text(&self, ascii: bool) -> String {
        let unit = Unit(&self.args.shown.unit);
        let line = |described: &Described<'_>| {
            let shape = shape_of(&described.parts, ShapeDetail::Fitting, |value| unit.told(value));
            let mut lines = vec![format!("{}: {shape}", counted(described.sample.size(), "value"))];
            let rare = described.rare_modes_told(&unit).into_iter();
            lines.extend(rare.map(|rare| format!("rare mode: {rare}")));
            lines
        };
        let [before, current] = self.described.each_ref().map(line);
        let mut rows = vec![("before", before), ("current", current)];
        rows.extend(self.shift.map(|shift| ("shift", vec![unit.range(shift)])));
        rows.extend(self.ratio.map(|it| {
            ("ratio", vec![format!("{:.3}x [{:.3}, {:.3}]", it.estimate, it.lower, it.upper)])
        }));
        rows.extend(self.quantiles_in_words().map(|words| ("quantiles", vec![words])));
        rows.push(("answer", vec![self.in_words()]));
        self.pictures(&unit, ascii) + &labelled(&rows) + &noted(&self.notes())
    }

    /// Both on one axis.
    fn pictures(&self, unit: &Unit<'_>, ascii: bool) -> String {
        let [before, current] = self.described.each_ref().map(Described::bulk);
        let (from, to) = (before.0.min(current.0), before.1.max(current.1));
        let picture = Histogram { from, to, ascii };
        let mut text = String::new();
        for (label, described) in ["before", "current"].into_iter().zip(&self.described) {
            let rows = picture.rows(described.drawn());
            let last = rows.len().saturating_sub(1);
            for (index, row) in rows.into_iter().enumerate() {
                let label = if index == last { label } else { "" };
                text += format!("{label:<9}{row}").trim_end();
                text += "\n";
            }
        }
        if text.is_empty() {
            return text;
        }
        format!("{text}{:9}{}\n\n", "", picture.ends(&unit.told(from), &unit.told(to)))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.described.iter().any(|it| it.parts.len() > 1) {
            let shares = |described: &Described<'_>| {
                let shares = described.parts.iter().map(|part| percent(part.mode.share));
                shares.collect::<Vec<_>>().join(" and ")
            };
            let [before, current] = self.described.each_ref().map(shares);
            notes.push(format!(
                "modes held {before} of the values before, and {current} now: compare mode by mode"
            ));
        }
        if self.ratio.is_none() && self.shift.is_some() {
            notes.push(match self.allowed_shift() {
                0.0 => "values of 0 and below have no ratio: any shift counts".into(),
                allowed => format!(
                    "values of 0 and below have no ratio: a shift counts beyond {} of the median before, {}",
                    percent(self.args.threshold),
                    Unit(&self.args.shown.unit).told(allowed)
                ),
            });
        }
        notes
    }

    fn json(&self) -> Value {
        let interval = |it: Interval| {
            json!({
                "estimate": told(it.estimate), "lower": told(it.lower), "upper": told(it.upper),
            })
        };
        let quantiles = self.quantiles.as_ref();
        json!({
            "event": "compare",
            "v": 1,
            "sources": self.inputs.each_ref().map(|input| &input.name),
            "unit": self.args.shown.unit,
            "counts": self.inputs.each_ref().map(|input| input.sample.size()),
            "answer": self.answer().name(),
            "threshold": self.args.threshold,
            "misrate": self.args.bounded.misrate,
            "ratio": self.ratio.map(interval),
            "shift": self.shift.map(interval),
            "quantile_ratios": quantiles.map(|it| [told(*it.start()), told(*it.end())]),
            "modes": self.described.each_ref().map(Described::modes_as_json),
            "rare_modes": self.described.each_ref().map(Described::rare_modes_as_json),
            "notes": self.notes(),
        })
    }
}

impl Answer {
    fn by(bounds: Interval, least: f64, most: f64) -> Self {
        match bounds {
            it if it.lower > most => Self::Larger,
            it if it.upper < least => Self::Smaller,
            it if it.lower >= least && it.upper <= most => Self::Same,
            _ => Self::Undecided,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Larger => "larger",
            Self::Smaller => "smaller",
            Self::Same => "same",
            Self::Mixed => "mixed",
            Self::Undecided => "undecided",
            Self::TooFew => "too_few",
        }
    }
}
