//! The settings by name, for the settings file and the environment.

use super::choices::{Learn, OnDebug, OnImproved, OnRed, OnUnclear};
use super::effective::{EffectiveValue, SettingOrigin, Settings};
use super::layer::Layer;
use super::written::{duration, percent};
use perftest_core::model::{OnUnjudged, Tolerance};
use perftest_core::words::plain_quantity;
use std::time::Duration;

/// One setting.
pub(super) struct Key {
    /// The setting's name in an attribute, perhaps in `expert(..)`, and in the settings file.
    pub name: &'static str,
    /// The allowed values, for an error message.
    takes: &'static str,
    /// Reads a value into a layer; `false` for a value that is not allowed.
    read: fn(&str, &mut Layer) -> bool,
    /// Whether the setting counts for a test that is compared with a function instead of its
    /// history.
    pub counts_beside_versus: bool,
    /// Returns the effective value in words, and the place that set it.
    pub show: fn(&Settings) -> (String, &SettingOrigin),
}

/// All settings in their printed order.
pub(super) const KEYS: [Key; 11] = [
    Key {
        name: "tolerance",
        takes: "a percentage such as \"5%\", or a number such as 0.05 or 1.05",
        read: |text, layer| set(&mut layer.tolerance, text.parse().ok().map(Tolerance::share)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.tolerance, |it| percent(it.share())),
    },
    Key {
        name: "budget",
        takes: "a time such as \"500ms\" or \"3s\"",
        read: |text, layer| set(&mut layer.budget, duration(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.budget, time),
    },
    Key {
        name: "limit",
        takes: "a time such as \"50ms\" or \"200us\"",
        read: |text, layer| set(&mut layer.limit, duration(text)),
        counts_beside_versus: false,
        show: |settings| shown(&settings.limit, |it| it.as_ref().map_or_else(none, time)),
    },
    Key {
        name: "on_red",
        takes: "\"fail\" or \"report\"",
        read: |text, layer| set(&mut layer.on_red, OnRed::from_name(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.on_red, |it| it.name().to_owned()),
    },
    Key {
        name: "on_improved",
        takes: "\"pass\" or \"fail\"",
        read: |text, layer| set(&mut layer.on_improved, OnImproved::from_name(text)),
        counts_beside_versus: false,
        show: |settings| shown(&settings.on_improved, |it| it.name().to_owned()),
    },
    Key {
        name: "on_unclear",
        takes: "\"pass\" or \"fail\"",
        read: |text, layer| set(&mut layer.on_unclear, OnUnclear::from_name(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.on_unclear, |it| it.name().to_owned()),
    },
    Key {
        name: "on_unjudged",
        takes: "\"pass\", \"fail\" or \"fail-in-ci\"",
        read: |text, layer| set(&mut layer.on_unjudged, OnUnjudged::from_name(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.on_unjudged, |it| it.name().to_owned()),
    },
    Key {
        name: "timeout",
        takes: "a time such as \"90s\" or \"5m\"",
        read: |text, layer| set(&mut layer.timeout, duration(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.timeout, time),
    },
    Key {
        name: "max_measurements",
        takes: "a whole number from 3 to 10000",
        read: |text, layer| {
            let most = text.parse().ok().filter(|it| (3..=10_000).contains(it));
            set(&mut layer.max_measurements, most)
        },
        counts_beside_versus: false,
        show: |settings| {
            shown(&settings.max_measurements, |it| it.map_or_else(none, |it| it.to_string()))
        },
    },
    Key {
        name: "on_debug",
        takes: "\"smoke\", \"measure\" or \"fail\"",
        read: |text, layer| set(&mut layer.on_debug, OnDebug::from_name(text)),
        counts_beside_versus: true,
        show: |settings| shown(&settings.on_debug, |it| it.name().to_owned()),
    },
    Key {
        name: "learn",
        takes: "\"at-once\" or \"one-per-run\"",
        read: |text, layer| set(&mut layer.learn, Learn::from_name(text)),
        counts_beside_versus: false,
        show: |settings| shown(&settings.learn, |it| it.name().to_owned()),
    },
];

impl Key {
    /// Reads a value.
    ///
    /// # Errors
    /// The allowed values of the key.
    pub(super) fn read(&self, text: &str, layer: &mut Layer) -> Result<(), String> {
        let is_read = (self.read)(text, layer);
        if is_read { Ok(()) } else { Err(format!("it takes {}", self.takes)) }
    }

    /// The name of its environment variable.
    pub(super) fn variable(&self) -> String {
        format!("PERFTEST_{}", self.name.to_ascii_uppercase())
    }
}

/// Sets a value that could be read; returns whether there was one.
fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let is_read = value.is_some();
    *slot = value;
    is_read
}

/// The variables of all settings.
pub(crate) fn setting_variables() -> impl Iterator<Item = String> {
    KEYS.iter().map(Key::variable)
}

/// Reads the layer of the environment.
///
/// # Errors
/// A message with the variable, its value and the allowed values.
pub(crate) fn of_variables(get: &dyn Fn(&str) -> Option<String>) -> Result<Layer, String> {
    let mut layer = Layer::SILENT;
    for key in &KEYS {
        let variable = key.variable();
        if let Some(text) = get(&variable) {
            let read = key.read(&text, &mut layer);
            read.map_err(|takes| format!("{variable}={text} cannot be read: {takes}"))?;
        }
    }
    Ok(layer)
}

fn shown<T>(
    effective: &EffectiveValue<T>,
    show: impl Fn(&T) -> String,
) -> (String, &SettingOrigin) {
    (show(&effective.value), &effective.origin)
}

fn none() -> String {
    "none".to_owned()
}

fn time(duration: &Duration) -> String {
    plain_quantity(duration.as_nanos() as f64, "ns")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Result<Layer, String> {
        let find = |name: &str| pairs.iter().find(|(key, _)| *key == name);
        of_variables(&|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_setting_has_a_variable() {
        let layer = variables(&[
            ("PERFTEST_TOLERANCE", "10%"),
            ("PERFTEST_BUDGET", "500ms"),
            ("PERFTEST_TIMEOUT", "2m"),
            ("PERFTEST_LIMIT", "20us"),
            ("PERFTEST_MAX_MEASUREMENTS", "30"),
            ("PERFTEST_ON_RED", "report"),
            ("PERFTEST_ON_IMPROVED", "fail"),
            ("PERFTEST_ON_UNCLEAR", "fail"),
            ("PERFTEST_ON_UNJUDGED", "pass"),
            ("PERFTEST_ON_DEBUG", "measure"),
            ("PERFTEST_LEARN", "one-per-run"),
        ]);
        let expected = Layer {
            tolerance: Some(0.1),
            budget: Some(Duration::from_millis(500)),
            timeout: Some(Duration::from_secs(120)),
            limit: Some(Duration::from_micros(20)),
            max_measurements: Some(30),
            on_red: Some(OnRed::Report),
            on_improved: Some(OnImproved::Fail),
            on_unclear: Some(OnUnclear::Fail),
            on_unjudged: Some(OnUnjudged::Pass),
            on_debug: Some(OnDebug::Measure),
            learn: Some(Learn::OnePerRun),
        };
        assert_eq!(layer, Ok(expected));
        assert_eq!(variables(&[]), Ok(Layer::SILENT));
    }

    #[test]
    fn a_wrong_value_is_refused_with_what_the_variable_takes() {
        for (name, value, takes) in [
            ("PERFTEST_TOLERANCE", "5", "a percentage"),
            ("PERFTEST_BUDGET", "soon", "a time"),
            ("PERFTEST_MAX_MEASUREMENTS", "2", "from 3"),
            ("PERFTEST_ON_DEBUG", "skip", "\"smoke\""),
        ] {
            let message = variables(&[(name, value)]).unwrap_err();
            assert!(message.starts_with(&format!("{name}={value} ")), "{message}");
            assert!(message.contains(takes), "{message}");
        }
    }
}
