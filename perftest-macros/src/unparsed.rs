//! What the compiler parses: types, expressions and paths as the tokens they are, up to where they end.
//!
//! With `syn`'s parsers of these, users would wait twice as long for that crate.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, Result, Token};

/// A type.
pub(crate) struct Type {
    tokens: TokenStream,
}

/// An expression that is no closure.
pub(crate) struct Expr {
    tokens: TokenStream,
}

/// A path with its generic arguments: `a::f::<u8>`.
pub(crate) struct Path {
    tokens: TokenStream,
}

/// `Bencher<'_>` of `&mut perftest::Bencher<'_>`.
pub(crate) struct LastSegment {
    pub(crate) name: Ident,
    pub(crate) has_arguments: bool,
}

impl Type {
    /// Whether this is `&` something.
    pub(crate) fn is_reference(&self) -> bool {
        self.tokens.clone().into_iter().next().is_some_and(|first| is_mark(&first, '&'))
    }

    /// Whether this is `&mut` something.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.behind_mut().is_some()
    }

    /// The last segment of the path behind `&mut`.
    pub(crate) fn last_exclusive_segment(&self) -> Option<LastSegment> {
        let mut angles = AngleBrackets::default();
        let mut last: Option<LastSegment> = None;
        for token in self.behind_mut()? {
            let is_inside = angles.depth > 0;
            angles.pass(&token);
            match token {
                _ if is_inside => {}
                TokenTree::Ident(name) => last = Some(LastSegment { name, has_arguments: false }),
                token if is_mark(&token, '<') => last.as_mut()?.has_arguments = true,
                token if is_mark(&token, ':') => {}
                _ => return None,
            }
        }
        last
    }

    /// What stands behind `&mut` or `&'a mut`.
    fn behind_mut(&self) -> Option<impl Iterator<Item = TokenTree> + use<>> {
        let mut tokens = self.tokens.clone().into_iter().peekable();
        tokens.next_if(|first| is_mark(first, '&'))?;
        if tokens.next_if(|mark| is_mark(mark, '\'')).is_some() {
            tokens.next();
        }
        tokens.next_if(|word| word.to_string() == "mut").map(|_| tokens)
    }
}

impl Parse for Type {
    /// All up to a comma outside of angle brackets.
    fn parse(input: ParseStream) -> Result<Self> {
        let mut angles = AngleBrackets::default();
        let mut tokens = TokenStream::new();
        while !input.is_empty() && (angles.depth > 0 || !input.peek(Token![,])) {
            tokens.extend([angles.take(input)?]);
        }
        if tokens.is_empty() {
            return Err(input.error("expected a type"));
        }
        Ok(Self { tokens: without_invisible_group(tokens) })
    }
}

/// Returns what is in the invisible group around a part that comes through a macro, such as `$t:ty`.
fn without_invisible_group(tokens: TokenStream) -> TokenStream {
    let mut parts = tokens.clone().into_iter();
    match (parts.next(), parts.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            without_invisible_group(group.stream())
        }
        _ => tokens,
    }
}

impl Parse for Expr {
    /// All up to a comma outside of angle brackets, or to a word behind a literal, which begins something
    /// else.
    fn parse(input: ParseStream) -> Result<Self> {
        let is_closure =
            input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]);
        if is_closure || input.is_empty() || input.peek(Token![,]) {
            return Err(input.error("expected an expression"));
        }
        let mut angles = AngleBrackets::default();
        let mut tokens: Vec<TokenTree> = Vec::new();
        while !input.is_empty() && (angles.depth > 0 || !ends_expression(tokens.last(), input)) {
            // Any other one compares.
            let may_open = tokens.last().is_none_or(|before| is_mark(before, ':'));
            tokens.push(if angles.depth > 0 || may_open || !input.peek(Token![<]) {
                angles.take(input)?
            } else {
                input.parse()?
            });
            if angles.depth == 0 && ends_before_type(&tokens) {
                tokens.extend(start_of_type(input)?);
            }
        }
        Ok(Self { tokens: tokens.into_iter().collect() })
    }
}

