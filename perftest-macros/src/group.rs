//! `#[perf_group]`: settings for all perf tests in a module.
//!
//! The module stays as it was, and a registration stands beside it, so that values are found from where the
//! attribute stands. The module paths of tests tell which are in it; so tests that a macro writes are in it, too.

use crate::args::krate;
use crate::attribute::Attribute;
use crate::item::parse_visibility;
use crate::keys::{self, IN_EXPERT, IN_EXPERT_OF_GROUPS, OF_GROUPS, OF_TESTS};
use crate::settings::AttributeSettings;
use crate::tokens::{line_of, perftest};
use crate::unparsed::Path;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::token::Brace;
use syn::{Error, Result, Token};

const NO_SETTING: &str =
    "a group sets something for its perf tests: #[perf_group(budget = \"10s\")]";
const NO_MODULE: &str = "`#[perf_group]` goes on a module; on a function write the keys into \
                         #[perf_test(..)]";
const NOT_INLINE: &str = "`#[perf_group]` needs the module's body: write `mod name { .. }`, with \
                          `include!(\"file.rs\");` inside where the tests are in another file";

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
        keys::each(input, &OF_GROUPS, |key, input| args.parse_key(key, input))?;
        Ok(args)
    }
}

impl GroupArgs {
    fn parse_key(&mut self, key: &Ident, input: ParseStream) -> Result<()> {
        match key.to_string().as_str() {
            "crate" => {
                self.krate = Some(krate(key, input)?);
                Ok(())
            }
            keys::EXPERT => keys::each_in_expert(key, input, &IN_EXPERT_OF_GROUPS, |key, input| {
                refuse_key_of_one_test(key, &IN_EXPERT, &IN_EXPERT_OF_GROUPS)?;
                self.settings.parse_expert_key(key, input, &IN_EXPERT_OF_GROUPS)
            }),
            _ => {
                refuse_key_of_one_test(key, &OF_TESTS, &OF_GROUPS)?;
                self.settings.parse_key(key, input, &OF_GROUPS)
            }
        }
    }
}

fn refuse_key_of_one_test(key: &Ident, of_tests: &[&str], of_groups: &[&str]) -> Result<()> {
    let is_among = |keys: &[&str]| keys.iter().any(|it| key == it);
    if is_among(of_tests) && !is_among(of_groups) {
        let message = format!("`{key}` belongs to one test; write it into its #[perf_test(..)]");
        return Err(Error::new(key.span(), message));
    }
    Ok(())
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
        let visibility = parse_visibility(input)?;
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
    let name = name.to_string();
    quote_spanned! {Span::mixed_site()=>
        #head #body
        #[cfg(test)]
        const _: () = {
            use #private::line as line_of_perf_test;
            #private::inventory::submit! {
                #private::Group {
                    module_path: ::core::concat!(::core::module_path!(), "::", #name),
                    place: #private::Place::new(::core::file!(), #line),
                    settings: #settings,
                }
            }
        };
    }
}
