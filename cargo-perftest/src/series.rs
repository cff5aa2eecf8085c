//! Finds the test that a user names, and names histories.

use crate::exit::{Result, refuse};
use crate::report::print_progress;
use perftest_core::model::{BenchmarkId, Metric};
use perftest_core::words::one_line;
use perftest_store::Series;
use std::collections::BTreeMap;

/// Most suggested names.
const OFFERED: usize = 10;

/// Names a test, or a stage of one, and its metric unless that is wall time.
pub(crate) fn in_words(benchmark: &BenchmarkId, metric: &Metric) -> String {
    match metric {
        wall if *wall == Metric::wall() => benchmark.to_string(),
        other => format!("{benchmark}, {}", one_line(&other.name)),
    }
}

/// Names the [test](in_words) of a history.
pub(crate) fn name_of(series: &Series) -> String {
    in_words(&series.benchmark, &series.metric)
}

/// Names the difference of two histories of one metric: the units, or else the directions.
pub(crate) fn apart(metrics: [&Metric; 2]) -> [String; 2] {
    let [one, other] = metrics;
    match one.unit == other.unit {
        true => metrics.map(|it| format!("where {} is better", it.direction.name())),
        false => metrics.map(|it| format!("in {}", it.unit)),
    }
}

/// Refuses the name of a test that no history has.
///
/// # Errors
/// Always. The error has names that are near it.
pub(crate) fn refuse_unknown<T>(all: &[Series], test: &str) -> Result<T> {
    refuse(nothing_matches(&names_of(all), test))
}

/// Returns the [one test](the_one) with this name, or else the one that had it before it was renamed, and notes that.
pub(crate) fn meant_test(all: &[Series], test: &str) -> Result<Option<BenchmarkId>> {
    if let Some(found) = the_one(&names_of(all), test)? {
        return Ok(Some(BenchmarkId::from_recorded(found)));
    }
    let renamed = all.iter().filter_map(|it| Some((it.formerly.as_ref()?.as_str(), &it.benchmark)));
    let renamed: BTreeMap<&str, &BenchmarkId> = renamed.collect();
    let former: Vec<&str> = renamed.keys().copied().collect();
    let found = the_one(&former, test)?.map(|former| (former, renamed[former]));
    if let Some((former, now)) = found {
        print_progress(&format_args!("note: {} is called {} now", one_line(former), now));
    }
    Ok(found.map(|(_, now)| now.clone()))
}

fn names_of(all: &[Series]) -> Vec<&str> {
    let mut names: Vec<&str> = all.iter().map(|series| series.benchmark.as_str()).collect();
    names.dedup();
    names
}

/// Returns the one of these items whose name is [meant](the_one).
///
/// # Errors
/// When several names match equally well.
pub(crate) fn take_the_one<T>(
    mut items: Vec<T>,
    test: &str,
    name_of: impl Fn(&T) -> &str,
) -> Result<Option<T>> {
    let names: Vec<&str> = items.iter().map(name_of).collect();
    let found = the_one(&names, test)?;
    let place = names.iter().position(|name| Some(*name) == found);
    Ok(place.map(|place| items.swap_remove(place)))
}

/// Returns the name that is meant: the equal one, or else the only one that ends in it after `::`,
/// or else the only one that contains it. A stage is meant only if no whole test is.
///
/// # Errors
/// When several names match equally well.
pub(crate) fn the_one<'a>(names: &[&'a str], test: &str) -> Result<Option<&'a str>> {
    if let Some(exact) = names.iter().copied().find(|name| *name == test) {
        return Ok(Some(exact));
    }
    let ending = format!("::{test}");
    let mut matches = wholes_else_stages(names.iter().copied().filter(|it| it.ends_with(&ending)));
    if matches.is_empty() {
        matches = wholes_else_stages(names.iter().copied().filter(|name| name.contains(test)));
    }
    match matches.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(*only)),
        several => refuse(ambiguous(several, test)),
    }
}

