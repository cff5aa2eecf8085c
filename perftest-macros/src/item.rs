//! The function under the attribute.
//!
//! Only what the expansion needs is parsed. The rest, above all the body, stays the tokens it
//! was: they are cheap, and syntax this crate has never heard of works.

use crate::attribute::Attributes;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::token::Brace;
use syn::{Attribute, Error, Generics, LitStr, Result, Token, Type, Visibility, parenthesized};

/// What may stand before `fn`, and why it may not here.
const QUALIFIERS: [(&str, &str); 4] = [
    ("async", "a perf test cannot be an `async fn`; block on the future inside the body"),
    ("unsafe", "a perf test cannot be an `unsafe fn`; write an `unsafe` block inside the body"),
    ("const", "a perf test cannot be a `const fn`; remove `const`"),
    ("extern", "a perf test cannot be an `extern fn`; remove `extern`"),
];
const NO_FUNCTION: &str = "`#[perf_test]` goes on a function";
const RECEIVER: &str = "a perf test has no `self`; make it a free function";
const VARIADIC: &str = "a perf test cannot be variadic; remove `...`";
const PARAMETERS: &str = "a perf test has at most a `&mut Bencher` and behind it a value that `args` \
                          gives; prepare the rest in the body, or take several values as a tuple";
const UNTYPED: &str = "a parameter needs a type";
const NO_BODY: &str = "a perf test needs a body";

/// A function that can be a perf test.
pub(crate) struct Item {
    pub(crate) attributes: Attributes,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    /// The type of the parameter that is measured with.
    pub(crate) bencher: Option<Type>,
    /// The type of the parameter that takes a value.
    pub(crate) value: Option<Type>,
    /// From `fn` to the closing brace. The visibility is left out: nobody calls a test.
    pub(crate) function: TokenStream,
}

impl Parse for Item {
    fn parse(input: ParseStream) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        reject_qualifiers(input)?;
        let function = input.fork().parse()?;
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let generics = input.parse()?;
        let parameters;
        parenthesized!(parameters in input);
        let (bencher, value) = parse_parameters(&parameters)?;
        skip_to_end(input, &name)?;
        let attributes = Attributes::sort(attributes)?;
        Ok(Self { attributes, name, generics, bencher, value, function })
    }
}

/// Looks ahead to `fn`, because `const` alone does not yet make a function.
fn reject_qualifiers(input: ParseStream) -> Result<()> {
    let ahead = input.fork();
    let mut refusal = None;
    while !ahead.peek(Token![fn]) {
        let word = ahead.call(Ident::parse_any).map_err(|_| input.error(NO_FUNCTION))?;
        let qualifier = QUALIFIERS.iter().find(|(qualifier, _)| word == qualifier);
        let (_, message) = qualifier.ok_or_else(|| input.error(NO_FUNCTION))?;
        refusal.get_or_insert_with(|| Error::new(word.span(), message));
        ahead.parse::<Option<LitStr>>()?;
    }
    refusal.map_or(Ok(()), Err)
}

/// The bencher and the value, either of which may be missing.
fn parse_parameters(parameters: ParseStream) -> Result<(Option<Type>, Option<Type>)> {
    let first = parse_parameter(parameters)?;
    let (bencher, value) = match first {
        Some(first) if is_exclusive(&first) => (Some(first), parse_parameter(parameters)?),
        other => (None, other),
    };
    match &value {
        Some(second) if is_exclusive(second) => Err(Error::new_spanned(second, PARAMETERS)),
        _ if !parameters.is_empty() => Err(parameters.error(PARAMETERS)),
        _ => Ok((bencher, value)),
    }
}

/// Whether this is `&mut` something.
fn is_exclusive(parameter: &Type) -> bool {
    matches!(parameter, Type::Reference(reference) if reference.mutability.is_some())
}

fn parse_parameter(parameters: ParseStream) -> Result<Option<Type>> {
    if parameters.is_empty() {
        return Ok(None);
    }
    parameters.call(Attribute::parse_outer)?;
    skip_pattern(parameters)?;
    reject_variadic(parameters)?;
    let parameter = parameters.parse()?;
    parameters.parse::<Option<Token![,]>>()?;
    Ok(Some(parameter))
}

/// Everything up to and with the `:` before the type.
fn skip_pattern(parameters: ParseStream) -> Result<()> {
    reject_variadic(parameters)?;
    while !parameters.is_empty() {
        let path_separator = parameters.parse::<Option<Token![::]>>()?.is_some();
        match parameters.parse()? {
            TokenTree::Punct(punct) if punct.as_char() == ':' && !path_separator => return Ok(()),
            TokenTree::Ident(word) if word == "self" => {
                return Err(Error::new(word.span(), RECEIVER));
            }
            _ => {}
        }
    }
    Err(parameters.error(UNTYPED))
}

fn reject_variadic(parameters: ParseStream) -> Result<()> {
    if parameters.peek(Token![...]) { Err(parameters.error(VARIADIC)) } else { Ok(()) }
}

/// What is left is the return type, a `where` clause perhaps, and the body. The body comes
/// last, and braces also stand in a type such as `Matrix<{ N }>`.
fn skip_to_end(input: ParseStream, name: &Ident) -> Result<()> {
    let mut in_body = false;
    while !input.is_empty() {
        in_body = input.peek(Brace);
        input.parse::<TokenTree>()?;
    }
    if in_body { Ok(()) } else { Err(Error::new(name.span(), NO_BODY)) }
}
