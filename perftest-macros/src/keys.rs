//! Keys between commas: `key`, `key = value` and `key(..)`, and the error at a key that does not exist.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Result, Token, parenthesized, token};

/// The keys of `#[perf_test(..)]`.
pub(crate) const OF_TESTS: [&str; 19] = [
    "args",
    "names",
    "types",
    "consts",
    "threads",
    "throughput",
    "runtime",
    "versus",
    "metrics",
    "tolerance",
    "budget",
    "limit",
    "on_red",
    "on_improved",
    "on_unclear",
    "on_unjudged",
    "formerly",
    EXPERT,
    "crate",
];

/// The keys of `#[perf_group(..)]`.
pub(crate) const OF_GROUPS: [&str; 9] = [
    "tolerance",
    "budget",
    "limit",
    "on_red",
    "on_improved",
    "on_unclear",
    "on_unjudged",
    EXPERT,
    "crate",
];

/// The key whose parentheses hold the settings that few tests need.
pub(crate) const EXPERT: &str = "expert";

/// The keys in `expert(..)` of a test.
pub(crate) const IN_EXPERT: [&str; 6] =
    ["timeout", "max_measurements", "on_debug", "learn", "curve", "disk_probe"];

/// The keys in `expert(..)` of a group.
pub(crate) const IN_EXPERT_OF_GROUPS: [&str; 4] =
    ["timeout", "max_measurements", "on_debug", "learn"];

const TAKES_EXPERT: &str =
    "`expert` takes keys in parentheses, for example expert(max_measurements = 30)";

/// Words of other harnesses, and what to write here.
const ELSEWHERE: [(&str, &str); 15] = [
    ("bytes", "throughput = bytes(..)"),
    ("bytes_count", "throughput = bytes(..)"),
    ("ignore", "#[ignore]"),
    ("inputs", "Bencher::with_inputs"),
    ("items", "throughput = items(..)"),
    ("items_count", "throughput = items(..)"),
    ("max_time", "budget"),
    ("measurement_time", "budget"),
    ("noise_threshold", "tolerance"),
    ("ratchet", "on_improved = \"fail\""),
    ("report_only", "on_red = \"report\""),
    ("sample_count", "expert(max_measurements = ..)"),
    ("sample_size", "expert(max_measurements = ..)"),
    ("setup", "Bencher::with_setup"),
    ("threshold", "tolerance"),
];

/// Two names are near each other when at most so many letters of the longer one differ.
const MOST_DIFFERENT: usize = 2;

