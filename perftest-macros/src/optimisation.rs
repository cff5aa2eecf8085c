//! Whether the crate with the attribute is optimised.
//!
//! No `cfg` shows it: debug assertions are on in an optimised test profile too. The compiler expands the
//! attribute in its own process, so its arguments do.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// An expression of type `bool`. Where the arguments say nothing, such as in an editor, a build without
/// debug assertions counts as optimised.
pub(crate) fn optimised() -> TokenStream {
    let site = Span::mixed_site();
    let arguments = std::env::args_os().map(|it| it.to_string_lossy().into_owned());
    match is_optimised(arguments) {
        Some(optimised) => quote_spanned!(site=> #optimised),
        None => quote_spanned!(site=> !::core::cfg!(debug_assertions)),
    }
}

/// What the compiler's arguments say, the last one first; without a word of theirs it does not optimise.
/// `None` where they are not the compiler's, or are in a file.
fn is_optimised(arguments: impl Iterator<Item = String>) -> Option<bool> {
    let arguments: Vec<String> = arguments.collect();
    let level = arguments.iter().enumerate().rev().find_map(|(index, argument)| {
        if argument == "-O" {
            return Some(true);
        }
        let is_option = |it: &String| it == "-C" || it == "--codegen";
        let option = match index.checked_sub(1).and_then(|before| arguments.get(before)) {
            Some(before) if is_option(before) => argument,
            _ => argument.strip_prefix("-C").or_else(|| argument.strip_prefix("--codegen="))?,
        };
        option.strip_prefix("opt-level=").map(|level| level != "0")
    });
    let is_complete = arguments.iter().any(|it| it == "--crate-name")
        && !arguments.iter().any(|it| it.starts_with('@'));
    level.or_else(|| is_complete.then_some(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_optimised_by(arguments: &str) -> Option<bool> {
        is_optimised(arguments.split(' ').map(str::to_owned))
    }

    #[test]
    fn the_last_level_of_the_arguments_counts() {
        assert_eq!(
            is_optimised_by("rustc --crate-name a -C opt-level=3 -C debug-assertions=on"),
            Some(true)
        );
        assert_eq!(is_optimised_by("rustc -C opt-level=3 -Copt-level=0"), Some(false));
        assert_eq!(is_optimised_by("rustc --codegen=opt-level=s"), Some(true));
        assert_eq!(is_optimised_by("rustc --codegen opt-level=1"), Some(true));
        assert_eq!(is_optimised_by("rustc -O"), Some(true));
    }

    #[test]
    fn without_a_level_the_compiler_does_not_optimise() {
        assert_eq!(
            is_optimised_by("rustc --crate-name a tests/perf.rs -C debuginfo=2"),
            Some(false)
        );
    }

    #[test]
    fn arguments_in_a_file_and_those_of_another_program_decide_nothing() {
        assert_eq!(is_optimised_by("rustc --crate-name a @arguments"), None);
        assert_eq!(is_optimised_by("rust-analyzer-proc-macro-srv"), None);
        assert_eq!(is_optimised(std::iter::empty()), None);
    }
}
