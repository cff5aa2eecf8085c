//! The other attributes of a perf test, and which part of the expansion each belongs to.
//!
//! There is no `cfg` and no `cfg_attr` among them: the compiler decides those before it
//! expands an attribute, above and below it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Error, LitStr, Meta, Result};

/// The attributes of a perf test, sorted by where they go.
#[derive(Default)]
pub(crate) struct Attributes {
    /// On the test.
    pub(crate) docs: Vec<Attribute>,
    /// On the test, and the first in its registration.
    pub(crate) ignores: Vec<Ignore>,
    /// On the author's function.
    pub(crate) others: Vec<Attribute>,
}

/// `#[ignore]` or `#[ignore = "why"]`.
pub(crate) struct Ignore {
    pub(crate) reason: Option<LitStr>,
}

impl Attributes {
    /// # Errors
    /// An attribute that makes the function a test of another kind, or a malformed `ignore`.
    pub(crate) fn sort(attributes: Vec<Attribute>) -> Result<Self> {
        let mut sorted = Self::default();
        for attribute in attributes {
            reject_other_test(&attribute)?;
            if attribute.path().is_ident("ignore") {
                sorted.ignores.push(Ignore { reason: reason(&attribute.meta)? });
            } else if attribute.path().is_ident("doc") {
                sorted.docs.push(attribute);
            } else {
                sorted.others.push(attribute);
            }
        }
        Ok(sorted)
    }
}

fn reject_other_test(attribute: &Attribute) -> Result<()> {
    let Some(last) = attribute.path().segments.last() else {
        return Ok(());
    };
    let message = match last.ident.to_string().as_str() {
        "test" | "bench" => "a perf test already is a test; remove this attribute",
        "perf_test" => "`#[perf_test]` is given twice; keep one",
        "should_panic" => {
            "a perf test cannot expect a panic; remove this and expect it in a `#[test]`"
        }
        _ => return Ok(()),
    };
    Err(Error::new_spanned(attribute.path(), message))
}

fn reason(ignore: &Meta) -> Result<Option<LitStr>> {
    let reason = match ignore {
        Meta::Path(_) => return Ok(None),
        Meta::NameValue(pair) => syn::parse2(pair.value.to_token_stream()).ok(),
        Meta::List(_) => None,
    };
    let malformed = || Error::new_spanned(ignore, "write #[ignore] or #[ignore = \"why\"]");
    reason.map(Some).ok_or_else(malformed)
}

impl ToTokens for Ignore {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let site = Span::mixed_site();
        tokens.extend(match &self.reason {
            Some(reason) => quote_spanned!(site=> #[ignore = #reason]),
            None => quote_spanned!(site=> #[ignore]),
        });
    }
}
