//! `args`, `types` and `consts`: one function that stands for several tests.

use crate::generics::{GenericKind, Generics};
use crate::tokens::NEWEST_KEYWORD;
use crate::unparsed::{Expr, Type};
use crate::value::{LiteralName, Value};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use std::collections::BTreeSet;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, Result, Token, bracketed, token};

pub(crate) const ARGS: &str = "`args` takes the values of the cases: args = [64, 1024], or any \
                               other expression that can be iterated over";
const EMPTY: &str = "without a value there is no case; give one, or remove the key";
pub(crate) const TYPES: &str =
    "`types` takes a list of types, for example types = [Vec<u8>, Box<[u8]>]";
pub(crate) const CONSTS: &str =
    "`consts` takes a list of constants, for example consts = [16, 256]";
const GENERIC: &str = "a generic perf test needs the types or constants it is measured with, one \
                       parameter each: #[perf_test(types = [u8, u64], consts = [16, 256])]; it \
                       has no lifetimes";
const NO_TYPE_PARAMETER: &str = "`types` gives types that the function does not take; give the function a type \
                                 parameter: fn fill<T>()";
const NO_CONST_PARAMETER: &str = "`consts` gives constants that the function does not take; give the function a \
                                  parameter: fn fill<const N: usize>()";

/// The values of `args`.
pub(crate) struct Values {
    pub(crate) list: Value,
    /// The names of the cases, where each is a literal in a list; `None` where only running the
    /// test finds them.
    pub(crate) literals: Option<Vec<String>>,
}

impl Values {
    /// # Errors
    /// No value, an empty list, and one literal twice.
    pub(crate) fn parse(input: ParseStream) -> Result<Self> {
        let list = Value::parse(input, ARGS)?;
        let Some(elements) = elements(&list) else {
            return Ok(Self { list, literals: None });
        };
        if elements.is_empty() {
            return Err(Error::new_spanned(list, EMPTY));
        }
        let parser = Punctuated::<LiteralName, Token![,]>::parse_terminated;
        let literals = parser.parse2(elements).ok();
        let literals = literals.map(|names| names.into_iter().map(|it| it.0).collect::<Vec<_>>());
        if let Some(twice) = literals.as_deref().and_then(repeated) {
            return Err(Error::new_spanned(list, named_twice(&twice)));
        }
        Ok(Self { list, literals })
    }
}

/// What is between the brackets, where the value is nothing but a list of elements.
fn elements(list: &Value) -> Option<TokenStream> {
    let mut tokens = list.to_token_stream().into_iter();
    let Some(TokenTree::Group(group)) = tokens.next() else {
        return None;
    };
    let is_list = group.delimiter() == Delimiter::Bracket && tokens.next().is_none();
    is_list.then(|| group.stream())
}

/// # Errors
/// `takes` at anything but a list, an empty list, and one element twice.
pub(crate) fn list<T: syn::parse::Parse + ToTokens>(
    input: ParseStream,
    takes: &str,
) -> Result<Vec<T>> {
    if !input.peek(token::Bracket) {
        return Err(input.error(takes));
    }
    let content;
    let brackets = bracketed!(content in input);
    let wrong = |error: Error| Error::new(error.span(), takes);
    let list: Vec<T> = Punctuated::<T, Token![,]>::parse_terminated(&content)
        .map_err(wrong)?
        .into_iter()
        .collect();
    if list.is_empty() {
        return Err(Error::new(brackets.span.join(), EMPTY));
    }
    match repeated(&list.iter().map(spelled).collect::<Vec<_>>()) {
        Some(twice) => Err(Error::new(brackets.span.join(), named_twice(&twice))),
        None => Ok(list),
    }
}

/// The first name that comes twice.
fn repeated(names: &[String]) -> Option<String> {
    let mut seen = BTreeSet::new();
    names.iter().find(|name| !seen.insert(name.as_str())).cloned()
}

fn named_twice(name: &str) -> String {
    format!("`{name}` is here twice; two cases of one name would share one history")
}

/// A generic function with its parameters given, or one that has none.
pub(crate) struct FunctionInstance {
    /// `Vec<u8>::16`; empty for a function without parameters.
    pub(crate) label: String,
    /// `::<Vec<u8>, 16>`
    pub(crate) turbofish: TokenStream,
    /// On how many threads at once it runs, where the author gives it.
    pub(crate) threads: Option<u16>,
}