/// Parses keys between commas, each at most once. `known` names those that exist.
pub(crate) fn each(
    input: ParseStream,
    known: &[&str],
    mut parse: impl FnMut(&Ident, ParseStream) -> Result<()>,
) -> Result<()> {
    let mut given: Vec<Ident> = Vec::new();
    while !input.is_empty() {
        let Ok(key) = input.call(Ident::parse_any) else {
            let known = known.join(", ");
            return Err(input.error(format!("expected a key; the keys are {known}")));
        };
        if given.contains(&key) {
            return Err(Error::new(key.span(), format!("`{key}` is given twice; keep one")));
        }
        parse(&key, input)?;
        given.push(key);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

/// Parses the keys in `expert(..)`.
pub(crate) fn each_in_expert(
    key: &Ident,
    input: ParseStream,
    known: &[&str],
    parse: impl FnMut(&Ident, ParseStream) -> Result<()>,
) -> Result<()> {
    if !input.peek(token::Paren) {
        return Err(Error::new(key.span(), TAKES_EXPERT));
    }
    let content;
    parenthesized!(content in input);
    if content.is_empty() {
        return Err(content.error(TAKES_EXPERT));
    }
    each(&content, known, parse)
}

/// The value behind `=`, up to its end.
pub(crate) fn value_of<T>(
    key: &Ident,
    input: ParseStream,
    takes: &str,
    parse: impl FnOnce(ParseStream) -> Result<T>,
) -> Result<T> {
    equals(key, input, takes)?;
    let value = parse(input)?;
    if is_end_of_value(input) { Ok(value) } else { Err(input.error(takes)) }
}

/// A key without a value.
pub(crate) fn alone(key: &Ident, input: ParseStream) -> Result<()> {
    if is_end_of_value(input) { Ok(()) } else { Err(input.error(format!("`{key}` stands alone"))) }
}

/// The `=` behind a key.
pub(crate) fn equals(key: &Ident, input: ParseStream, takes: &str) -> Result<()> {
    input.parse::<Token![=]>().map(drop).map_err(|_| Error::new(key.span(), takes))
}

fn is_end_of_value(input: ParseStream) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// The error at a key that is none of `known`.
pub(crate) fn unknown(key: &Ident, known: &[&str]) -> Error {
    let name = key.to_string();
    let message = match meant(&name, known) {
        Some(meant) => format!("unknown key `{name}`: did you mean `{meant}`?"),
        None => format!("unknown key `{name}`; the keys are {}", known.join(", ")),
    };
    Error::new(key.span(), message)
}

/// What the author probably wants to write in the place of `name`.
fn meant(name: &str, known: &[&str]) -> Option<String> {
    let elsewhere = ELSEWHERE.iter().find(|(word, _)| *word == name);
    let nearest = |keys: &[&'static str]| keys.iter().copied().find(|key| is_near(name, key));
    elsewhere
        .map(|(_, meant)| (*meant).to_owned())
        .or_else(|| known.iter().find(|key| is_near(name, key)).map(|key| (*key).to_owned()))
        .or_else(|| {
            let (keys, side) = if known.contains(&EXPERT) {
                (&IN_EXPERT[..], "inside")
            } else {
                (&OF_TESTS[..], "outside")
            };
            nearest(keys).map(|key| format!("{key}` {side} of `{EXPERT}(..)"))
        })
}

/// Whether all but a few letters stand at the beginning or at the end of both: a letter is wrong, missing
/// or superfluous, or two letters have changed places.
fn is_near(one: &str, other: &str) -> bool {
    let first = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let last = one.bytes().rev().zip(other.bytes().rev()).take_while(|(a, b)| a == b).count();
    let longest = one.len().max(other.len());
    first + last >= longest.saturating_sub(MOST_DIFFERENT).max(MOST_DIFFERENT + 1)
}

#[cfg(test)]
mod tests {
    use super::{IN_EXPERT, OF_TESTS, meant};

    #[test]
    fn a_misspelt_key_gets_the_one_that_was_meant() {
        for (name, key) in [
            ("tolerence", "tolerance"),
            ("bugdet", "budget"),
            ("limits", "limit"),
            ("arg", "args"),
            ("on_unlcear", "on_unclear"),
            ("tipes", "types"),
        ] {
            assert_eq!(meant(name, &OF_TESTS).as_deref(), Some(key), "{name}");
        }
    }

    #[test]
    fn a_key_at_the_wrong_place_gets_its_place() {
        let curve = meant("curve", &OF_TESTS);
        assert_eq!(curve.as_deref(), Some("curve` inside of `expert(..)"));
        let budget = meant("budget", &IN_EXPERT);
        assert_eq!(budget.as_deref(), Some("budget` outside of `expert(..)"));
    }

    #[test]
    fn words_of_other_harnesses_get_ours() {
        assert_eq!(
            meant("sample_size", &OF_TESTS).as_deref(),
            Some("expert(max_measurements = ..)")
        );
        assert_eq!(meant("ignore", &OF_TESTS).as_deref(), Some("#[ignore]"));
    }

    #[test]
    fn a_key_like_no_other_gets_no_advice() {
        for name in ["speed", "x", "", "colour", "bits"] {
            assert_eq!(meant(name, &OF_TESTS), None, "{name}");
        }
    }
}