fn wholes_else_stages<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (stages, wholes): (Vec<&str>, Vec<&str>) = names.partition(|name| name.contains('/'));
    if wholes.is_empty() { stages } else { wholes }
}

/// Lists the tests that the name may mean.
fn ambiguous(matches: &[&str], test: &str) -> String {
    let count = matches.len();
    format!("`{test}` is in the names of {count} tests; give more of one of them:{}", list(matches))
}

/// Returns the pattern of all cases of the function with this name or this end of its name, if it has several.
///
/// ```text
/// codec::perf::checksum::*
/// ```
pub(crate) fn pattern_of_cases(names: &[&str], function: &str) -> Option<String> {
    let (start, inside) = (format!("{function}::"), format!("::{function}::"));
    let beginning = |name: &str| match name.find(&inside) {
        Some(place) => Some(name[..place + inside.len()].to_owned()),
        None => name.starts_with(&start).then(|| start.clone()),
    };
    let mut beginnings = names.iter().filter_map(|name| beginning(name));
    let first = beginnings.next()?;
    let mut cases = 1;
    for other in beginnings {
        if other != first {
            return None;
        }
        cases += 1;
    }
    (cases > 1).then(|| format!("{first}*"))
}

fn nothing_matches(names: &[&str], test: &str) -> String {
    if names.is_empty() {
        return "nothing is recorded for this project yet; run its performance tests with \
                `cargo test --release`, then ask again"
            .into();
    }
    let mut near: Vec<(f64, &str)> =
        names.iter().map(|name| (likeness(name, test), *name)).collect();
    near.retain(|(likeness, _)| *likeness > 0.75);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().map(|(_, name)| name).take(3).collect();
    if near.is_empty() {
        return format!("no test has `{test}` in its name; `cargo perftest history` lists all");
    }
    format!("no test has `{test}` in its name; near it:{}", list(&near))
}

/// Returns the similarity to the whole name, or to its last part if that is larger.
fn likeness(name: &str, test: &str) -> f64 {
    let last = name.rsplit("::").next().unwrap_or(name);
    strsim::jaro_winkler(name, test).max(strsim::jaro_winkler(last, test))
}

fn list(names: &[&str]) -> String {
    let mut text: String =
        names.iter().take(OFFERED).map(|name| format!("\n  {}", one_line(name))).collect();
    if names.len() > OFFERED {
        text.push_str(&format!("\n  and {} more", names.len() - OFFERED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_itself_then_what_ends_in_it_then_what_has_it_and_a_whole_test_before_a_stage() {
        let names = ["codec::pack", "codec::pack/sort", "codec::pack::1", "codec::pack::1024"];
        let the_one = |test| the_one(&names, test).map_err(|it| it.to_string());
        assert_eq!(the_one("codec::pack"), Ok(Some("codec::pack")));
        assert_eq!(the_one("pack::1"), Ok(Some("codec::pack::1")));
        assert_eq!(the_one("102"), Ok(Some("codec::pack::1024")));
        assert_eq!(the_one("pack/s"), Ok(Some("codec::pack/sort")));
        assert_eq!(the_one("hash"), Ok(None));
        assert!(the_one("k::1").unwrap_err().contains("2 tests"));
    }

    #[test]
    fn all_cases_of_one_function_have_a_pattern() {
        let names = ["codec::pack::1", "codec::pack::1024", "codec::repack::1", "codec::sum"];
        let pattern = |function| pattern_of_cases(&names, function);
        for function in ["pack", "codec::pack"] {
            assert_eq!(pattern(function).as_deref(), Some("codec::pack::*"), "{function}");
        }
        for other in ["repack", "sum", "ack", "hash"] {
            assert_eq!(pattern(other), None, "{other}");
        }
        let of_two = ["codec::a::pack::1", "codec::b::pack::1"];
        assert_eq!(pattern_of_cases(&of_two, "pack"), None);
    }
}
