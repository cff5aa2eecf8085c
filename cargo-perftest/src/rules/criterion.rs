//! One criterion with its minimum effect, or a combination of several.

use super::Entries;
use perftest_analysis::thresholds::{
    Boundaries, Compat, Criterion, Rule, SignificanceTest, Threshold, ThresholdError, ThresholdTest,
};
use perftest_core::model::Tolerance;

/// The keys of one criterion.
pub(super) const KEYS: [&str; 9] = [
    "test",
    "lower",
    "upper",
    "min_sample_size",
    "max_sample_size",
    "window",
    "compat",
    "alpha",
    "minimum_effect",
];
/// The keys that combine several criteria.
pub(super) const COMBINED: [&str; 2] = ["all", "any"];

/// Describes an unknown key. Hints at `all` and `any` for two likely guesses.
pub(super) fn unknown(key: &str, of: &str, known: &[&str]) -> String {
    match key {
        "rules" | "combine" => format!(
            "`{key}` is no key of {of}: write all = [..] to alarm if every rule does, or any = [..] if one \
             does; each may contain the other"
        ),
        _ => format!("unknown key `{key}` of {of}; the keys are {}", known.join(", ")),
    }
}

const OF_THRESHOLD: [&str; 6] =
    ["lower", "upper", "min_sample_size", "max_sample_size", "window", "compat"];
const OF_SIGNIFICANCE: [&str; 2] = ["alpha", "max_sample_size"];
const OF_CHANGE: [&str; 1] = ["max_sample_size"];

/// Default number of earlier values that a test reads.
const NEWEST: u32 = 30;
const ALPHA: f64 = 0.01;

/// The minimum effect of a table around a criterion, if it has one.
type Effect = Option<Option<Tolerance>>;

/// Reads the rule of a table: its own criterion, or a combination.
pub(super) fn rule(entries: Entries<'_>, outer: Effect) -> Result<Rule, String> {
    let given: Vec<&str> =
        ["test", "all", "any"].into_iter().filter(|key| entries.has(key)).collect();
    let effect = entries.effect("minimum_effect")?.or(outer);
    match given.as_slice() {
        ["test"] => one(entries, effect),
        [combined] => several(entries, combined, effect),
        [] => {
            let why = format!(
                "it has no test: write test = \"t_test\"; the tests are {}. Several are combined with \
                 all = [..] or any = [..]",
                tests()
            );
            Err(entries.wrong("test", &why))
        }
        [_, second, ..] => {
            let why = "it takes only one of `test`, `all` and `any`: write combined tests inside of `all` \
                       or `any`";
            Err(entries.wrong(second, why))
        }
    }
}

/// Reads an AND or OR.
fn several(entries: Entries<'_>, key: &str, effect: Effect) -> Result<Rule, String> {
    let is_misplaced = |own: &&&str| **own != "minimum_effect" && entries.has(own);
    if let Some(own) = KEYS.iter().find(is_misplaced) {
        let why = format!("`{own}` belongs to a test: write it beside `test`, inside of `{key}`");
        return Err(entries.wrong(own, &why));
    }
    let example =
        format!("`{key}` is a list: {key} = [ {{ test = \"t_test\", upper = 0.99 }}, .. ]");
    let list = entries.value(key).and_then(|value| value.get_ref().as_array());
    let list = list.filter(|list| !list.is_empty()).ok_or_else(|| entries.wrong(key, &example))?;
    let nested = |value| nested(Entries::of(entries.source(), value, "a criterion")?, effect);
    let rules = list.iter().map(nested).collect::<Result<Vec<Rule>, String>>()?;
    Ok(if key == "all" { Rule::All(rules) } else { Rule::Any(rules) })
}

fn nested(entries: Entries<'_>, effect: Effect) -> Result<Rule, String> {
    let known = [&KEYS[..], &COMBINED].concat();
    entries.only(&known, |key| unknown(key, "a criterion", &known))?;
    rule(entries, effect)
}