/// Whether a type follows: the target of a cast, or what a function pointer in it returns.
fn ends_before_type(tokens: &[TokenTree]) -> bool {
    match tokens {
        [.., TokenTree::Ident(word)] => word == "as",
        [.., minus, end] => is_mark(minus, '-') && is_mark(end, '>'),
        _ => false,
    }
}

/// Takes a reference or pointer, and the path behind it. There, `<` always opens arguments. What else a type is made of
/// is a group, which has no comma outside.
fn start_of_type(input: ParseStream) -> Result<Vec<TokenTree>> {
    let mut tokens: Vec<TokenTree> = Vec::new();
    while input.peek(Token![&])
        || input.peek(Token![*])
        || input.peek(Token![mut])
        || input.peek(Token![const])
    {
        tokens.push(input.parse()?);
    }
    let mut goes_on =
        input.peek(Ident::peek_any) || input.peek(Token![<]) || input.peek(Token![::]);
    while goes_on {
        tokens.extend(input.parse::<Path>()?.tokens);
        if input.peek(Token![<]) {
            tokens.extend(AngleBrackets::take_all(input)?);
        }
        goes_on = input.peek(Token![::]);
    }
    Ok(tokens)
}

fn ends_expression(before: Option<&TokenTree>, input: ParseStream) -> bool {
    let is_behind_literal = matches!(before, Some(TokenTree::Literal(_)));
    let is_word = input.peek(Ident::peek_any) && !input.peek(Token![as]);
    input.peek(Token![,]) || is_behind_literal && is_word
}

impl Parse for Path {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut tokens = TokenStream::new();
        loop {
            input.parse::<Option<Token![::]>>()?.to_tokens(&mut tokens);
            if input.peek(Token![<]) {
                tokens.extend(AngleBrackets::take_all(input)?);
            } else {
                Ident::parse_any(input)?.to_tokens(&mut tokens);
            }
            if !input.peek(Token![::]) {
                return Ok(Self { tokens });
            }
        }
    }
}

macro_rules! to_tokens {
    ($($type:ty),*) => {$(
        impl ToTokens for $type {
            fn to_tokens(&self, tokens: &mut TokenStream) {
                self.tokens.to_tokens(tokens);
            }
        }
    )*};
}

to_tokens!(Type, Expr, Path);

/// How deep in angle brackets the tokens end that were passed.
#[derive(Default)]
pub(crate) struct AngleBrackets {
    depth: usize,
    is_behind_minus: bool,
}

impl AngleBrackets {
    /// Takes all from an opening bracket to the closing one.
    ///
    /// # Errors
    /// When there is no closing one.
    pub(crate) fn take_all(input: ParseStream) -> Result<Vec<TokenTree>> {
        let mut angles = Self::default();
        let mut tokens = vec![angles.take(input)?];
        while angles.depth > 0 {
            tokens.push(angles.take(input)?);
        }
        Ok(tokens)
    }

    fn take(&mut self, input: ParseStream) -> Result<TokenTree> {
        let token = input.parse()?;
        self.pass(&token);
        Ok(token)
    }

    fn pass(&mut self, token: &TokenTree) {
        if is_mark(token, '<') {
            self.depth += 1;
        } else if is_mark(token, '>') && !self.is_behind_minus {
            self.depth = self.depth.saturating_sub(1);
        }
        // The arrow of a function closes nothing.
        self.is_behind_minus = is_mark(token, '-');
    }
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse::Parser;

    /// What is taken, and the rest.
    fn split<T: Parse + ToTokens>(text: &str) -> (String, String) {
        let both = |input: ParseStream| Ok((input.parse::<T>()?, input.parse::<TokenStream>()?));
        let (taken, rest) = both.parse_str(text).unwrap();
        let plain = |tokens: TokenStream| tokens.to_string().replace(' ', "");
        (plain(taken.into_token_stream()), plain(rest))
    }

