//! Tokens that more than one part of the expansion writes.

use crate::unparsed::Path;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::parse_str;

/// A keyword in the edition of the expansion, and a name in older ones. `syn` does not know it.
pub(crate) const NEWEST_KEYWORD: &str = "gen";

/// A name as libtest lists it: with the `r#` of a keyword, and without a needless one.
pub(crate) fn listed(name: &Ident) -> String {
    let text = name.to_string();
    let needless = text
        .strip_prefix("r#")
        .filter(|it| *it != NEWEST_KEYWORD && parse_str::<Ident>(it).is_ok());
    needless.map_or(text.clone(), str::to_owned)
}

/// The path of `perftest` where the author gives no other one.
pub(crate) fn perftest() -> Path {
    syn::parse_quote_spanned!(Span::mixed_site()=> ::perftest)
}

/// The line of a name. `line!` gives the line of the token it stands at, and all tokens are the author's
/// then, whose edition may not know `::core`: so it is called by a name that stands beside it.
pub(crate) fn line_of(name: &Ident) -> TokenStream {
    quote_spanned!(name.span()=> line_of_perf_test!())
}

/// An `Option` with this value.
pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    let site = Span::mixed_site();
    match value {
        Some(value) => quote_spanned!(site=> ::core::option::Option::Some(#value)),
        None => quote_spanned!(site=> ::core::option::Option::None),
    }
}

/// A path as the module inside sees it, and what it has to import for that.
pub(crate) fn path_from_child(path: &Path) -> (TokenStream, Option<TokenStream>) {
    let site = Span::mixed_site();
    let mut inner = path.to_token_stream().into_iter();
    let first = inner.next().map(|first| first.to_string()).unwrap_or_default();
    match first.as_str() {
        ":" | "crate" => (path.to_token_stream(), None),
        "self" => {
            let inner: TokenStream = inner.collect();
            (quote_spanned!(site=> super #inner), None)
        }
        "super" => (quote_spanned!(site=> super::#path), None),
        // A crate, or something the module outside has.
        _ => (path.to_token_stream(), Some(quote_spanned!(site=> use super::*;))),
    }
}

#[cfg(test)]
mod tests {
    use super::{listed, path_from_child};
    use proc_macro2::{Ident, Span};
    use syn::parse_str;

    #[test]
    fn a_needless_mark_of_a_raw_identifier_is_left_out() {
        for (name, expected) in [("union", "union"), ("match", "r#match"), ("gen", "r#gen")] {
            assert_eq!(listed(&Ident::new_raw(name, Span::call_site())), expected);
        }
        assert_eq!(listed(&Ident::new("sort", Span::call_site())), "sort");
    }

    #[test]
    fn a_path_leads_to_the_same_place_from_one_module_deeper() {
        for (path, below, imports) in [
            ("::perftest", ":: perftest", false),
            ("crate::it", "crate :: it", false),
            ("self::it", "super :: it", false),
            ("super::it", "super :: super :: it", false),
            ("it", "it", true),
        ] {
            let (seen, import) = path_from_child(&parse_str(path).unwrap());
            assert_eq!(seen.to_string(), below);
            assert_eq!(import.is_some(), imports, "{path}");
        }
    }
}
