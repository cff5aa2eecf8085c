//! Tokens that more than one part of the expansion writes.

use crate::unparsed::Path;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

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
