//! Parses values on the command line; errors list the allowed values.

use crate::shard::Shard;
use clap::ValueEnum;
use perftest_core::model::{BaselineRule, Tolerance};
use std::str::FromStr;
use std::time::Duration;

/// Returns the name of a value on the command line.
pub(crate) fn value_name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned())
}

/// Parses a number that is not below `least`; `advice` says what to give instead.
pub(super) fn at_least<T: FromStr + PartialOrd>(
    text: &str,
    least: T,
    advice: &str,
) -> Result<T, String> {
    text.parse().ok().filter(|number| *number >= least).ok_or_else(|| advice.to_owned())
}

pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    at_least(text, 1, "give a whole number, at least 1")
}

pub(super) fn upto_two_thousand(text: &str) -> Result<usize, String> {
    let count = at_least_one(text).ok().filter(|count| *count <= 2000);
    count.ok_or_else(|| "give a whole number from 1 to 2000".into())
}

pub(crate) fn ratio(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    let ratio = number.map_err(|_| "give a ratio such as 1.27".to_owned())?;
    if ratio.is_finite() && ratio > 1.0 {
        return Ok(ratio);
    }
    Err("a ratio above 1 accepts a slower level, such as 1.27 for 27% slower".into())
}

pub(super) fn history_runs(text: &str) -> Result<usize, String> {
    let needed = BaselineRule::default().needed;
    at_least(
        text,
        needed,
        &format!("give a whole number of runs, at least the {needed} a verdict needs"),
    )
}

pub(super) fn factor(text: &str) -> Result<f64, String> {
    match text.strip_suffix('x').unwrap_or(text).parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("give a factor above 0, such as 1.10 for 10% slower".into()),
    }
}

pub(super) fn tolerance(text: &str) -> Result<Tolerance, String> {
    text.parse().map_err(|_| {
        let largest = 100.0 * Tolerance::LARGEST_SHARE;
        format!("give a tolerance above 0% and up to {largest}%, such as 5%, 0.05 or 1.05")
    })
}

pub(super) fn budget(text: &str) -> Result<Duration, String> {
    let duration = text.parse::<jiff::SignedDuration>().ok();
    let budget = duration.and_then(|duration| Duration::try_from(duration).ok());
    budget.filter(|it| !it.is_zero()).ok_or_else(|| "give a time such as 500ms or 3s".into())
}

pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(number, count)| {
        Some(Shard { number: number.parse().ok()?, count: count.parse().ok()? })
    });
    parts
        .filter(|it| (1..=it.count).contains(&it.number))
        .ok_or_else(|| "give a part of all, from 1/5 to 5/5 for five jobs".to_owned())
}

/// One line, for it stands in tables.
pub(crate) fn reason(text: &str) -> Result<String, String> {
    let is_gap = |it: char| it.is_whitespace() || it.is_control();
    let words: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
    match text.contains(char::is_alphanumeric) {
        true => Ok(words.join(" ")),
        false => Err("give a reason in words, for later readers".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_with_a_word() {
        assert_eq!(reason(" known\nsince\r\n\tMay "), Ok("known since May".into()));
        for text in [" \n\t", "..", "!"] {
            assert!(reason(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_ratio_is_above_one() {
        assert_eq!(ratio("1.27"), Ok(1.27));
        assert_eq!(ratio("1.27x"), Ok(1.27));
        for text in ["1", "0.9", "-2", "NaN", "inf", "27%", ""] {
            assert!(ratio(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_shard_is_one_of_all() {
        assert_eq!(shard("2/5"), Ok(Shard { number: 2, count: 5 }));
        for text in ["0/5", "6/5", "2", "2/0", "a/b", "-1/5", ""] {
            assert!(shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_factor_is_above_zero() {
        assert_eq!((factor("1.10"), factor("0.9x")), (Ok(1.1), Ok(0.9)));
        for text in ["0", "-1", "NaN", "inf", "", "10%"] {
            assert!(factor(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_tolerance_is_a_share_and_a_budget_a_time() {
        let share = |text| tolerance(text).map(Tolerance::share);
        assert_eq!((share("5%"), share("5%"), share("0.05")), (Ok(0.05), Ok(0.05), Ok(0.05)));
        for text in ["0%", "-5%", "NaN", "5", "5000%", "%", ""] {
            assert!(share(text).is_err(), "{text}: {:?}", share(text));
        }
        assert_eq!(budget("500ms"), Ok(Duration::from_millis(500)));
        for text in ["0s", "-3s", "3", "soon"] {
            assert!(budget(text).is_err(), "{text}");
        }
    }
}
