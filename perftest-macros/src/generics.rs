//! The generic parameters of a function.

use crate::attribute::Attribute;
use crate::unparsed::{AngleBrackets, Type};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Lifetime, Result, Token};

/// `<T: FromIterator<u8>, const N: usize>`, or nothing.
pub(crate) struct Generics {
    tokens: TokenStream,
    pub(crate) kinds: Vec<GenericKind>,
}

/// What a generic parameter stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum GenericKind {
    Type,
    Const,
    Lifetime,
}

impl Parse for Generics {
    fn parse(input: ParseStream) -> Result<Self> {
        if !input.peek(Token![<]) {
            return Ok(Self { tokens: TokenStream::new(), kinds: Vec::new() });
        }
        let tokens = AngleBrackets::take_all(input)?;
        let inside = tokens.get(1..tokens.len() - 1).unwrap_or_default().iter().cloned().collect();
        let parser = Punctuated::<GenericKind, Token![,]>::parse_terminated;
        let kinds = parser.parse2(inside)?.into_iter().collect();
        Ok(Self { tokens: tokens.into_iter().collect(), kinds })
    }
}

impl Parse for GenericKind {
    fn parse(input: ParseStream) -> Result<Self> {
        input.call(Attribute::parse_outer)?;
        let kind = if input.peek(Lifetime) {
            Self::Lifetime
        } else if input.peek(Token![const]) {
            Self::Const
        } else {
            Self::Type
        };
        // The name and the bounds end where a type ends.
        input.parse::<Type>()?;
        Ok(kind)
    }
}

impl ToTokens for Generics {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::GenericKind::{Const, Lifetime, Type};
    use super::*;

    #[test]
    fn each_parameter_has_its_kind() {
        for (text, kinds) in [
            ("<'a, T: FromIterator<u8>, const N: usize>()", &[Lifetime, Type, Const][..]),
            ("<F: Fn(u8, u8) -> u8, const UP: bool,>()", &[Type, Const]),
            ("<#[cfg(all())] T>()", &[Type]),
            ("<>()", &[]),
            ("()", &[]),
        ] {
            let first = |input: ParseStream| {
                let generics: Generics = input.parse()?;
                input.parse::<TokenStream>().map(|_| generics)
            };
            assert_eq!(first.parse_str(text).unwrap().kinds, kinds, "{text}");
        }
    }
}
