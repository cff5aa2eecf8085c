//! A value that is left to the compiler: its tokens, up to the comma that ends it.

use crate::keys::{EXPERT, OF_TESTS};
use crate::unparsed::Path;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Lit, Result, Token, token};

/// Any expression.
///
/// It is not parsed here: closures and arrays would need the parser of whole functions that this
/// crate does without.
pub(crate) struct Value {
    tokens: TokenStream,
    pub(crate) is_closure: bool,
}

impl Value {
    /// # Errors
    /// `takes`, when there is nothing.
    pub(crate) fn parse(input: ParseStream, takes: &str) -> Result<Self> {
        let is_closure =
            input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]);
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !ends(input) {
            tokens.extend([input.parse::<TokenTree>().map(of_this_expansion)?]);
        }
        if tokens.is_empty() { Err(input.error(takes)) } else { Ok(Self { tokens, is_closure }) }
    }

    /// Whether it is a closure or the path of something that may be a function.
    pub(crate) fn is_callable(&self) -> bool {
        self.is_closure || syn::parse2::<Path>(self.tokens.clone()).is_ok()
    }
}

impl ToTokens for Value {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

/// Braces tell a value from a function here, so the lint `unused_braces` must not ask the author to remove them: it
/// leaves braces of an expansion alone.
fn of_this_expansion(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(mut braces) if braces.delimiter() == Delimiter::Brace => {
            braces.set_span(Span::mixed_site().located_at(braces.span()));
            TokenTree::Group(braces)
        }
        token => token,
    }
}

/// Whether here is the comma behind a value: the last one, or one before another key. A comma also
/// stands in `Map::<u8, u8>::new()`.
fn ends(input: ParseStream) -> bool {
    let ahead = input.fork();
    if ahead.parse::<Token![,]>().is_err() {
        return false;
    }
    let Ok(key) = ahead.call(Ident::parse_any) else {
        return ahead.is_empty();
    };
    let is_known = OF_TESTS.iter().any(|known| key == known);
    (ahead.peek(Token![=]) && !ahead.peek(Token![==]))
        || (key == EXPERT && ahead.peek(token::Paren))
        || (is_known && (ahead.is_empty() || ahead.peek(Token![,])))
}

/// A literal, perhaps below zero, as a name of a case.
pub(crate) struct LiteralName(pub(crate) String);

impl Parse for LiteralName {
    fn parse(input: ParseStream) -> Result<Self> {
        let sign = input.parse::<Option<Token![-]>>()?.map_or("", |_| "-");
        let literal = input.parse::<TokenTree>()?.into_token_stream();
        // Parsed again because a literal from a `macro_rules!` fragment sits in an invisible group.
        let text = match syn::parse2::<Lit>(literal.clone())? {
            Lit::Str(text) => text.value(),
            Lit::Char(letter) => letter.value().to_string(),
            Lit::Bool(truth) => truth.value.to_string(),
            Lit::Int(number) => number.base10_digits().to_owned(),
            Lit::Float(number) => number.base10_digits().to_owned(),
            _ => return Err(Error::new_spanned(literal, "a name needs a number or text")),
        };
        Ok(Self(format!("{sign}{text}")))
    }
}
