//! The effective settings: each from the strongest place that sets it.

use super::choices::{Learn, OnDebug, OnImproved, OnRed, OnUnclear};
use super::layer::Layer;
use perftest_core::judge::Policy;
use perftest_core::model::{Metric, Obstacle, OnUnjudged, Outcome, Reason, Tolerance};
use std::time::Duration;

/// Default time-out of a body: this many budgets, and at least [`SHORTEST_TIMEOUT`].
const BUDGETS_OF_TIMEOUT: u32 = 10;
const SHORTEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Unoptimised code takes ten times as long as optimised code, and more.
const UNOPTIMISED_TIMEOUTS: u32 = 10;

/// The place that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    /// No place: the default.
    BuiltIn,
    /// A table of the settings file: the file and its line.
    File { path: String, line: usize },
    /// `#[perf_group]` at this place.
    Group(String),
    /// `#[perf_test]`.
    Attribute,
    /// An environment variable.
    Variable,
}

/// A layer and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LayerFrom {
    pub origin: SettingOrigin,
    pub layer: Layer,
}

/// A value and the place that set it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EffectiveValue<T> {
    pub value: T,
    pub origin: SettingOrigin,
}

/// The settings of a test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub tolerance: EffectiveValue<Tolerance>,
    pub budget: EffectiveValue<Duration>,
    pub limit: EffectiveValue<Option<Duration>>,
    pub on_red: EffectiveValue<OnRed>,
    pub on_improved: EffectiveValue<OnImproved>,
    pub on_unclear: EffectiveValue<OnUnclear>,
    pub on_unjudged: EffectiveValue<OnUnjudged>,
    pub timeout: EffectiveValue<Duration>,
    pub max_measurements: EffectiveValue<Option<u32>>,
    pub on_debug: EffectiveValue<OnDebug>,
    pub learn: EffectiveValue<Learn>,
}

/// Merges layers, the strongest first, setting by setting.
pub(crate) fn effective(layers: &[LayerFrom]) -> Settings {
    let Policy { tolerance, budget_ns, .. } = Policy::default();
    let budget = first(layers, |it| it.budget, Duration::from_nanos(budget_ns));
    let timeout = budget.value.saturating_mul(BUDGETS_OF_TIMEOUT).max(SHORTEST_TIMEOUT);
    Settings {
        // The place that set a share has checked it.
        tolerance: first(layers, |it| Tolerance::new(it.tolerance?).ok(), tolerance),
        budget,
        limit: first(layers, |it| it.limit.map(Some), None),
        on_red: first(layers, |it| it.on_red, OnRed::Fail),
        on_improved: first(layers, |it| it.on_improved, OnImproved::Pass),
        on_unclear: first(layers, |it| it.on_unclear, OnUnclear::Pass),
        on_unjudged: first(layers, |it| it.on_unjudged, OnUnjudged::FailInCi),
        timeout: first(layers, |it| it.timeout, timeout),
        max_measurements: first(layers, |it| it.max_measurements.map(Some), None),
        on_debug: first(layers, |it| it.on_debug, OnDebug::Smoke),
        learn: first(layers, |it| it.learn, Learn::AtOnce),
    }
}

fn first<T>(
    layers: &[LayerFrom],
    of: impl Fn(&Layer) -> Option<T>,
    built_in: T,
) -> EffectiveValue<T> {
    let layer_from =
        layers.iter().find_map(|layer_from| Some((of(&layer_from.layer)?, &layer_from.origin)));
    match layer_from {
        Some((value, origin)) => EffectiveValue { value, origin: origin.clone() },
        None => EffectiveValue { value: built_in, origin: SettingOrigin::BuiltIn },
    }
}

impl Settings {
    /// Longest time in which a fresh process may send nothing: it tunes before its first answer.
    pub(crate) fn longest_answer(&self) -> Duration {
        self.timeout.value.saturating_add(self.budget.value)
    }

    /// Longest time without a finished batch in an unoptimised build: longer than the time-out, unless some place sets that.
    pub(crate) fn unoptimised_timeout(&self) -> Duration {
        let EffectiveValue { value, origin } = &self.timeout;
        let is_built_in = *origin == SettingOrigin::BuiltIn;
        value.saturating_mul(if is_built_in { UNOPTIMISED_TIMEOUTS } else { 1 })
    }

    /// Returns the policy for this metric.
    pub(crate) fn policy(&self, metric: &Metric) -> Policy {
        Policy {
            tolerance: self.tolerance.value,
            budget_ns: self.budget.value.as_nanos() as u64,
            limit: self.limit.value.map(|limit| limit.as_nanos() as f64),
            max_measurements: self.max_measurements.value,
            ..Policy::of(metric)
        }
    }

