//! The function under the attribute.
//!
//! Only what the expansion needs is parsed. The rest, above all the body, stays the tokens it
//! was: they are cheap, and syntax this crate has never heard of works.

use crate::attribute::{Attribute, Attributes};
use crate::generics::Generics;
use crate::started_programs::{gives_command, names_program};
use crate::unparsed::Type;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::token::{Brace, Paren};
use syn::{Error, LitStr, Result, Token, parenthesized};

/// What may stand before `fn` besides `async`, and why it may not here.
const QUALIFIERS: [(&str, &str); 3] = [
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
    /// The word `async`.
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) generics: Generics,
    /// The type of the parameter that is measured with.
    pub(crate) bencher: Option<Type>,
    /// The type of the parameter that takes a value.
    pub(crate) value: Option<Type>,
    /// Whether the body may start programs, as far as its own text says: it names one of its package, or gives a command
    /// to its bencher.
    pub(crate) starts_programs: bool,
    /// From `fn` or `async fn` to the closing brace. The visibility is left out: no code calls a test.
    pub(crate) function: TokenStream,
}

/// A parameter of the function.
struct Parameter {
    /// `None` where its pattern is no plain name.
    name: Option<Ident>,
    parameter_type: Type,
}

impl Parse for Item {
    fn parse(input: ParseStream) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        parse_visibility(input)?;
        reject_qualifiers(input)?;
        let function = input.fork().parse()?;
        let asyncness: Option<Token![async]> = input.parse()?;
        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let generics: Generics = input.parse()?;
        let parameters;
        parenthesized!(parameters in input);
        let (bencher, value) = parse_parameters(&parameters)?;
        let body = parse_body(input, &name)?;
        let attributes = Attributes::sort(attributes)?;
        let starts_programs = names_program(&body)
            || bencher.as_ref().is_some_and(|it| gives_command(&body, it.name.as_ref()));
        let [bencher, value] = [bencher, value].map(|it| it.map(|it| it.parameter_type));
        let hides_lifetime = asyncness.is_some() && bencher.as_ref().is_some_and(hides_lifetime);
        let function = if hides_lifetime { show_lifetime(function, &generics) } else { function };
        Ok(Self {
            attributes,
            name,
            asyncness,
            generics,
            bencher,
            value,
            starts_programs,
            function,
        })
    }
}

