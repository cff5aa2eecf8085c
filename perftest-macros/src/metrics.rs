//! The names behind `metrics`.

use proc_macro2::Ident;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Result, Token, bracketed, token};

pub(crate) const TAKES: &str = "`metrics` takes a list that begins with wall, for example \
                                metrics = [wall, cpu, allocs]";
const WALL: &str = "wall";
/// As `perftest_core::model::Aspect::built_in` knows them.
const FURTHER: [&str; 10] = [
    "cpu",
    "thread_cpu",
    "faults",
    "switches",
    "allocs",
    "alloc_bytes",
    "alloc_peak",
    "user",
    "system",
    "peak_rss",
];

/// The metrics in a list, without wall time.
///
/// # Errors
/// Another value, an unknown or repeated name, and a list without wall time.
pub(crate) fn further(input: ParseStream) -> Result<Vec<String>> {
    if !input.peek(token::Bracket) {
        return Err(input.error(TAKES));
    }
    let list;
    let bracket = bracketed!(list in input);
    let names: Punctuated<Ident, Token![,]> = list
        .parse_terminated(Ident::parse, Token![,])
        .map_err(|it| Error::new(it.span(), TAKES))?;
    let mut seen: Vec<String> = Vec::new();
    for name in &names {
        let text = name.to_string();
        if text != WALL && !FURTHER.contains(&text.as_str()) {
            let known = FURTHER.join(", ");
            let message = format!("unknown metric `{text}`; the metrics are {WALL}, {known}");
            return Err(Error::new(name.span(), message));
        }
        if seen.contains(&text) {
            return Err(Error::new(name.span(), format!("`{text}` is given twice; keep one")));
        }
        seen.push(text);
    }
    if seen.first().is_none_or(|first| first != WALL) {
        let message = "wall time is always judged and stands first: metrics = [wall, ..]";
        return Err(Error::new(bracket.span.join(), message));
    }
    Ok(seen.split_off(1))
}
