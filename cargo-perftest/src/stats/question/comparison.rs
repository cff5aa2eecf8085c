//! Compares two inputs.

use crate::args::stats::{Compare as Args, CompareRule};
use crate::exit::{CommandError, Result, refuse};
use crate::report::{Unit, json_number, percent, ratio as in_times};
use crate::stats::input::Input;
use crate::stats::mode_pairs::ModePair;
use crate::stats::mode_shares::shares_differ;
use crate::stats::sample_description::SampleDescription;
use crate::stats::ticks::{common_tick, has_few_values, within_tick};
use perftest_analysis::stats::{disparity_bounds, ratio_range, shift_range, trimmed_harrell_davis};
use perftest_analysis::thresholds::{ClickHouse, ClickHouseAnswer, ClickHouseDecision};
use perftest_core::model::{Interval, Sample};
use perftest_core::named;
use perftest_core::stats::{Lowland, RankStep, ratio_bounds, shift_bounds};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// The cost of ClickHouse's rule grows with the square of the number of values.
const MOST_FOR_CLICKHOUSE: usize = 4_000;

named! {
    /// The answer about the second input.
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum InputDifference {
        Larger = "larger",
        Smaller = "smaller",
        Same = "same",
        /// The median did not move, but a mode did, or its share of the values.
        Mixed = "mixed",
        Undecided = "undecided",
        /// By ClickHouse's rule: chance alone moves the median too far.
        Unstable = "unstable",
        TooFew = "too_few",
    }
}

