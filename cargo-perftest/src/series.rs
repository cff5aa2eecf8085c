//! Finds the test a user means.

use crate::exit::Failure;
use perftest_store::Series;

/// Most names to offer.
const OFFERED: usize = 10;

/// The histories of the one test with this name, or whose name ends in it, or has it in it. A stage is
/// meant only where no whole test is.
pub(crate) fn of_test(all: Vec<Series>, test: &str) -> Result<Vec<Series>, Failure> {
    let mut names: Vec<&str> = all.iter().map(|series| series.benchmark.as_str()).collect();
    names.dedup();
    let ending = format!("::{test}");
    let mut matches = wholes_else_stages(names.iter().copied().filter(|it| it.ends_with(&ending)));
    if matches.is_empty() {
        matches = wholes_else_stages(names.iter().copied().filter(|name| name.contains(test)));
    }
    let found = match matches.as_slice() {
        _ if names.contains(&test) => test.to_owned(),
        [only] => (*only).to_owned(),
        [] => return Err(Failure::Usage(nothing_matches(&names, test))),
        several => return Err(Failure::Usage(ambiguous(several, test))),
    };
    Ok(all.into_iter().filter(|series| series.benchmark.as_str() == found).collect())
}

fn wholes_else_stages<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (stages, wholes): (Vec<&str>, Vec<&str>) = names.partition(|name| name.contains('/'));
    if wholes.is_empty() { stages } else { wholes }
}

/// Which tests the name may mean.
pub(crate) fn ambiguous(matches: &[&str], test: &str) -> String {
    let count = matches.len();
    format!("`{test}` is in the names of {count} tests; give more of one of them:{}", list(matches))
}

fn nothing_matches(names: &[&str], test: &str) -> String {
    if names.is_empty() {
        return "nothing is recorded for this project yet; run its performance tests with \
                `cargo test`, then ask again"
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

/// Of the whole name, or of its last part if that is nearer.
fn likeness(name: &str, test: &str) -> f64 {
    let last = name.rsplit("::").next().unwrap_or(name);
    strsim::jaro_winkler(name, test).max(strsim::jaro_winkler(last, test))
}

fn list(names: &[&str]) -> String {
    let mut text: String = names.iter().take(OFFERED).map(|name| format!("\n  {name}")).collect();
    if names.len() > OFFERED {
        text.push_str(&format!("\n  and {} more", names.len() - OFFERED));
    }
    text
}