/// All combinations of the types and the constants, in the order of the function's parameters.
///
/// # Errors
/// Parameters that get nothing, and lists that no parameter takes.
pub(crate) fn instances(
    generics: &Generics,
    types: Option<Vec<Type>>,
    consts: Option<Vec<Expr>>,
) -> Result<Vec<FunctionInstance>> {
    let (mut types, mut consts) = (given(types), given(consts));
    let mut combinations = vec![Vec::new()];
    for kind in &generics.kinds {
        let choices = match kind {
            GenericKind::Type => types.take(),
            GenericKind::Const => consts.take().map(in_braces),
            GenericKind::Lifetime => None,
        };
        let choices = choices.ok_or_else(|| Error::new_spanned(generics, GENERIC))?;
        combinations = combine(&combinations, &choices);
    }
    let unused = [(types, NO_TYPE_PARAMETER), (consts, NO_CONST_PARAMETER)];
    for (list, message) in unused {
        if let Some(first) = list.and_then(|list| list.into_iter().next()) {
            return Err(Error::new_spanned(first.tokens, message));
        }
    }
    Ok(combinations.into_iter().map(FunctionInstance::of).collect())
}

/// A type or a constant, as it is written and as it is named.
#[derive(Clone)]
struct GenericArgument {
    label: String,
    tokens: TokenStream,
}

fn given<T: ToTokens>(list: Option<Vec<T>>) -> Option<Vec<GenericArgument>> {
    let given = |it: &T| GenericArgument { label: spelled(it), tokens: it.to_token_stream() };
    list.map(|list| list.iter().map(given).collect())
}

/// The constants as the compiler takes them between angle brackets: there, without braces, a path of several segments
/// is a type, and an operator is an error.
fn in_braces(consts: Vec<GenericArgument>) -> Vec<GenericArgument> {
    let in_braces = |GenericArgument { label, tokens }| {
        let braced = || quote_spanned!(Span::mixed_site()=> { #tokens });
        let tokens = if is_literal_or_block(&tokens) { tokens } else { braced() };
        GenericArgument { label, tokens }
    };
    consts.into_iter().map(in_braces).collect()
}

fn is_literal_or_block(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    let is_it = match tokens.next() {
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Literal(_)) => true,
        _ => false,
    };
    is_it && tokens.next().is_none()
}

fn combine(
    beginnings: &[Vec<GenericArgument>],
    choices: &[GenericArgument],
) -> Vec<Vec<GenericArgument>> {
    let with = |beginning: &Vec<GenericArgument>, choice: &GenericArgument| {
        beginning.iter().chain([choice]).cloned().collect::<Vec<_>>()
    };
    beginnings
        .iter()
        .flat_map(|beginning| choices.iter().map(move |choice| with(beginning, choice)))
        .collect()
}

impl FunctionInstance {
    fn of(combination: Vec<GenericArgument>) -> Self {
        if combination.is_empty() {
            return Self { label: String::new(), turbofish: TokenStream::new(), threads: None };
        }
        let labels: Vec<&str> = combination.iter().map(|it| it.label.as_str()).collect();
        let tokens = combination.iter().map(|it| &it.tokens);
        Self {
            label: labels.join("::"),
            turbofish: quote_spanned!(Span::mixed_site()=> ::<#(#tokens),*>),
            threads: None,
        }
    }

    /// The same on so many threads at once.
    pub(crate) fn on_threads(&self, number: u16) -> Self {
        Self {
            label: joined(&self.label, &format!("threads={number}")),
            turbofish: self.turbofish.clone(),
            threads: Some(number),
        }
    }
}

/// Two parts of a name, either of which may be empty.
pub(crate) fn joined(first: &str, second: &str) -> String {
    let parts = [first, second].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("::")
}

/// Tokens as a person writes them: `Vec<u8>`, `[u8; 4]`, `dyn Read + Send`, `-1`.
///
/// The name of a case is made of it, so it depends on nothing but the tokens.
pub(crate) fn spelled(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    spell(tokens.to_token_stream(), &mut text);
    text
}

fn spell(tokens: TokenStream, text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                spell(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                mark @ (',' | ';') => text.extend([mark, ' ']),
                mark @ ('+' | '=') => text.extend([' ', mark, ' ']),
                mark => text.push(mark),
            },
            TokenTree::Ident(word) => spell_word(&word.to_string(), text),
            TokenTree::Literal(literal) => {
                let name = syn::parse_str::<LiteralName>(&literal.to_string());
                let name = name.map_or(literal.to_string(), |it| it.0);
                let name = if needs_quotes(&name) { format!("{name:?}") } else { name };
                spell_word(&name, text);
            }
        }
    }
}