    fn parts(taken: &str, rest: &str) -> (String, String) {
        (taken.to_owned(), rest.to_owned())
    }

    #[test]
    fn an_expression_ends_at_a_comma_outside_of_brackets() {
        for (text, taken, rest) in [
            ("1 + 2, budget", "1+2", ",budget"),
            ("Map::<u8, Vec<u8>>::LEN, 2", "Map::<u8,Vec<u8>>::LEN", ",2"),
            ("<[u8; 2] as Of<u8, u16>>::LEN, 2", "<[u8;2]asOf<u8,u16>>::LEN", ",2"),
            ("A < B, C > D", "A<B", ",C>D"),
            ("1 << 4, 1 >> 4", "1<<4", ",1>>4"),
            ("f(1, 2), 3", "f(1,2)", ",3"),
            ("\"1s\" budget", "\"1s\"", "budget"),
            ("5 as f64, 2", "5asf64", ",2"),
            ("x as Alias<u8, u16>, 2", "xasAlias<u8,u16>", ",2"),
            ("5 as u8 as a::B<u8, Vec<u8>>, 2", "5asu8asa::B<u8,Vec<u8>>", ",2"),
            ("x as *const A<u8, 2>, 2", "xas*constA<u8,2>", ",2"),
            ("x as <A<u8, u16> as B>::C<u8, u16>, 2", "xas<A<u8,u16>asB>::C<u8,u16>", ",2"),
            ("f as fn(u8, u8) -> A<u8, u16>, 2", "fasfn(u8,u8)->A<u8,u16>", ",2"),
            ("x as u8 * y < z, 2 > 1", "xasu8*y<z", ",2>1"),
            ("(x as u8) < y, z > 1", "(xasu8)<y", ",z>1"),
            ("x as (u8, u8), 2", "xas(u8,u8)", ",2"),
        ] {
            assert_eq!(split::<Expr>(text), parts(taken, rest), "{text}");
        }
        for text in ["", ", 1", "|n| n", "move || 1"] {
            assert!(syn::parse_str::<Expr>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_type_ends_at_a_comma_outside_of_brackets() {
        for (text, taken, rest) in [
            ("Vec<u8>, u8", "Vec<u8>", ",u8"),
            ("Map<u8, Vec<u8>>, u8", "Map<u8,Vec<u8>>", ",u8"),
            ("Box<dyn Fn(u8) -> u8>, u8", "Box<dynFn(u8)->u8>", ",u8"),
            ("fn(u8, u8) -> u8, u8", "fn(u8,u8)->u8", ",u8"),
        ] {
            assert_eq!(split::<Type>(text), parts(taken, rest), "{text}");
        }
    }

    #[test]
    fn a_path_ends_where_no_further_part_of_it_stands() {
        for (text, taken, rest) in [
            ("a::b, c", "a::b", ",c"),
            ("::a::f::<u8, 2>, c", "::a::f::<u8,2>", ",c"),
            ("<u8 as A>::f()", "<u8asA>::f", "()"),
            ("a < b", "a", "<b"),
        ] {
            assert_eq!(split::<Path>(text), parts(taken, rest), "{text}");
        }
        for text in ["\"a\"", "|| 1", "", "a::"] {
            assert!(syn::parse_str::<Path>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bencher_is_found_behind_its_path() {
        let last = |text| {
            let parsed: Type = syn::parse_str(text).unwrap();
            parsed.last_exclusive_segment().map(|it| (it.name.to_string(), it.has_arguments))
        };
        let bencher = |has_arguments| Some(("Bencher".to_owned(), has_arguments));
        assert_eq!(last("&mut Bencher"), bencher(false));
        assert_eq!(last("&'a mut ::perftest::Bencher<'a>"), bencher(true));
        assert_eq!(last("&mut a::<u8>::Bencher"), bencher(false));
        assert_eq!((last("&mut [u8]"), last("&Bencher"), last("Bencher")), (None, None, None));
    }
}