/// The visibility of an item, if there is one.
pub(crate) fn parse_visibility(input: ParseStream) -> Result<TokenStream> {
    let word: Option<Token![pub]> = input.parse()?;
    let place: Option<Group> =
        if word.is_some() && input.peek(Paren) { Some(input.parse()?) } else { None };
    Ok(quote!(#word #place))
}

/// Looks ahead to `fn`, because `const` alone does not yet make a function. Where nothing is
/// refused, there was at most `async`.
fn reject_qualifiers(input: ParseStream) -> Result<()> {
    let ahead = input.fork();
    let mut refusal = None;
    while !ahead.peek(Token![fn]) {
        let word = ahead.call(Ident::parse_any).map_err(|_| input.error(NO_FUNCTION))?;
        if word == "async" {
            continue;
        }
        let qualifier = QUALIFIERS.iter().find(|(qualifier, _)| word == qualifier);
        let (_, message) = qualifier.ok_or_else(|| input.error(NO_FUNCTION))?;
        refusal.get_or_insert_with(|| Error::new(word.span(), message));
        ahead.parse::<Option<LitStr>>()?;
    }
    refusal.map_or(Ok(()), Err)
}

/// The bencher and the value, either of which may be missing.
fn parse_parameters(parameters: ParseStream) -> Result<(Option<Parameter>, Option<Parameter>)> {
    let first = parse_parameter(parameters)?;
    let (bencher, value) = match first {
        Some(first) if first.parameter_type.is_exclusive() => {
            (Some(first), parse_parameter(parameters)?)
        }
        other => (None, other),
    };
    match &value {
        Some(Parameter { parameter_type: second, .. }) if second.is_exclusive() => {
            Err(Error::new_spanned(second, PARAMETERS))
        }
        _ if !parameters.is_empty() => Err(parameters.error(PARAMETERS)),
        _ => Ok((bencher, value)),
    }
}

fn parse_parameter(parameters: ParseStream) -> Result<Option<Parameter>> {
    if parameters.is_empty() {
        return Ok(None);
    }
    parameters.call(Attribute::parse_outer)?;
    let name = parse_pattern(parameters)?;
    reject_variadic(parameters)?;
    let parameter_type = parameters.parse()?;
    parameters.parse::<Option<Token![,]>>()?;
    Ok(Some(Parameter { name, parameter_type }))
}

/// Everything up to and with the `:` before the type. Returns the name if it is no more than that.
fn parse_pattern(parameters: ParseStream) -> Result<Option<Ident>> {
    reject_variadic(parameters)?;
    let mut pattern = Vec::new();
    while !parameters.is_empty() {
        let path_separator = parameters.parse::<Option<Token![::]>>()?.is_some();
        match parameters.parse()? {
            TokenTree::Punct(punct) if punct.as_char() == ':' && !path_separator => {
                return Ok(plain_name(&pattern));
            }
            TokenTree::Ident(word) if word == "self" => {
                return Err(Error::new(word.span(), RECEIVER));
            }
            token => pattern.push(token),
        }
    }
    Err(parameters.error(UNTYPED))
}

fn plain_name(pattern: &[TokenTree]) -> Option<Ident> {
    match pattern {
        [TokenTree::Ident(name)] => Some(name.clone()),
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "mut" => Some(name.clone()),
        _ => None,
    }
}

fn reject_variadic(parameters: ParseStream) -> Result<()> {
    if parameters.peek(Token![...]) { Err(parameters.error(VARIADIC)) } else { Ok(()) }
}

/// Whether this is `&mut Bencher`: an async function has to write `Bencher<'_>`, which no author of
/// an ordinary one has ever needed.
fn hides_lifetime(parameter: &Type) -> bool {
    parameter.last_exclusive_segment().is_some_and(|last| !last.has_arguments)
}

/// Whether this is `&mut` a type of this name.
pub(crate) fn is_bencher_named(parameter: &Type, name: &str) -> bool {
    parameter.last_exclusive_segment().is_some_and(|last| last.name == name)
}

/// Writes `<'_>` behind the type of the first parameter. The parameters are the first tokens in
/// parentheses behind the generics.
fn show_lifetime(function: TokenStream, generics: &Generics) -> TokenStream {
    let in_generics = generics.to_token_stream().into_iter().filter(is_in_parentheses).count();
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    let mut groups = tokens.iter_mut().filter(|tree| is_in_parentheses(tree));
    if let Some(parameters) = groups.nth(in_generics) {
        let span = parameters.span();
        if let TokenTree::Group(group) = parameters {
            let mut shown = Group::new(Delimiter::Parenthesis, with_lifetime(group.stream()));
            shown.set_span(span);
            *group = shown;
        }
    }
    tokens.into_iter().collect()
}

fn with_lifetime(parameters: TokenStream) -> TokenStream {
    let parameters: Vec<TokenTree> = parameters.into_iter().collect();
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(it) if it.as_char() == ',');
    let end = parameters.iter().position(is_comma).unwrap_or(parameters.len());
    let (bencher, others) = parameters.split_at(end);
    quote!(#(#bencher)*<'_> #(#others)*)
}

fn is_in_parentheses(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
}

/// What is left is the return type, a `where` clause perhaps, and the body. The body comes
/// last, and braces also stand in a type such as `Matrix<{ N }>`.
fn parse_body(input: ParseStream, name: &Ident) -> Result<TokenStream> {
    let mut body = None;
    while !input.is_empty() {
        let is_block = input.peek(Brace);
        let token: TokenTree = input.parse()?;
        body = is_block.then(|| token.into());
    }
    body.ok_or_else(|| Error::new(name.span(), NO_BODY))
}