/// A comparison of two inputs.
pub(super) struct InputComparison<'a> {
    pub(super) inputs: [&'a Input; 2],
    args: &'a Args,
    pub(super) described: [SampleDescription<'a>; 2],
    /// The resolution over which ties are spread; `None` without ties, or if no clock made them.
    tick: Option<f64>,
    /// Both samples with spread ties.
    pub(super) spread: [Sample; 2],
    /// The ratio; `None` with values of 0 and below.
    pub(super) ratio: Option<Interval>,
    pub(super) shift: Option<Interval>,
    /// The shift in units of the spread; `None` with too few values or without a spread.
    effect: Option<Interval>,
    /// Ratios of quantiles.
    quantiles: Option<RangeInclusive<f64>>,
    /// The paired modes; empty if both inputs have one mode.
    pub(super) modes: Vec<ModePair>,
    /// The answer of ClickHouse's rule, if that rule decides.
    clickhouse: Option<ClickHouseAnswer>,
}

impl<'a> InputComparison<'a> {
    /// Compares the second input with the first one.
    pub(super) fn of(inputs: [&'a Input; 2], args: &'a Args) -> Result<Self> {
        let [before, current] = inputs.map(|input| &input.sample);
        let tail = args.bounded.misrate / 2.0;
        let described = [before, current]
            .map(|sample| SampleDescription::of(sample, args.ticks.resolution, Lowland::default()));
        let tick = common_tick([before, current], args.ticks.resolution);
        let modes = ModePair::all(&described[0], &described[1], tick, tail);
        let clickhouse = by_clickhouse(args.rule, before, current)?;
        let spread = [before, current].map(|sample| within_tick(sample, tick));
        let [before, current] = &spread;
        Ok(Self {
            inputs,
            args,
            described,
            tick,
            ratio: ratio_bounds(current, before, tail, RankStep::Conservative),
            shift: shift_bounds(current, before, tail, RankStep::Conservative),
            effect: disparity_bounds(current, before, tail),
            quantiles: ratio_range(before, current, trimmed_harrell_davis),
            spread,
            modes,
            clickhouse,
        })
    }

    /// Decides by the ratio; without one by the shift, as a share of the median before.
    pub(super) fn answer(&self) -> InputDifference {
        if let Some(answer) = &self.clickhouse {
            return InputDifference::by_clickhouse(answer);
        }
        let (least, most) = self.allowed_ratios();
        let answer = match (self.ratio, self.shift) {
            (Some(ratio), _) => InputDifference::by(ratio, least, most),
            (None, Some(shift)) => {
                InputDifference::by(shift, -self.allowed_shift(), self.allowed_shift())
            }
            (None, None) => InputDifference::TooFew,
        };
        match answer {
            InputDifference::Same | InputDifference::Undecided
                if self.has_moved_mode() || self.has_other_shares() =>
            {
                InputDifference::Mixed
            }
            answer => answer,
        }
    }

    /// Returns whether a mode is faster or slower by its bounds. With more modes in one input, a mode of the other one
    /// is paired with a part of itself.
    fn has_moved_mode(&self) -> bool {
        let [before, current] = self.described.each_ref().map(|it| it.parts.len());
        let (least, most) = self.allowed_ratios();
        let has_moved = |ratio: Interval| {
            matches!(
                InputDifference::by(ratio, least, most),
                InputDifference::Larger | InputDifference::Smaller
            )
        };
        before == current && self.modes.iter().filter_map(|pair| pair.ratio).any(has_moved)
    }

    /// Returns whether a mode is new or gone, or has more or fewer of the values.
    fn has_other_shares(&self) -> bool {
        let (least, most) = self.allowed_ratios();
        let shift = self.allowed_shift();
        let allowed = |value: f64| match self.ratio {
            Some(_) => [value * least, value * most],
            None => [value - shift, value + shift],
        };
        shares_differ(&self.described, allowed, self.args.bounded.misrate)
    }

    /// The range of ratios that count as no difference.
    fn allowed_ratios(&self) -> (f64, f64) {
        let most = 1.0 + self.args.threshold;
        (1.0 / most, most)
    }

    /// The largest shift that counts as no difference.
    fn allowed_shift(&self) -> f64 {
        self.args.threshold * self.inputs[0].sample.median().abs()
    }

    pub(super) fn in_words(&self) -> String {
        if let Some(answer) = &self.clickhouse {
            return clickhouse_in_words(answer);
        }
        let threshold = percent(self.args.threshold);
        match (self.answer(), self.ratio) {
            (InputDifference::Larger, Some(ratio)) => {
                let [estimate, lower] = [ratio.estimate, ratio.lower].map(in_times);
                format!("larger: {estimate}, at least {lower}")
            }
            (InputDifference::Smaller, Some(ratio)) => {
                let [estimate, upper] = [ratio.estimate, ratio.upper].map(in_times);
                format!("smaller: {estimate}, at most {upper}")
            }
            (InputDifference::Larger, None) => "larger".into(),
            (InputDifference::Smaller, None) => "smaller".into(),
            (InputDifference::Same, _) => format!("no difference of more than {threshold}"),
            (InputDifference::Mixed, _) => format!(
                "mixed: a part of the values moved and the others did not, quantiles {}",
                self.quantiles_in_words().unwrap_or_else(|| self.quantile_shifts_in_words())
            ),
            (InputDifference::Undecided, Some(ratio)) => format!(
                "not decided: between {:.2}x and {:.2}x; more values would show whether it is more \
                 than {threshold}",
                ratio.lower, ratio.upper
            ),
            (InputDifference::Undecided | InputDifference::Unstable, _) => {
                "not decided: more values would help".into()
            }
            (InputDifference::TooFew, _) => format!(
                "too few values: {} on each side would do, or a larger --misrate",
                fewest_on_each_side(self.args.bounded.misrate / 2.0)
            ),
        }
    }

    /// The ratio in a cell.
    pub(super) fn ratio_cell(&self) -> String {
        self.ratio.map_or_else(|| "-".into(), |it| format!("{:.3}x", it.estimate))
    }

    /// The bounds of the ratio in a cell.
    pub(super) fn bounds_cell(&self) -> String {
        self.ratio.map_or_else(|| "-".into(), |it| format!("[{:.3}, {:.3}]", it.lower, it.upper))
    }

    /// The effect size; `None` if the spread is a distance between modes.
    pub(super) fn effect_in_words(&self) -> Option<String> {
        let effect = self.effect.filter(|_| self.modes.is_empty())?;
        Some(format!(
            "{:.2} [{:.2}, {:.2}] times the spread",
            effect.estimate, effect.lower, effect.upper
        ))
    }

    pub(super) fn quantiles_in_words(&self) -> Option<String> {
        let range = self.quantiles.as_ref()?;
        Some(format!("from {:.3}x to {:.3}x", range.start(), range.end()))
    }

    fn quantile_shifts_in_words(&self) -> String {
        let [before, current] = &self.spread;
        let range = shift_range(before, current, trimmed_harrell_davis);
        let [least, most] =
            [range.start(), range.end()].map(|shift| Unit(&self.args.shown.unit).format(*shift));
        format!("shifted by {least} to {most}")
    }

    pub(super) fn notes(&self) -> Vec<String> {
        if self.clickhouse.is_some() {
            return Vec::new();
        }
        let mut notes = Vec::new();
        let unit = Unit(&self.args.shown.unit);
        if self.ratio.is_none() && self.shift.is_some() {
            notes.push(match self.allowed_shift() {
                0.0 => "values of 0 and below have no ratio: any shift counts".into(),
                allowed => format!(
                    "values of 0 and below have no ratio: a shift counts beyond {} of the median before, {}",
                    percent(self.args.threshold),
                    unit.format(allowed)
                ),
            });
        }
        if let Some(tick) = self.tick {
            notes.push(format!(
                "values come in ticks: ties were spread over {} before they were compared",
                unit.format(tick)
            ));
        } else if self.args.ticks.resolution.is_none()
            && self.inputs.iter().any(|input| has_few_values(&input.sample))
        {
            notes.push(
                "few distinct values: if a coarse clock made them, give its resolution with --resolution"
                    .into(),
            );
        }
        notes
    }

    pub(super) fn as_json(&self) -> Value {
        let interval = |it: Interval| {
            json!({
                "estimate": json_number(it.estimate), "lower": json_number(it.lower), "upper": json_number(it.upper),
            })
        };
        let quantiles = self.quantiles.as_ref();
        json!({
            "event": "compare",
            "v": 1,
            "sources": self.inputs.map(|input| &input.name),
            "unit": self.args.shown.unit,
            "counts": self.inputs.map(|input| input.sample.size()),
            "answer": self.answer().name(),
            "threshold": self.args.threshold,
            "misrate": self.args.bounded.misrate,
            "ratio": self.ratio.map(interval),
            "shift": self.shift.map(interval),
            "effect": self.effect.map(interval),
            "quantile_ratios": quantiles.map(|it| [json_number(*it.start()), json_number(*it.end())]),
            "modes": self.described.each_ref().map(SampleDescription::modes_as_json),
            "rare_modes": self.described.each_ref().map(SampleDescription::rare_modes_as_json),
            "mode_by_mode": self.modes.iter().map(ModePair::as_json).collect::<Vec<_>>(),
            "clickhouse": self.clickhouse.map(|it| {
                json!({ "difference": json_number(it.difference), "threshold": json_number(it.threshold) })
            }),
            "notes": self.notes(),
        })
    }
}

/// Applies ClickHouse's rule, if it decides.
fn by_clickhouse(
    rule: CompareRule,
    before: &Sample,
    current: &Sample,
) -> Result<Option<ClickHouseAnswer>> {
    let rule = match rule {
        CompareRule::Bounds => return Ok(None),
        CompareRule::ClickHouse2021 => ClickHouse::BLOG_2021,
        CompareRule::ClickHouse2025 => ClickHouse::SCRIPTS_2025,
        CompareRule::ClickHouse2026 => ClickHouse::SCRIPTS_2026,
    };
    let size = before.size() + current.size();
    if size > MOST_FOR_CLICKHOUSE {
        return refuse(format!(
            "ClickHouse's rule takes at most {MOST_FOR_CLICKHOUSE} values here, and there are {size}: \
             give fewer, or the rule bounds"
        ));
    }
    let answer = rule.judge(before, current);
    let none = "ClickHouse's rule needs a median before above 0: take the rule bounds";
    answer.map(Some).ok_or_else(|| CommandError::Usage(none.into()))
}

fn clickhouse_in_words(answer: &ClickHouseAnswer) -> String {
    let (difference, threshold) = (100.0 * answer.difference, 100.0 * answer.threshold);
    let figures = format!("{difference:+.1}%, random labels make up to {threshold:.1}%");
    match InputDifference::by_clickhouse(answer) {
        InputDifference::Larger => format!("larger: {figures}"),
        InputDifference::Smaller => format!("smaller: {figures}"),
        InputDifference::Unstable => format!("unstable: {figures}"),
        _ => format!("no difference: {figures}"),
    }
}

/// Returns the values on each side that such bounds need.
fn fewest_on_each_side(tail: f64) -> usize {
    let exists = |size: &usize| {
        let sample = Sample::new((1..=*size).map(|value| value as f64).collect()).ok();
        sample.is_some_and(|it| shift_bounds(&it, &it, tail, RankStep::Conservative).is_some())
    };
    // Each further value on both sides makes bounds wrong about a quarter as often.
    (1..600).find(exists).unwrap_or(600)
}

impl InputDifference {
    fn by(bounds: Interval, least: f64, most: f64) -> Self {
        match bounds {
            it if it.lower > most => Self::Larger,
            it if it.upper < least => Self::Smaller,
            it if it.lower >= least && it.upper <= most => Self::Same,
            _ => Self::Undecided,
        }
    }

    fn by_clickhouse(answer: &ClickHouseAnswer) -> Self {
        match answer.decision {
            ClickHouseDecision::Changed if answer.difference > 0.0 => Self::Larger,
            ClickHouseDecision::Changed => Self::Smaller,
            ClickHouseDecision::Unchanged => Self::Same,
            ClickHouseDecision::Unstable => Self::Unstable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use perftest_core::stats::{Random, normal_quantile};

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        compare: Args,
    }

    /// Values with 2% noise; of four this many are `ratio` times as slow, on average.
    fn two_modes(random: &mut Random, size: usize, slow: usize, ratio: f64) -> Input {
        let mut value = || {
            let level = if random.below(4) < slow { 100.0 * ratio } else { 100.0 };
            level * (1.0 + 0.02 * normal_quantile(random.between(1e-9, 1.0)))
        };
        let sample = Sample::new((0..size).map(|_| value()).collect()).unwrap();
        Input { name: String::new(), sample }
    }

    fn answer(before: &Input, current: &Input) -> &'static str {
        answer_at("5%", before, current)
    }

    fn answer_at(threshold: &str, before: &Input, current: &Input) -> &'static str {
        let arguments = ["compare", "-", "--threshold", threshold];
        let args = CommandLine::try_parse_from(arguments).unwrap().compare;
        InputComparison::of([before, current], &args).unwrap().answer().name()
    }

    #[test]
    fn mixed_counts_with_zeros_have_the_range_of_their_shifts() {
        let counts = |zeros: usize, others: usize| {
            let others = (0..others).map(|nth| 95.0 + (nth % 11) as f64);
            let values = std::iter::repeat_n(0.0, zeros).chain(others).collect();
            Input { name: String::new(), sample: Sample::new(values).unwrap() }
        };
        let (before, after) = (counts(60, 60), counts(100, 20));
        let args = CommandLine::try_parse_from(["compare", "-", "--unit", "B"]).unwrap().compare;
        let compared = InputComparison::of([&before, &after], &args).unwrap();
        assert_eq!(compared.answer().name(), "mixed");
        let words = compared.in_words();
        assert!(
            words.contains("did not, quantiles shifted by -") && words.ends_with(" B"),
            "{words}"
        );
    }

    #[test]
    fn two_samples_of_the_same_two_modes_are_not_mixed() {
        let mut random = Random::new(7);
        let mut drawn = || two_modes(&mut random, 60, 1, 1.6);
        let mixed = (0..200).filter(|_| answer(&drawn(), &drawn()) == "mixed").count();
        // One in 1000 may be.
        assert!(mixed <= 1, "{mixed} of 200");
    }

    #[test]
    fn a_mode_of_one_sample_is_not_compared_with_both_modes_of_the_other() {
        // Of this pair one sample has one mode.
        let mut random = Random::new(421);
        let [before, current] = [(); 2].map(|()| two_modes(&mut random, 60, 2, 1.1));
        assert_eq!(answer_at("2%", &before, &current), "undecided");
    }

    #[test]
    fn a_mode_that_moved_or_has_more_of_the_values_is_mixed() {
        let mut random = Random::new(7);
        let before = two_modes(&mut random, 240, 1, 1.6);
        assert_eq!(answer(&before, &two_modes(&mut random, 240, 1, 1.9)), "mixed");
        assert_eq!(answer(&before, &two_modes(&mut random, 240, 2, 1.6)), "mixed");
        let one_mode = two_modes(&mut random, 240, 0, 1.6);
        assert_eq!(answer(&one_mode, &before), "mixed");
        assert_eq!(answer(&before, &one_mode), "mixed");
    }
}