fn one(entries: Entries<'_>, effect: Effect) -> Result<Rule, String> {
    let name = entries.text("test")?.unwrap_or_default();
    let unknown = || {
        let why = format!("there is no test {name:?}; the tests are {}", tests());
        entries.wrong("test", &why)
    };
    let criterion = if let Some(test) = ThresholdTest::from_name(name) {
        takes(entries, name, &OF_THRESHOLD)?;
        Criterion::Threshold(threshold(entries, test)?)
    } else if let Some(test) = SignificanceTest::from_name(name) {
        takes(entries, name, &OF_SIGNIFICANCE)?;
        Criterion::Significance { test, alpha: alpha(entries)?, newest: newest(entries)? }
    } else if name == "change" {
        takes(entries, name, &OF_CHANGE)?;
        Criterion::Change { newest: newest(entries)? }
    } else {
        return Err(unknown());
    };
    let minimum_effect = minimum_effect(entries, name, effect)?;
    Ok(Rule::One { criterion, minimum_effect })
}

/// Refuses keys of other tests.
fn takes(entries: Entries<'_>, test: &str, own: &[&str]) -> Result<(), String> {
    let is_others = |key: &&&str| {
        !matches!(**key, "test" | "minimum_effect") && !own.contains(*key) && entries.has(key)
    };
    match KEYS.iter().find(is_others) {
        Some(key) => {
            let own = own.join(", ");
            let why = format!("{test} has no key `{key}`; it takes {own} and minimum_effect");
            Err(entries.wrong(key, &why))
        }
        None => Ok(()),
    }
}

/// Reads the smallest change that matters. A significant change may still be too small to matter,
/// so each test that has no threshold for the size requires this key.
fn minimum_effect(
    entries: Entries<'_>,
    test: &str,
    effect: Effect,
) -> Result<Option<Tolerance>, String> {
    match (effect, test) {
        (None | Some(None), "change") => {
            let why = "change needs a minimum effect, because it has no other limit: write \
                       minimum_effect = \"5%\"";
            Err(entries.wrong("test", why))
        }
        (Some(effect), _) => Ok(effect),
        (None, "static" | "percentage") => Ok(None),
        (None, _) => {
            let why = format!(
                "{test} finds changes too small to matter: write minimum_effect = \"5%\" beside it, or \
                 minimum_effect = \"none\" if every change matters"
            );
            Err(entries.wrong("test", &why))
        }
    }
}

fn alpha(entries: Entries<'_>) -> Result<f64, String> {
    let alpha = entries.number("alpha")?.unwrap_or(ALPHA);
    if alpha > 0.0 && alpha < 0.5 {
        return Ok(alpha);
    }
    Err(entries.wrong("alpha", "`alpha` is a probability above 0 and below 0.5, such as 0.01"))
}

fn newest(entries: Entries<'_>) -> Result<usize, String> {
    Ok(entries.count("max_sample_size")?.unwrap_or(NEWEST) as usize)
}

fn threshold(entries: Entries<'_>, test: ThresholdTest) -> Result<Threshold, String> {
    let boundaries =
        Boundaries { lower: entries.number("lower")?, upper: entries.number("upper")? };
    let fewest = entries.count("min_sample_size")?;
    let most = entries.count("max_sample_size")?;
    let wrong = |it: ThresholdError| entries.wrong(it.key, &(it.problem + it.hint));
    let threshold = Threshold::new(test, boundaries).map_err(wrong)?;
    let mut threshold = threshold.with_sample_sizes(fewest, most).map_err(wrong)?;
    if let Some(seconds) = entries.seconds("window")? {
        threshold = threshold.with_window_s(seconds).map_err(wrong)?;
    }
    Ok(threshold.with_compat(compat(entries)?))
}

fn compat(entries: Entries<'_>) -> Result<Compat, String> {
    let Some(name) = entries.text("compat")? else {
        return Ok(Compat::Present);
    };
    Compat::from_name(name).ok_or_else(|| {
        let why = "`compat` is \"0.6.2\", for the formulas of that release and those before it; leave \
                   it out for the newer ones";
        entries.wrong("compat", why)
    })
}

fn tests() -> String {
    let all = ThresholdTest::ALL.map(ThresholdTest::name).into_iter();
    let all = all.chain(SignificanceTest::ALL.map(SignificanceTest::name));
    all.chain(["change"]).collect::<Vec<_>>().join(", ")
}