/// Whether a name with this text would be of several lines, end in a blank, or select several tests by its `*`.
fn needs_quotes(text: &str) -> bool {
    let breaks_line = |it: char| it.is_control() || it.is_whitespace() && it != ' ';
    text.contains(breaks_line) || text.ends_with([' ', '*'])
}

/// Two words keep their distance.
fn spell_word(word: &str, text: &mut String) {
    if text.ends_with(|last: char| last.is_alphanumeric() || last == '_') {
        text.push(' ');
    }
    text.push_str(word);
}

/// The names of the ordinary tests of these cases: identifiers that look like them, no two alike.
pub(crate) fn test_names(labels: &[String]) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    let name = |label: &String| {
        let name = identifier(label);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut free = [name.clone()].into_iter().chain(numbered);
        let name = free.find(|name| taken.insert(name.clone())).unwrap_or(name);
        Ident::new(&name, Span::mixed_site())
    };
    labels.iter().map(name).collect()
}

/// `_64` of `64`, `Vec_u8___16` of `Vec<u8>::16`. `ordinary_names` in `perftest/src/perf_test.rs` has the same rule.
fn identifier(label: &str) -> String {
    let fits = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let mut name: String = label.chars().map(fits).collect();
    if name.chars().all(|letter| letter == '_') {
        name = "case".to_owned();
    } else if name == NEWEST_KEYWORD || syn::parse_str::<Ident>(&name).is_err() {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{identifier, repeated, spelled, test_names};
    use crate::unparsed::{Expr, Type};
    use syn::parse_str;

    #[test]
    fn types_are_spelled_as_a_person_writes_them() {
        for text in [
            "Vec<u8>",
            "Box<[u8]>",
            "[u8; 4]",
            "(u8, &'static str)",
            "std::collections::BTreeMap<u8, Vec<u8>>",
            "dyn Read + Send",
            "&'static mut u8",
        ] {
            let parsed: Type = parse_str(text).unwrap();
            assert_eq!(spelled(&parsed), text);
        }
    }

    #[test]
    fn constants_are_named_by_their_digits() {
        for (text, name) in [("1_024", "1024"), ("-1", "-1"), ("16usize", "16"), ("SIZE", "SIZE")] {
            assert_eq!(spelled(&parse_str::<Expr>(text).unwrap()), name);
        }
    }

    #[test]
    fn a_constant_that_would_break_its_name_stands_in_quotes() {
        for (text, name) in [
            ("','", ","),
            (r"'\n'", r#""\n""#),
            ("'\n'", r#""\n""#),
            (r"'\0'", r#""\0""#),
            (r"'\u{2028}'", r#""\u{2028}""#),
            ("' '", r#"" ""#),
            ("'*'", r#""*""#),
            (r#"of("a\tb")"#, r#"of("a\tb")"#),
            (r#"of("a b")"#, "of(a b)"),
        ] {
            assert_eq!(spelled(&parse_str::<Expr>(text).unwrap()), name, "{text}");
        }
    }

    /// The pairs of `an_ordinary_test_is_found_by_the_label_of_its_case` in `perftest/src/perf_test.rs`, which looks for the
    /// ordinary tests of earlier code.
    #[test]
    fn an_ordinary_test_is_named_like_its_case() {
        for (label, name) in [
            ("tiny", "tiny"),
            ("64", "_64"),
            ("-1", "_1"),
            ("Vec<u8>::16", "Vec_u8___16"),
            ("fn", "_fn"),
            ("gen", "_gen"),
            ("?", "case"),
            ("_", "case"),
        ] {
            assert_eq!(identifier(label), name, "{label}");
        }
        assert_eq!(identifier(""), "case");
    }

    #[test]
    fn ordinary_tests_never_share_a_name() {
        let labels = ["a b", "a-b", "a_b_2", "a.b"].map(str::to_owned);
        let names: Vec<String> = test_names(&labels).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a_b", "a_b_2", "a_b_2_2", "a_b_3"]);
    }

    #[test]
    fn the_first_name_that_comes_twice_is_found() {
        assert_eq!(repeated(&["a", "b", "a", "b"].map(str::to_owned)), Some("a".to_owned()));
        assert_eq!(repeated(&["a", "b"].map(str::to_owned)), None);
    }
}
