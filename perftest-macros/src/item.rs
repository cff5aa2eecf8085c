//! The function under the attribute.
//!
//! Only what the expansion needs is parsed. The rest, above all the body, stays the tokens it
//! was: they are cheap, and syntax this crate has never heard of works.

use crate::attribute::{Attribute, Attributes};
use crate::generics::Generics;
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
/// Beginning of the variables by which cargo gives the paths of the package's programs to the compiler.
pub(crate) const PROGRAM_VARIABLE: &str = "CARGO_BIN_EXE_";
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
    /// Whether the body may start programs, as far as its own text says: it names one of its package, or has a bencher
    /// and calls `command` of something with an argument. The `command()` of others, as of clap, has none.
    pub(crate) starts_programs: bool,
    /// From `fn` or `async fn` to the closing brace. The visibility is left out: no code calls a test.
    pub(crate) function: TokenStream,
}

fn calls_command(tokens: TokenStream) -> bool {
    // The marks before a token: `.` or `::`. A single colon stands before a value.
    let mut marks = String::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let before = std::mem::take(&mut marks);
        let is_call = match token {
            TokenTree::Punct(mark) => {
                marks = before;
                marks.push(mark.as_char());
                false
            }
            TokenTree::Ident(name) => {
                let is_of_something = before.ends_with('.') || before.ends_with("::");
                name == "command" && is_of_something && tokens.peek().is_some_and(has_argument)
            }
            TokenTree::Group(group) => calls_command(group.stream()),
            TokenTree::Literal(_) => false,
        };
        if is_call {
            return true;
        }
    }
    false
}

/// Whether a program of the package is named.
fn names_program(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => names_program(group.stream()),
        TokenTree::Literal(literal) => literal.to_string().contains(PROGRAM_VARIABLE),
        TokenTree::Ident(_) | TokenTree::Punct(_) => false,
    })
}

fn has_argument(token: &TokenTree) -> bool {
    is_in_parentheses(token)
        && matches!(token, TokenTree::Group(group) if !group.stream().is_empty())
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
        skip_to_end(input, &name)?;
        let attributes = Attributes::sort(attributes)?;
        let hides_lifetime = asyncness.is_some() && bencher.as_ref().is_some_and(hides_lifetime);
        let function = if hides_lifetime { show_lifetime(function, &generics) } else { function };
        let starts_programs =
            names_program(function.clone()) || bencher.is_some() && calls_command(function.clone());
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
fn parse_parameters(parameters: ParseStream) -> Result<(Option<Type>, Option<Type>)> {
    let first = parse_parameter(parameters)?;
    let (bencher, value) = match first {
        Some(first) if first.is_exclusive() => (Some(first), parse_parameter(parameters)?),
        other => (None, other),
    };
    match &value {
        Some(second) if second.is_exclusive() => Err(Error::new_spanned(second, PARAMETERS)),
        _ if !parameters.is_empty() => Err(parameters.error(PARAMETERS)),
        _ => Ok((bencher, value)),
    }
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
fn skip_to_end(input: ParseStream, name: &Ident) -> Result<()> {
    let mut in_body = false;
    while !input.is_empty() {
        in_body = input.peek(Brace);
        input.parse::<TokenTree>()?;
    }
    if in_body { Ok(()) } else { Err(Error::new(name.span(), NO_BODY)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_names_a_program_of_its_package_starts_programs() {
        let starts = |item: &str| syn::parse_str::<Item>(item).unwrap().starts_programs;
        assert!(starts("fn tool() { Command::new(env!(\"CARGO_BIN_EXE_tool\")).status() }"));
        let served = "let server = start(env!(\"CARGO_BIN_EXE_server\")); b.iter(|| ask(&server))";
        assert!(starts(&format!("fn tool(b: &mut Bencher) {{ {served} }}")));
        assert!(!starts("fn tool() { read(env!(\"CARGO_MANIFEST_DIR\")) }"));
    }

    #[test]
    fn a_body_that_calls_command_anywhere_starts_programs() {
        let starts = |body: &str| {
            let item: Item =
                syn::parse_str(&format!("fn tool(b: &mut Bencher) {{ {body} }}")).unwrap();
            item.starts_programs
        };
        assert!(starts("b.command(|| tool());"));
        assert!(starts("for _ in 0..1 { if true { b.command(tool) } }"));
        assert!(starts("Bencher::command(b, tool);"));
        assert!(!starts("b.iter(|| commands(\"command\"));"));
        assert!(!starts("let command = \"list\"; b.iter(|| parse(command));"));
        assert!(!starts("b.iter(|| parse(Line { text: command }));"));
        assert!(!starts("b.iter(|| Cli::command().get_matches());"));
        assert!(!starts("b.iter(|| match cli.command { _ => 1 });"));
        assert!(!starts("b.iter(|| clap::command!());"));
    }
}
