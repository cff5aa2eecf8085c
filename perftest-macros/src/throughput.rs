//! `throughput = bytes(4096)`: what one call gets through.

use crate::value::Value;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::parse::ParseStream;
use syn::{Error, Result, Token, parenthesized, token};

pub(crate) const THROUGHPUT: &str = "`throughput` takes bytes(..) or items(..) of one call: \
                                     throughput = bytes(4096), or of a value of `args` \
                                     throughput = items(|n| *n)";
const CLOSURE_WITHOUT_ARGS: &str = "there is no value of `args` to ask; give a number, or `args`";

/// An amount of bytes or items.
pub(crate) struct Throughput {
    kind: &'static str,
    amount: Value,
}

impl Throughput {
    /// # Errors
    /// Anything but `bytes(..)` or `items(..)` with an expression inside.
    pub(crate) fn parse(input: ParseStream) -> Result<Self> {
        let unit: Ident = input.parse().map_err(|error| Error::new(error.span(), THROUGHPUT))?;
        let kind = ["bytes", "items"].into_iter().find(|kind| unit == kind);
        let Some(kind) = kind.filter(|_| input.peek(token::Paren)) else {
            return Err(Error::new(unit.span(), THROUGHPUT));
        };
        let content;
        parenthesized!(content in input);
        let amount = Value::parse(&content, THROUGHPUT)?;
        content.parse::<Option<Token![,]>>()?;
        Ok(Self { kind, amount })
    }

    /// # Errors
    /// A closure, where no value of `args` is there to give it.
    pub(crate) fn check_without_args(&self) -> Result<()> {
        if self.amount.is_closure {
            return Err(Error::new_spanned(&self.amount, CLOSURE_WITHOUT_ARGS));
        }
        Ok(())
    }

    /// The amount of a call. With `args` a function gets the value.
    pub(crate) fn work(&self, has_args: bool, private: &TokenStream) -> TokenStream {
        let (site, amount) = (Span::mixed_site(), &self.amount);
        let kind = Ident::new(self.kind, site);
        if has_args && amount.is_callable() {
            quote_spanned!(site=> #private::#kind(#private::ask(value, #amount)))
        } else {
            quote_spanned!(site=> #private::#kind(#amount))
        }
    }
}
