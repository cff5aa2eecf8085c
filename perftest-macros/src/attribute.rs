//! The other attributes of a perf test, and which part of the expansion each belongs to.
//!
//! There is no `cfg` and no `cfg_attr` among them: the compiler decides those before it
//! expands an attribute, above and below it.

use crate::unparsed::Path;
use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::{Error, LitStr, Result, Token};

/// `#[path]`, `#[path = value]` or `#[path(..)]`.
pub(crate) struct Attribute {
    tokens: TokenStream,
    path: Path,
    /// What is in the brackets.
    content: TokenStream,
    behind_path: TokenStream,
}

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

impl Attribute {
    /// All attributes before an item.
    pub(crate) fn parse_outer(input: ParseStream) -> Result<Vec<Self>> {
        let mut attributes = Vec::new();
        while input.peek(Token![#]) {
            let (mark, brackets): (Token![#], Group) = (input.parse()?, input.parse()?);
            let content = brackets.stream();
            let parts = |content: ParseStream| Ok((content.parse()?, content.parse()?));
            let (path, behind_path) = parts.parse2(content.clone())?;
            let tokens = quote!(#mark #brackets);
            attributes.push(Self { tokens, path, content, behind_path });
        }
        Ok(attributes)
    }

    fn is(&self, path: &str) -> bool {
        self.path.to_token_stream().to_string() == path
    }
}

impl Attributes {
    /// # Errors
    /// An attribute that makes the function a test of another kind, or a malformed `ignore`.
    pub(crate) fn sort(attributes: Vec<Attribute>) -> Result<Self> {
        let mut sorted = Self::default();
        for attribute in attributes {
            reject_other_test(&attribute)?;
            if attribute.is("ignore") {
                sorted.ignores.push(Ignore { reason: reason(&attribute)? });
            } else if attribute.is("doc") {
                sorted.docs.push(attribute);
            } else {
                sorted.others.push(attribute);
            }
        }
        Ok(sorted)
    }
}

fn reject_other_test(attribute: &Attribute) -> Result<()> {
    let Some(last) = attribute.path.to_token_stream().into_iter().last() else {
        return Ok(());
    };
    let message = match last.to_string().as_str() {
        "test" | "bench" => "a perf test already is a test; remove this attribute",
        "perf_test" => "`#[perf_test]` is given twice; keep one",
        "should_panic" => {
            "a perf test cannot expect a panic; remove this and expect it in a `#[test]`"
        }
        _ => return Ok(()),
    };
    Err(Error::new_spanned(&attribute.path, message))
}

fn reason(ignore: &Attribute) -> Result<Option<LitStr>> {
    if ignore.behind_path.is_empty() {
        return Ok(None);
    }
    let text = |input: ParseStream| input.parse::<Token![=]>().and_then(|_| input.parse());
    let malformed =
        |_| Error::new_spanned(&ignore.content, "write #[ignore] or #[ignore = \"why\"]");
    text.parse2(ignore.behind_path.clone()).map(Some).map_err(malformed)
}

impl ToTokens for Attribute {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
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
