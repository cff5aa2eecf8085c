//! `#[perf_group]`: settings for all perf tests in a module.
//!
//! The module stays as it was and gets a registration at its end. Which tests are in it, their
//! module paths tell when they run; so tests that a macro writes are in it, too.

use crate::args::{keys, krate, once};
use crate::expand::{line_of, perftest};
use crate::settings::AttributeSettings;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::token::Brace;
use syn::{Attribute, Error, Path, Result, Token, Visibility};

const KEYS: [&str; 11] = [
    "tolerance",
    "budget",
    "timeout",
    "limit",
    "max_measurements",
    "report_only",
    "on_unclear",
    "on_unjudged",
    "on_debug",
    "learn",
    "crate",
];
const NO_SETTING: &str =
    "a group sets something for its perf tests: #[perf_group(budget = \"10s\")]";
const NO_MODULE: &str = "`#[perf_group]` goes on a module; on a function write the keys into \
                         #[perf_test(..)]";
const NOT_INLINE: &str = "`#[perf_group]` needs the module's body: write `mod name { .. }`, with \
                          `include!` or `mod` inside where the tests are in another file";

/// The keys of the attribute.
#[derive(Default)]
pub(crate) struct GroupArgs {
    settings: AttributeSettings,
    krate: Option<Path>,
}

impl Parse for GroupArgs {
    fn parse(input: ParseStream) -> Result<Self> {
        if input.is_empty() {
            return Err(Error::new(Span::call_site(), NO_SETTING));
        }
        let mut args = Self::default();
        keys(input, &KEYS, |key, input| match key.to_string().as_str() {
            "crate" => once(&mut args.krate, key, krate(key, input)),
            _ => args.settings.parse_key(key, input, &KEYS),
        })?;
        Ok(args)
    }
}

/// A module with its body.
pub(crate) struct Module {
    /// Attributes, visibility, `mod` and the name.
    head: TokenStream,
    name: Ident,
    body: Group,
}

impl Parse for Module {
    fn parse(input: ParseStream) -> Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        let word: Token![mod] =
            input.parse().map_err(|error| Error::new(error.span(), NO_MODULE))?;
        let name: Ident = input.parse()?;
        if !input.peek(Brace) {
            return Err(input.error(NOT_INLINE));
        }
        let TokenTree::Group(body) = input.parse()? else {
            return Err(input.error(NOT_INLINE));
        };
        let site = Span::mixed_site();
        let head = quote_spanned!(site=> #(#attributes)* #visibility #word #name);
        Ok(Self { head, name, body })
    }
}

pub(crate) fn expand(args: GroupArgs, module: Module) -> TokenStream {
    let Module { head, name, body } = module;
    let krate = args.krate.unwrap_or_else(perftest);
    let private = quote_spanned!(Span::mixed_site()=> #krate::__private);
    let settings = args.settings.layer(&private);
    let line = line_of(&name);
    let content = body.stream();
    quote_spanned! {Span::mixed_site()=>
        #head {
            #content
            #[cfg(test)]
            const _: () = {
                use #private::line as line_of_perf_test;
                #private::inventory::submit! {
                    #private::Group {
                        module_path: ::core::module_path!(),
                        file: ::core::file!(),
                        line: #line,
                        settings: #settings,
                    }
                }
            };
        }
    }
}
