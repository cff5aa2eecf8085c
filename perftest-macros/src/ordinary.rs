//! The ordinary tests of a perf test: what libtest finds.
//!
//! A function without cases is one test of its name. Where the cases can be seen here, each is a test
//! of its own, in a module of the function's name: libtest's names are made of modules and functions.
//! Where the cases are known only when the test runs, one test runs them all.

use crate::attribute::Attributes;
use crate::cases::{FunctionInstance, joined, test_names};
use crate::item::Item;
use crate::tokens::{NEWEST_KEYWORD, listed, path_from_child};
use crate::unparsed::Path;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The ordinary tests of one function.
pub(crate) struct OrdinaryTests {
    /// The function's name, at the author's place.
    function: Ident,
    /// In the module of that name; `None` for one test of that name.
    cases: Option<Vec<Ident>>,
    /// How many of them an instance has.
    of_each_instance: usize,
}

impl OrdinaryTests {
    /// `literals` are the names of the values of `args`, where they can be seen.
    pub(crate) fn new(
        item: &Item,
        instances: &[FunctionInstance],
        literals: Option<&[String]>,
    ) -> Self {
        let function = of_this_expansion(&item.name);
        let no_literal = [String::new()];
        let literals = literals.unwrap_or(&no_literal);
        let of_instance = |instance: &FunctionInstance| {
            let label = instance.label.clone();
            literals.iter().map(move |literal| joined(&label, literal))
        };
        let labels: Vec<String> = instances.iter().flat_map(of_instance).collect();
        let is_one = labels.len() == 1 && labels[0].is_empty();
        let cases = (!is_one).then(|| test_names(&labels));
        Self { function, cases, of_each_instance: literals.len() }
    }

    /// Their names below the module of the function, instance by instance.
    pub(crate) fn names(&self) -> Vec<Vec<String>> {
        let Self { function, cases, of_each_instance } = self;
        let function = listed(function);
        match cases {
            None => vec![vec![function]],
            Some(cases) => cases
                .chunks(*of_each_instance)
                .map(|names| names.iter().map(|name| format!("{function}::{name}")).collect())
                .collect(),
        }
    }

    /// The tests themselves. `krate` is the path of `perftest`, as the function's module sees it.
    pub(crate) fn items(&self, attributes: &Attributes, krate: &Path) -> TokenStream {
        let Self { function, cases, .. } = self;
        let Some(cases) = cases else {
            return test(function, attributes, &krate.to_token_stream());
        };
        let (krate, import) = path_from_child(krate);
        let tests = cases.iter().map(|name| test(name, attributes, &krate));
        quote_spanned! {Span::mixed_site()=>
            #[cfg(test)]
            mod #function {
                #import
                #(#tests)*
            }
        }
    }
}

/// A name without the author's lints, which judge it on the author's function. One that would be a keyword here
/// keeps them.
fn of_this_expansion(name: &Ident) -> Ident {
    let mut name = name.clone();
    if name != NEWEST_KEYWORD {
        name.set_span(name.span().resolved_at(Span::mixed_site()));
    }
    name
}

fn test(name: &Ident, attributes: &Attributes, krate: &TokenStream) -> TokenStream {
    let Attributes { docs, ignores, .. } = attributes;
    let text = listed(name);
    // Miri refuses the system's time and foreign calls, and ends the whole process at the first one.
    let under_miri = ignores.is_empty().then(|| {
        let reason = "performance tests do not run under Miri";
        quote_spanned!(Span::mixed_site()=> #[cfg_attr(miri, ignore = #reason)])
    });
    quote_spanned! {Span::mixed_site()=>
        #[cfg(test)]
        #[::core::prelude::v1::test]
        #under_miri
        #(#ignores)*
        #(#docs)*
        fn #name() -> #krate::__private::ExitCode {
            #krate::__private::run_in_libtest(::core::module_path!(), #text)
        }
    }
}