    /// Returns whether the verdict is printed and fails nothing.
    pub(crate) fn only_reports(&self) -> bool {
        self.on_red.value == OnRed::Report
    }

    /// Returns whether an improvement fails until it is accepted.
    pub(crate) fn fails_improved(&self) -> bool {
        self.on_improved.value == OnImproved::Fail
    }

    /// Returns the outcome for the test runner after this verdict.
    pub(crate) fn outcome(&self, reason: Reason) -> Outcome {
        let fails_unclear = self.on_unclear.value == OnUnclear::Fail;
        match reason {
            _ if self.only_reports() => Outcome::Passed,
            reason if reason.is_without_answer() && fails_unclear => Outcome::Failed,
            reason => reason.outcome(),
        }
    }

    /// Returns the outcome for the test runner if this obstacle prevented a verdict or a record.
    pub(crate) fn outcome_of_unjudged(&self, obstacle: &Obstacle, is_ci: bool) -> Outcome {
        if self.only_reports() {
            Outcome::Passed
        } else {
            obstacle.outcome(self.on_unjudged.value, is_ci)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer_from(origin: SettingOrigin, layer: Layer) -> LayerFrom {
        LayerFrom { origin, layer }
    }

    #[test]
    fn without_a_word_everything_is_built_in() {
        let settings = effective(&[]);
        assert_eq!(settings.policy(&Metric::wall()), Policy::default());
        assert_eq!(settings.tolerance.origin, SettingOrigin::BuiltIn);
        assert_eq!(settings.on_debug.value, OnDebug::Smoke);
    }

    #[test]
    fn the_strongest_word_counts_key_by_key() {
        let attribute = Layer { tolerance: Some(0.1), ..Layer::SILENT };
        let second = Duration::from_secs(1);
        let group = Layer { tolerance: Some(0.2), budget: Some(second), ..Layer::SILENT };
        let settings = effective(&[
            layer_from(SettingOrigin::Attribute, attribute),
            layer_from(SettingOrigin::Group("src/db.rs:3".into()), group),
        ]);
        assert_eq!(
            (settings.tolerance.value.share(), settings.tolerance.origin),
            (0.1, SettingOrigin::Attribute)
        );
        let of_group = SettingOrigin::Group("src/db.rs:3".into());
        assert_eq!((settings.budget.value, settings.budget.origin), (second, of_group));
    }

    #[test]
    fn a_body_has_ten_budgets_and_at_least_a_minute_unless_it_is_set() {
        let timeout = |layer| {
            effective(&[layer_from(SettingOrigin::Attribute, layer)]).timeout.value.as_secs()
        };
        assert_eq!(timeout(Layer::SILENT), 60);
        let budget = Some(Duration::from_secs(20));
        assert_eq!(timeout(Layer { budget, ..Layer::SILENT }), 200);
        let short = Some(Duration::from_secs(1));
        assert_eq!(timeout(Layer { budget, timeout: short, ..Layer::SILENT }), 1);
    }

    #[test]
    fn an_unoptimised_build_has_ten_times_as_long_unless_it_is_set() {
        let timeout = |layer| {
            let settings = effective(&[layer_from(SettingOrigin::Attribute, layer)]);
            settings.unoptimised_timeout().as_secs()
        };
        assert_eq!(timeout(Layer::SILENT), 600);
        assert_eq!(timeout(Layer { timeout: Some(Duration::from_secs(70)), ..Layer::SILENT }), 70);
    }

    #[test]
    fn an_unclear_end_fails_where_it_is_reported_to_and_nothing_fails_a_report() {
        let fails = Layer { on_unclear: Some(OnUnclear::Fail), ..Layer::SILENT };
        let strict = effective(&[layer_from(SettingOrigin::Attribute, fails)]);
        assert_eq!(effective(&[]).outcome(Reason::Unclear), Outcome::Passed);
        for reason in [Reason::Unclear, Reason::Unstable] {
            assert_eq!(strict.outcome(reason), Outcome::Failed, "{reason:?}");
        }
        assert_eq!(strict.outcome(Reason::NoBaseline), Outcome::Passed);
        let report = Layer { on_red: Some(OnRed::Report), ..fails };
        let report = effective(&[layer_from(SettingOrigin::Attribute, report)]);
        for reason in [Reason::Red, Reason::OverLimit, Reason::Unclear, Reason::Unaccepted] {
            assert_eq!(report.outcome(reason), Outcome::Passed, "{reason:?}");
        }
    }
}
